"""Starts a run for a rule or another program: `{plan, version?, input?, idempotencyKey?}`.

A schedule's clock says `{plan, schedule, generation, slot}`; where there is nothing to start the answer is `{skipped}`.

Answers `{runId, plan, version, status}`; raises what it refuses, so that an asynchronous caller's dead letter queue
gets it. Without an idempotencyKey the invocation's own id stands for it, which Lambda keeps when it retries.
"""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger

from loopstep.access.actor import FUNCTION, Actor
from loopstep.gateways.service_clients import LazyClient, client
from loopstep.services.compose import compose_running
from loopstep.services.compose_scheduling import compose_scheduling
from loopstep.services.fire_schedule import Call, fire
from loopstep.services.refusals import Malformed, Refused
from loopstep.services.start_run import StartRequest, start_run

logger = Logger(service="loopstep")
client("dynamodb")  # made while Lambda gives a start its full processor; the others when needed

_RUNNING = compose_running(os.environ, LazyClient)
_SCHEDULING = compose_scheduling(os.environ, LazyClient, _RUNNING)
_FIELDS = {"plan": str, "version": int, "input": dict, "idempotencyKey": str}


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Start the run, or find it started."""
    try:
        head = fire(_SCHEDULING, _call(event)) if "schedule" in event else start_run(_RUNNING, _request(event, context))
    except Refused as refused:
        logger.error("not started", code=refused.code)
        raise
    if isinstance(head, str):
        logger.info("skipped", plan=event["plan"], schedule=event["schedule"], reason=head)
        return {"skipped": head}
    logger.info("started", run=head.run, plan=head.plan, version=head.version, status=head.status)
    return {"runId": head.run, "plan": head.plan, "version": head.version, "status": head.status}


def _call(event: dict[str, Any]) -> Call:
    said = [value for name in Call._fields if isinstance(value := event.get(name), str) and value]
    if len(said) < len(Call._fields):
        raise Malformed("request.invalid", "`plan`, `schedule`, `generation` and `slot` must be texts.")
    return Call(*said)


def _request(event: dict[str, Any], context: Any) -> StartRequest:
    for name, kind in _FIELDS.items():
        value = event.get(name)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise Malformed("request.invalid", f"`{name}` must be of type {kind.__name__}.")
    if not event.get("plan"):
        raise Malformed("request.invalid", "`plan` is missing.")
    key = event.get("idempotencyKey") or f"invocation {context.aws_request_id}"
    return StartRequest(
        event["plan"], event.get("input"), event.get("version"), key=key, by=Actor(FUNCTION, "start_run")
    )
