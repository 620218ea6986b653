"""Routes of callers: who calls, and what is registered of whom."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.access.roles import known
from loopstep.api import caller_models as models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body
from loopstep.api.described import replies
from loopstep.api.guard import admitted
from loopstep.api.parameters import Limit, Next
from loopstep.services import manage_callers as managing
from loopstep.services.refusals import Malformed

CallerId = Annotated[str, Path(max_length=1200, description="The id of an API key, or an ARN; percent-encoded or not.")]

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": models.PutCaller.model_json_schema()}},
    }
}


def caller_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]

    @router.get(
        "/me",
        summary="Say who calls, and what it may do",
        tags=["keys"],
        responses=replies({200: ("Who calls.", models.Me)}),
    )
    def get_me() -> Response[str]:
        caller = admitted(router)
        return answer(200, {**caller.actor.to_json(), "roles": list(caller.roles)})

    _registered(router, backend)
    return router


def _registered(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/keys",
        summary="List the registered callers by id",
        tags=["keys"],
        responses=replies({200: ("A page of callers.", models.CallerPage)}, 400),
    )
    def list_keys(limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, managing.list_callers(backend.access, limit, next))

    @router.get(
        "/keys/<path>",
        summary="Read a registered caller",
        tags=["keys"],
        responses=replies({200: ("The caller.", models.Caller)}, 400, 404),
    )
    def get_key(path: CallerId) -> Response[str]:
        return answer(200, managing.get_caller(backend.access, _id(path)))

    @router.put(
        "/keys/<path>",
        summary="Register a caller with its roles",
        tags=["keys"],
        openapi_extensions=_BODY,
        responses=replies(
            {201: ("A new one.", models.Caller), 200: ("It stands in the place of another.", models.Caller)},
            *(400, 409, 413, 503),
        ),
    )
    def put_key(path: CallerId) -> Response[str]:
        id, body = _id(path), json_body(router.current_event, models.PutCaller)
        made, new = managing.put_caller(backend.access, id, body.name, known(body.roles), admitted(router).actor)
        return answer(201 if new else 200, managing.show(made))

    @router.delete(
        "/keys/<path>",
        summary="Take a caller out; it has the roles of one that is not registered",
        tags=["keys"],
        responses=replies({200: ("It is not registered any more.", models.RemovedCaller)}, 400, 404, 409, 503),
    )
    def remove_key(path: CallerId) -> Response[str]:
        managing.remove_caller(backend.access, _id(path), admitted(router).actor)
        return answer(200, {"id": _id(path), "removed": True})


def _id(path: str) -> str:
    """The id that the rest of a path is, whether or not the gateway has left its encoding on. Raises Malformed."""
    id = unquote(path, errors="replace")
    if not re.fullmatch(models.CALLER_ID, id) or any(part in ("", ".", "..") for part in id.split("/")):
        raise Malformed("request.invalid", "The path is no id of a key or a caller.")
    return id
