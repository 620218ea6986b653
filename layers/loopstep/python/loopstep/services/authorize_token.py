"""Authorize a request by its token: who that is, which roles it claims, as API Gateway wants to hear it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopstep.access.roles import known
from loopstep.gateways.tokens import BadToken, Tokens

_NAMES = ("name", "preferred_username", "email")  # of claims that people know somebody by


@dataclass(frozen=True, slots=True)
class TokenRules:
    """Which claim says who calls, and which has the roles: a list, or a text with spaces between them."""

    caller_claim: str
    roles_claim: str


def authorize_token(tokens: Tokens, rules: TokenRules, event: Mapping[str, Any]) -> dict[str, Any]:
    """A policy that lets the caller invoke the stage: which route needs which role, the API knows.

    Raises BadToken, KeysUnavailable.
    """
    claims = tokens.claims(_bearer(event.get("authorizationToken")))
    caller = claims.get(rules.caller_claim)
    if not isinstance(caller, str) or not caller or not caller.isprintable():
        raise BadToken("it does not say who calls")
    name = next((claims[each] for each in _NAMES if isinstance(claims.get(each), str)), "")
    return {
        "principalId": caller,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": _stage(event["methodArn"])}],
        },
        "context": {"name": str(name)[:256], "roles": " ".join(known(_texts(claims.get(rules.roles_claim))))},
    }


def _bearer(header: Any) -> str:
    scheme, _, token = str(header or "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise BadToken("there is no bearer token")
    return token.strip()


def _stage(method_arn: str) -> str:
    """Every method of the stage: API Gateway keeps the answer for the token, whatever is asked for next."""
    return "/".join(method_arn.split("/")[:2]) + "/*"


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
