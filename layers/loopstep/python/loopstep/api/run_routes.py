"""Routes of runs: start, cancel, read; and what they sent."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body
from loopstep.api.described import START_BODY, replies
from loopstep.api.parameters import (
    IdempotencyKey,
    Limit,
    Next,
    PlanFilter,
    PlanName,
    RunFilter,
    RunId,
    ScopeFilter,
    StatusFilter,
    Wait,
)
from loopstep.runs.records import CREATED, Head
from loopstep.services import cancel_run as cancelling
from loopstep.services import read_run
from loopstep.services import redrive_run as redriving
from loopstep.services import start_run as starting


def run_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    _changing(router, backend)
    _reading(router, backend)
    return router


def _changing(router: APIGatewayRouter, backend: Backend) -> None:
    @router.post(
        "/plans/<name>/runs",
        summary="Start a run",
        tags=["runs"],
        openapi_extensions=START_BODY,
        responses=replies(
            {202: ("The run is under way.", models.RunStarted), 201: ("The run is held.", models.RunStarted)},
            *(400, 404, 409, 413, 422, 503),
        ),
    )
    def start_run(name: PlanName, key: IdempotencyKey = None) -> Response[str]:
        body = json_body(router.current_event, models.StartRun)
        request = starting.StartRequest(name, body.input, body.version, body.hold, key)
        return _started(starting.start_run(backend.running, request), 201 if body.hold else 202)

    @router.post(
        "/runs/<run>/start",
        summary="Start a run that was held back",
        tags=["runs"],
        responses=replies({202: ("The run is under way.", models.RunStarted)}, 400, 404, 409, 503),
    )
    def start_held_run(run: RunId) -> Response[str]:
        return _started(starting.start_held_run(backend.running, run), 202)

    @router.post(
        "/runs/<run>/cancel",
        summary="Cancel a run",
        tags=["runs"],
        responses=replies({200: ("The run is cancelled.", models.Run)}, 400, 404, 409, 503),
    )
    def cancel_run(run: RunId) -> Response[str]:
        cancelling.cancel_run(backend.running, run)
        return answer(200, read_run.get_run(backend.running, run))

    @router.post(
        "/runs/<run>/redrive",
        summary="Let a failed run go on from where it failed",
        tags=["runs"],
        responses=replies({202: ("The run is under way again.", models.Run)}, 400, 404, 409, 503),
    )
    def redrive_run(run: RunId) -> Response[str]:
        redriving.redrive_run(backend.running, run)
        return answer(202, read_run.get_run(backend.running, run))


def _reading(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/runs",
        summary="List runs, the newest first",
        tags=["runs"],
        responses=replies({200: ("A page of runs.", models.RunPage)}, 400),
    )
    def list_runs(
        plan: PlanFilter = None, status: StatusFilter = None, limit: Limit = 50, next: Next = None
    ) -> Response[str]:
        return answer(200, read_run.list_runs(backend.running, plan, status, limit, next))

    @router.get(
        "/runs/<run>",
        summary="Read a run, or wait for its end",
        tags=["runs"],
        responses=replies({200: ("The run.", models.Run)}, 400, 404),
    )
    def get_run(run: RunId, wait: Wait = 0) -> Response[str]:
        return answer(200, read_run.get_run(backend.running, run, wait))

    @router.get(
        "/runs/<run>/activations",
        summary="List a run's activations",
        tags=["runs"],
        responses=replies({200: ("A page of activations.", models.ActivationPage)}, 400, 404),
    )
    def list_activations(run: RunId, wait: Wait = 0, limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, read_run.list_activations(backend.running, run, wait, limit, next))

    @router.get(
        "/messages",
        summary="List messages by scope, by run or by both",
        tags=["messages"],
        responses=replies({200: ("A page of messages.", models.MessagePage)}, 400),
    )
    def list_messages(
        scope: ScopeFilter = None, run: RunFilter = None, limit: Limit = 50, next: Next = None
    ) -> Response[str]:
        return answer(200, read_run.list_messages(backend.running, scope, run, limit, next))


def _started(head: Head, status: int) -> Response[str]:
    body = {"runId": head.run, "plan": head.plan, "version": head.version, "status": head.status}
    return answer(201 if head.status == CREATED else status, body)
