"""Who calls, as far as the gateway has proved it. What the request itself says of that is not read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from loopstep.access.actor import IAM, JWT, KEY, Actor
from loopstep.access.roles import known

FINGERPRINT = "sha256:"  # the id of a key where the gateway names none, as the local emulator

_SESSION = re.compile(r"(arn:[a-z-]+:sts::\d{12}:assumed-role/[^/]+)/(.+)")


class Caller(NamedTuple):
    """`claimed` are the roles of a token; None where roles are registered. `proven`: a person's or program's name that
    the gateway vouches for, which counts in the place of what a body says; None with API keys, which several may share.
    """

    actor: Actor
    roles: tuple[str, ...] | None
    proven: str | None = None


def caller_of(event: Mapping[str, Any], mode: str) -> Caller | None:
    """The caller of an event of API Gateway, None where it proves none. `mode` is the stack's: key, iam or jwt."""
    context = event.get("requestContext") or {}
    if mode == JWT:
        return _of_token(context.get("authorizer") or {})
    identity = context.get("identity") or {}
    return _of_arn(identity.get("userArn")) if mode == IAM else _of_key(identity, event.get("headers") or {})


def fingerprint(value: str) -> str:
    """What stands for the value of a key, and does not tell it."""
    return FINGERPRINT + hashlib.sha256(value.encode()).hexdigest()[:32]


def _of_token(authorizer: Mapping[str, Any]) -> Caller | None:
    id = authorizer.get("principalId")
    if not id:
        return None
    name = str(authorizer.get("name") or "") or None
    return Caller(Actor(JWT, str(id), name), known(str(authorizer.get("roles") or "").split()), str(id))


def _of_arn(arn: Any) -> Caller | None:
    """The session of an assumed role is its name: what is registered is the role."""
    if not arn:
        return None
    session = _SESSION.fullmatch(str(arn))
    return Caller(Actor(IAM, *session.groups()) if session else Actor(IAM, str(arn)), None, str(arn))


def _of_key(identity: Mapping[str, Any], headers: Mapping[str, Any]) -> Caller | None:
    if id := identity.get("apiKeyId"):
        return Caller(Actor(KEY, str(id)), None)
    value = next((value for name, value in headers.items() if name.lower() == "x-api-key"), None)
    return Caller(Actor(KEY, fingerprint(str(value))), None) if value else None
