"""The REST API (ARCHITECTURE §5): routes, and what every error becomes."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from loopstep.api.answers import problem, refusal
from loopstep.api.backend import Backend
from loopstep.api.caller_routes import caller_routes
from loopstep.api.canvas_routes import canvas_routes
from loopstep.api.console_routes import console_routes
from loopstep.api.document_routes import document_routes
from loopstep.api.file_routes import file_routes
from loopstep.api.guard import Guard
from loopstep.api.health_routes import health_routes
from loopstep.api.openapi import serve_openapi
from loopstep.api.plan_routes import plan_routes
from loopstep.api.registry_routes import registry_routes
from loopstep.api.resolver import Resolver
from loopstep.api.run_routes import run_routes
from loopstep.api.schedule_routes import schedule_routes
from loopstep.api.timeline_routes import timeline_routes
from loopstep.api.trigger_routes import trigger_routes
from loopstep.api.wait_routes import wait_routes
from loopstep.gateways.functions import FunctionFailed
from loopstep.gateways.passing import code_of, passes
from loopstep.runs.errors import Contended
from loopstep.services.refusals import Refused


def create_app(backend: Backend, logger: Logger, origin: str | None = None) -> Resolver:
    """The resolver over a backend. `origin` is the web origin that may call it; without one, none may."""
    sent = ["Authorization", "Content-Type", "Idempotency-Key", "X-Api-Key"]
    told = ["Idempotent-Replayed", "Retry-After"]
    cors = CORSConfig(origin, allow_headers=sent, expose_headers=told) if origin else None
    app = Resolver(Guard(backend, logger), enable_validation=True, cors=cors)
    app.include_router(plan_routes(backend))
    app.include_router(canvas_routes(backend))
    app.include_router(schedule_routes(backend))
    app.include_router(trigger_routes(backend))
    app.include_router(run_routes(backend))
    app.include_router(timeline_routes(backend))
    app.include_router(wait_routes(backend))
    app.include_router(registry_routes(backend))
    app.include_router(document_routes(backend))
    app.include_router(file_routes(backend))
    app.include_router(health_routes(backend))
    app.include_router(caller_routes(backend))
    app.include_router(console_routes())
    serve_openapi(app)
    _handle_errors(app, logger)
    return app


def _handle_errors(app: APIGatewayRestResolver, logger: Logger) -> None:
    def refused(error: Refused) -> Response[str]:
        return refusal(error)

    def invalid(error: RequestValidationError) -> Response[str]:
        errors = [
            {"path": _place(each["loc"]), "code": each["type"], "message": each["msg"]} for each in error.errors()
        ]
        return problem(400, "request.invalid", "The request is not what this route takes.", {"errors": errors})

    def not_found(_: NotFoundError) -> Response[str]:
        allowed = methods_of(app, app.current_event.path)
        if not allowed:
            return problem(404, "route.unknown", "There is no such route.")
        detail = f"This route takes {', '.join(allowed)}."
        return problem(405, "route.method", detail, {}, Allow=", ".join(allowed))

    def compiler_failed(error: FunctionFailed) -> Response[str]:
        logger.error("the compiler function failed", reason=str(error))
        return problem(502, "compiler.failed", "The compiler did not answer. Try again later.")

    def contended(_: Contended) -> Response[str]:
        return _busy()

    def fault(error: Exception) -> Response[str]:
        if passes(error):
            logger.warning("a service did not do it", error=type(error).__name__, code=code_of(error))
            return _busy()
        logger.error("a request failed", error=type(error).__name__, code=code_of(error), at=_frames(error))
        return problem(500, "internal", "The request failed for a reason that is not its own.")

    by_class: dict[type[Exception], Callable[[Any], Response[str]]] = {
        Refused: refused,
        RequestValidationError: invalid,
        NotFoundError: not_found,
        FunctionFailed: compiler_failed,
        Contended: contended,
        Exception: fault,
    }
    for kind, act in by_class.items():
        app.exception_handler(kind)(act)


def methods_of(app: APIGatewayRestResolver, path: str) -> list[str]:
    """The methods that the app's routes take on a path, none for an unknown one."""
    routes = app._static_routes + app._dynamic_routes
    return sorted({route.method for route in routes if route.rule.match(path)})


def _busy() -> Response[str]:
    return problem(503, "service.busy", "Too much at the same time. Try again.", {}, **{"Retry-After": "1"})


def _frames(error: Exception) -> list[str]:
    """Where an exception arose, without its message, which could hold data."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-8:]]


def _place(location: Iterable[int | str]) -> str:
    return "".join("/" + re.sub(r"[~/]", "_", str(part)) for part in location)
