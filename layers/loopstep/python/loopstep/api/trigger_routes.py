"""Routes of a plan's triggers, and of dead letters."""

from __future__ import annotations

import base64
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import trigger_models as models
from loopstep.api.answers import answer, problem
from loopstep.api.backend import Backend
from loopstep.api.bodies import raw_body
from loopstep.api.described import replies
from loopstep.api.parameters import Limit, Next, PlanName
from loopstep.api.registry_models import ENTRY_ID
from loopstep.services import dead_letters as letters
from loopstep.services import put_trigger as putting
from loopstep.services import read_triggers as reading
from loopstep.triggers.records import Wanted

TriggerId = Annotated[str, Path(pattern=ENTRY_ID, description="A trigger's id, of one plan.")]
LetterId = Annotated[str, Path(pattern=r"^[A-Za-z0-9-]{1,100}$", description="A dead letter's id.")]

_RULE = "/plans/<name>/triggers/<trigger>"
_SCHEMA = models.PutTrigger.model_json_schema()
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _SCHEMA}, "application/yaml": {"schema": _SCHEMA}},
    }
}


def trigger_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    _changing(router, backend)
    _reading(router, backend)
    _letters(router, backend)
    return router


def _changing(router: APIGatewayRouter, backend: Backend) -> None:
    @router.put(
        _RULE,
        summary="Put a trigger of a plan, in the place of the one that is there",
        tags=["triggers"],
        openapi_extensions=_BODY,
        responses=replies(
            {201: ("A new one.", models.Trigger), 200: ("It stands in the place of another.", models.Trigger)},
            *(400, 404, 409, 413, 422, 502, 503),
        ),
    )
    def put_trigger(name: PlanName, trigger: TriggerId) -> Response[str]:
        document = base64.b64encode(raw_body(router.current_event)).decode("ascii")
        payload = {"action": "trigger", "name": name, "document": document, "encoding": "base64"}
        reply = backend.compile_document(payload)
        body = dict(reply["body"])
        if reply["status"] >= 400:
            return problem(reply["status"], body.pop("code"), body.pop("detail"), body)
        made, new = putting.put_trigger(backend.mail.triggering, name, trigger, Wanted(**body))
        return answer(201 if new else 200, reading.shown(made))

    @router.delete(
        _RULE,
        summary="Take a trigger out; runs that it started go on",
        tags=["triggers"],
        responses=replies({200: ("Events start nothing any more.", models.RemovedTrigger)}, 400, 404, 409, 503),
    )
    def remove_trigger(name: PlanName, trigger: TriggerId) -> Response[str]:
        putting.remove_trigger(backend.mail.triggering, name, trigger)
        return answer(200, {"id": trigger, "removed": True})

    for verb, enabled in (("enable", True), ("disable", False)):
        _switching(router, backend, verb, enabled)


def _switching(router: APIGatewayRouter, backend: Backend, verb: str, enabled: bool) -> None:
    def switch(name: PlanName, trigger: TriggerId) -> Response[str]:
        return answer(200, reading.shown(putting.switch_trigger(backend.mail.triggering, name, trigger, enabled)))

    switch.__name__ = f"{verb}_trigger"  # OpenAPI names an operation by its function
    router.post(
        f"{_RULE}/{verb}",
        summary=f"{verb.capitalize()} a trigger",
        tags=["triggers"],
        responses=replies({200: ("As it stands now.", models.Trigger)}, 400, 404, 409, 503),
    )(switch)


def _reading(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/plans/<name>/triggers",
        summary="List the triggers of a plan",
        tags=["triggers"],
        responses=replies({200: ("A page of triggers, by id.", models.TriggerPage)}, 400, 404),
    )
    def list_triggers(name: PlanName, limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, reading.list_triggers(backend.mail.triggering, name, limit, next))

    @router.get(
        _RULE,
        summary="Read a trigger",
        tags=["triggers"],
        responses=replies({200: ("The trigger.", models.Trigger)}, 400, 404),
    )
    def get_trigger(name: PlanName, trigger: TriggerId) -> Response[str]:
        return answer(200, reading.get_trigger(backend.mail.triggering, name, trigger))


def _letters(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/dead-letters",
        summary="List what could not be started, the oldest first",
        tags=["dead letters"],
        responses=replies({200: ("Those that can be seen now, at most 200.", models.DeadLetterPage)}, 400),
    )
    def list_dead_letters() -> Response[str]:
        return answer(200, letters.list_letters(backend.mail))

    @router.post(
        "/dead-letters/<letter>/redrive",
        summary="Try it again; it is out of the queue where that succeeds",
        tags=["dead letters"],
        responses=replies({200: ("It is done.", models.RedrivenLetter)}, 400, 404, 409, 422, 503),
    )
    def redrive_dead_letter(letter: LetterId) -> Response[str]:
        return answer(200, letters.redrive_letter(backend.mail, letter))

    @router.delete(
        "/dead-letters/<letter>",
        summary="Take a dead letter out",
        tags=["dead letters"],
        responses=replies({200: ("It is gone.", models.RemovedTrigger)}, 400, 404),
    )
    def remove_dead_letter(letter: LetterId) -> Response[str]:
        letters.remove_letter(backend.mail, letter)
        return answer(200, {"id": letter, "removed": True})
