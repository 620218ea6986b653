"""What the authorizer tells API Gateway of a token's caller."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from loopstep.gateways.tokens import BadToken
from loopstep.services.authorize_token import TokenRules, authorize_token

ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc123/v1/POST/runs/r/cancel"


def told(claims: dict[str, Any], header: Any = "Bearer t", **rules: str) -> dict[str, Any]:
    seen: list[str] = []

    def read(token: str) -> dict[str, Any]:
        seen.append(token)
        return claims

    tokens: Any = SimpleNamespace(claims=read)
    both = TokenRules(**{"caller_claim": "sub", "roles_claim": "roles", **rules})
    policy = authorize_token(tokens, both, {"authorizationToken": header, "methodArn": ARN})
    assert seen == ["t"]
    return policy


def test_the_policy_is_for_the_whole_stage() -> None:
    policy = told({"sub": "ada", "name": "Ada", "roles": ["operator", "viewer", "king", 7]})
    assert policy["principalId"] == "ada"
    assert policy["context"] == {"name": "Ada", "roles": "viewer operator"}
    assert policy["policyDocument"]["Statement"] == [
        {
            "Effect": "Allow",
            "Action": "execute-api:Invoke",
            "Resource": "arn:aws:execute-api:eu-west-1:123456789012:abc123/v1/*",
        }
    ]


@pytest.mark.parametrize(
    ("value", "roles"),
    [("author approver", "approver author"), ("", ""), (None, ""), ({"viewer": 1}, ""), (["admin"], "admin"), (7, "")],
)
def test_roles_are_a_list_or_a_text(value: Any, roles: str) -> None:
    assert told({"sub": "ada", "cognito:groups": value}, roles_claim="cognito:groups")["context"]["roles"] == roles


def test_another_claim_may_say_who_calls() -> None:
    assert told({"sub": "1", "email": "ada@example.com"}, caller_claim="email")["principalId"] == "ada@example.com"
    for bad in (None, "", 7, "a\nb"):
        with pytest.raises(BadToken):
            told({"sub": "1", "email": bad}, caller_claim="email")


@pytest.mark.parametrize("header", [None, "", "t", "Basic t", "Bearer", "Bearer "])
def test_without_a_bearer_token(header: Any) -> None:
    with pytest.raises(BadToken):
        told({"sub": "ada"}, header)
