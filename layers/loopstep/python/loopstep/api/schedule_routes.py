"""Routes of a plan's schedules."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import schedule_models as models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body
from loopstep.api.described import replies
from loopstep.api.parameters import Limit, Next, PlanName
from loopstep.api.registry_models import ENTRY_ID
from loopstep.services import put_schedule as putting
from loopstep.services import read_schedules as reading

ScheduleId = Annotated[str, Path(pattern=ENTRY_ID, description="A schedule's id, of one plan.")]
Count = Annotated[int, Query(ge=1, le=100, description="How many firings.")]

_RULE = "/plans/<name>/schedules/<schedule>"
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": models.PutSchedule.model_json_schema()}},
    }
}


def schedule_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    _changing(router, backend)
    _reading(router, backend)
    return router


def _changing(router: APIGatewayRouter, backend: Backend) -> None:
    @router.put(
        _RULE,
        summary="Put a schedule of a plan, in the place of the one that is there",
        tags=["schedules"],
        openapi_extensions=_BODY,
        responses=replies(
            {201: ("A new one.", models.Schedule), 200: ("It stands in the place of another.", models.Schedule)},
            *(400, 404, 409, 413, 422, 503),
        ),
    )
    def put_schedule(name: PlanName, schedule: ScheduleId) -> Response[str]:
        body = json_body(router.current_event, models.PutSchedule)
        made, new = putting.put_schedule(backend.scheduling, name, schedule, body.wanted(), body.input)
        return answer(201 if new else 200, reading.shown(backend.scheduling, made))

    @router.delete(
        _RULE,
        summary="Take a schedule out; runs that it started go on",
        tags=["schedules"],
        responses=replies({200: ("It fires no more.", models.RemovedSchedule)}, 400, 404, 409, 503),
    )
    def remove_schedule(name: PlanName, schedule: ScheduleId) -> Response[str]:
        putting.remove_schedule(backend.scheduling, name, schedule)
        return answer(200, {"id": schedule, "removed": True})

    for verb, enabled in (("enable", True), ("disable", False)):
        _switching(router, backend, verb, enabled)


def _switching(router: APIGatewayRouter, backend: Backend, verb: str, enabled: bool) -> None:
    def switch(name: PlanName, schedule: ScheduleId) -> Response[str]:
        made = putting.switch_schedule(backend.scheduling, name, schedule, enabled)
        return answer(200, reading.shown(backend.scheduling, made))

    switch.__name__ = f"{verb}_schedule"  # OpenAPI names an operation by its function
    router.post(
        f"{_RULE}/{verb}",
        summary=f"{verb.capitalize()} a schedule",
        tags=["schedules"],
        responses=replies({200: ("As it stands now.", models.Schedule)}, 400, 404, 409, 422, 503),
    )(switch)


def _reading(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/plans/<name>/schedules",
        summary="List the schedules of a plan",
        tags=["schedules"],
        responses=replies({200: ("A page of schedules, by id.", models.SchedulePage)}, 400, 404),
    )
    def list_schedules(name: PlanName, limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, reading.list_schedules(backend.scheduling, name, limit, next))

    @router.get(
        _RULE,
        summary="Read a schedule",
        tags=["schedules"],
        responses=replies({200: ("The schedule.", models.Schedule)}, 400, 404),
    )
    def get_schedule(name: PlanName, schedule: ScheduleId) -> Response[str]:
        return answer(200, reading.get_schedule(backend.scheduling, name, schedule))

    @router.get(
        f"{_RULE}/preview",
        summary="When a schedule fires next",
        tags=["schedules"],
        responses=replies({200: ("The firings, and what the clocks skip.", models.Firings)}, 400, 404),
    )
    def preview_schedule(name: PlanName, schedule: ScheduleId, count: Count = 10) -> Response[str]:
        return answer(200, reading.preview_schedule(backend.scheduling, name, schedule, count))
