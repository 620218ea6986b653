"""What happens before a route acts: who calls and whether it may, and whether this was asked for before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import ResponseBuilder, Route
from aws_lambda_powertools.event_handler.router import APIGatewayRouter
from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent

from loopstep.access.actor import Actor
from loopstep.access.roles import suffices
from loopstep.api.access import COMPUTING, Needed, needed
from loopstep.api.answers import text_answer
from loopstep.api.backend import Backend
from loopstep.api.callers import caller_of
from loopstep.api.models import IDEMPOTENCY_KEY
from loopstep.gateways.passing import code_of
from loopstep.runs.replies import Reply
from loopstep.services.refusals import Forbidden, Malformed
from loopstep.services.repeat_request import digest_of, key_of, once

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
OF_ITS_OWN = "POST /plans/<name>/runs"  # the key gives the run's id, so a repetition finds the run itself

_KEY = re.compile(IDEMPOTENCY_KEY)


class Admitted(NamedTuple):
    """Who calls and what it may do; `proven` is whom the gateway vouches for, None with API keys."""

    actor: Actor
    roles: tuple[str, ...]
    proven: str | None = None


def admitted(router: APIGatewayRouter) -> Admitted:
    """Who sent the request that a route answers."""
    found: Admitted = router.context["caller"]
    return found


class Guard:
    """Stands before every route. `last` is who was admitted with the latest request, for its log line."""

    def __init__(self, backend: Backend, logger: Logger) -> None:
        self._backend, self._logger = backend, logger
        self.last: Admitted | None = None

    def admit(self, event: BaseProxyEvent, method: str, rule: str) -> Admitted | None:
        """Who calls; None where nobody is asked for. Nothing that the request names is read.

        Raises Forbidden `access.denied`, with the roles of which one is needed.
        """
        self.last = None
        roles = needed(method, rule)
        if roles is None:
            return None
        access = self._backend.access
        caller = caller_of(event.raw_event, access.mode)
        if caller is None:
            raise _denied(roles)
        self.last = Admitted(*access.known(caller.actor, caller.roles), caller.proven)
        if not suffices(self.last.roles, roles):
            raise _denied(roles)
        return self.last

    def repeat(
        self, event: BaseProxyEvent, route: Route, caller: Admitted | None, act: Callable[[], ResponseBuilder[Any]]
    ) -> ResponseBuilder[Any] | Response[str]:
        """The route's answer, or an earlier one to the same request under its Idempotency-Key.

        Raises Malformed `request.invalid` for a key of another form, Conflicting as `once` does.
        """
        key = event.headers.get(HEADER)
        if route.method != "POST" or key is None or caller is None:
            return act()
        if not _KEY.fullmatch(key):
            detail = f"An {HEADER} has 1 to 255 printable ASCII characters, the first and the last no space."
            raise Malformed("request.invalid", detail)
        address = f"{route.method} {route.path}"
        if address in (*COMPUTING, OF_ITS_OWN):
            return act()
        done: list[ResponseBuilder[Any]] = []

        def acting() -> Reply:
            done.append(act())
            response = done[0].response
            return Reply(response.status_code, str(response.content_type), str(response.body or ""))

        id = key_of(caller.actor, f"{route.method} {event.path}", key)
        reply, again = once(self._backend.repeating, id, _content(event), acting, self._lost)
        if not again:
            return done[0]
        return text_answer(reply.status, reply.body, reply.media_type, **{REPLAYED: "true"})

    def _lost(self, error: Exception) -> None:
        self._logger.warning("an answer could not be kept", error=type(error).__name__, code=code_of(error))


def _content(event: BaseProxyEvent) -> str:
    """What makes two requests the same: query, media type and body, byte by byte."""
    query = event.get("multiValueQueryStringParameters") or event.get("queryStringParameters") or {}
    asked = sorted((name, str(value)) for name, value in query.items())
    return digest_of(str(asked), event.headers.get("content-type") or "", str(event.get("body") or ""))


def _denied(roles: Needed) -> Forbidden:
    which = f"the role {' or '.join(roles)}" if roles else "a caller that the gateway knows"
    return Forbidden("access.denied", f"This needs {which}.", needs=list(roles))
