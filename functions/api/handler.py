"""The REST API. It does not import the compiler: checking and publishing are the compiler function's."""

from __future__ import annotations

import os
import time
from typing import Any

from aws_lambda_powertools import Logger

from loopstep.api.app import create_app
from loopstep.api.backend import Backend
from loopstep.gateways.answer_time import answer_within
from loopstep.gateways.clock import now
from loopstep.gateways.functions import Functions
from loopstep.gateways.service_clients import LazyClient, client
from loopstep.runtime.observe import MILLISECONDS, embedded
from loopstep.services.access import compose_access
from loopstep.services.compose import compose_librarian, compose_registry, compose_repeating, compose_running, new_id
from loopstep.services.compose_scheduling import compose_scheduling
from loopstep.services.dead_letters import Mail
from loopstep.services.triggering import compose_triggering

ANSWER_SECONDS = 28.0  # API Gateway waits 29
_SPARE_SECONDS = 1.5  # of an invocation, to say that the time is over

logger = Logger(service="loopstep")
client("dynamodb")  # made while Lambda gives a start its full processor; the others when needed


def _backend() -> Backend:
    running = compose_running(os.environ, LazyClient)
    functions = Functions(LazyClient("lambda"))
    compiler = os.environ["COMPILE_FUNCTION"]
    registry = compose_registry(os.environ, LazyClient)
    librarian = compose_librarian(os.environ, LazyClient)
    scheduling = compose_scheduling(os.environ, LazyClient, running)
    mail = Mail(compose_triggering(os.environ, LazyClient, running), scheduling)
    ask = lambda payload: functions.call(compiler, payload)  # noqa: E731
    access = compose_access(os.environ, LazyClient, now, new_id, time.monotonic)
    repeating = compose_repeating(os.environ, LazyClient)
    return Backend(running.plans, running, ask, registry, librarian, scheduling, mail, access, repeating)


_APP = create_app(_backend(), logger, os.environ.get("CORS_ORIGIN") or None)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request of API Gateway. The log line says what was asked and how it ended; no query, no data."""
    began = time.monotonic()
    answer_within(min(ANSWER_SECONDS, context.get_remaining_time_in_millis() / 1000 - _SPARE_SECONDS))
    reply = _APP.resolve(event, context)
    took = round((time.monotonic() - began) * 1000)
    waits = "wait" in (event.get("queryStringParameters") or {})
    caller = _APP.guard.last
    logger.info(
        "answered",
        method=event.get("httpMethod"),
        path=str(event.get("path"))[:200],
        status=reply["statusCode"],
        request=(event.get("requestContext") or {}).get("requestId"),
        milliseconds=took,
        caller=caller and f"{caller.actor.kind} {caller.actor.id}",
        **({} if waits else embedded({"ApiTime": (took, MILLISECONDS)})),
    )
    return reply
