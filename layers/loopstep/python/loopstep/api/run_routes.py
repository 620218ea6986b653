"""Routes of runs: start, cancel, read; and what they sent."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body
from loopstep.api.described import START_BODY, replies
from loopstep.api.guard import REPLAYED, admitted
from loopstep.api.parameters import (
    ActivationFilter,
    IdempotencyKey,
    Limit,
    Next,
    NodeFilter,
    PathFilter,
    PlanFilter,
    PlanName,
    RunFilter,
    RunId,
    ScopeFilter,
    Since,
    StatusFilter,
    Until,
    Wait,
)
from loopstep.runs.records import CREATED, RUNNING, Head
from loopstep.services import cancel_run as cancelling
from loopstep.services import find_activations, read_run
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
        by = admitted(router).actor
        own = None if key is None else f"{by.kind} {by.id}\n{key}"  # no other caller's, nor a program's
        request = starting.StartRequest(name, body.input, body.version, body.hold, own, by=by)
        head, found = starting.start_or_find(backend.running, request)
        if not found:
            return _started(head)
        return _started(head._replace(status=CREATED if body.hold else RUNNING), **{REPLAYED: "true"})

    @router.post(
        "/runs/<run>/start",
        summary="Start a run that was held back",
        tags=["runs"],
        responses=replies({202: ("The run is under way.", models.RunStarted)}, 400, 404, 409, 503),
    )
    def start_held_run(run: RunId) -> Response[str]:
        return _started(starting.start_held_run(backend.running, run))

    @router.post(
        "/runs/<run>/cancel",
        summary="Cancel a run",
        tags=["runs"],
        responses=replies({200: ("The run is cancelled.", models.Run)}, 400, 404, 409, 503),
    )
    def cancel_run(run: RunId) -> Response[str]:
        cancelling.cancel_run(backend.running, run, admitted(router).actor)
        return answer(200, read_run.get_run(backend.running, run))

    @router.post(
        "/runs/<run>/redrive",
        summary="Let a failed run go on from where it failed",
        tags=["runs"],
        responses=replies({202: ("The run is under way again.", models.Run)}, 400, 404, 409, 503),
    )
    def redrive_run(run: RunId) -> Response[str]:
        redriving.redrive_run(backend.running, run, admitted(router).actor)
        return answer(202, read_run.get_run(backend.running, run))


def _reading(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/runs",
        summary="List runs, the newest first",
        tags=["runs"],
        responses=replies({200: ("A page of runs.", models.RunPage)}, 400),
    )
    def list_runs(
        plan: PlanFilter = None,
        status: StatusFilter = None,
        since: Since = None,
        until: Until = None,
        limit: Limit = 50,
        next: Next = None,
    ) -> Response[str]:
        return answer(200, read_run.list_runs(backend.running, plan, status, limit, next, since, until))

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
    def list_activations(
        run: RunId,
        wait: Wait = 0,
        node: NodeFilter = None,
        path: PathFilter = None,
        status: ActivationFilter = None,
        limit: Limit = 50,
        next: Next = None,
    ) -> Response[str]:
        if (node, path, status) != (None, None, None):
            found = find_activations.find_activations(backend.running, run, node, path, status, limit, next)
            return answer(200, found)
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


def _started(head: Head, **headers: str) -> Response[str]:
    body = {"runId": head.run, "plan": head.plan, "version": head.version, "status": head.status}
    return answer(201 if head.status == CREATED else 202, body, **headers)
