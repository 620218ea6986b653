"""Answers: JSON, and problems as RFC 9457 has them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from loopstep.services.refusals import HTTP_STATUS, Refused, Unavailable
from loopstep.services.repeat_request import IN_PROGRESS
from loopstep.types.text import json_text

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

MOST_ERRORS = 1000

# A picture is opened by itself at most: nothing in it may run or be fetched.
PICTURE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


def answer(status: int, data: Any, **headers: str) -> Response[str]:
    """An answer whose body is the data as JSON."""
    return text_answer(status, json_text(data), **headers)


def text_answer(status: int, text: str, content_type: str = "application/json", **headers: str) -> Response[str]:
    """An answer whose body is JSON text already."""
    return Response(status, content_type, text, {**_HEADERS, **headers})


def refusal(refused: Refused) -> Response[str]:
    """The answer to a request that a service refused."""
    passes = isinstance(refused, Unavailable) or refused.code == IN_PROGRESS
    headers = {"Retry-After": "1"} if passes else {}
    return problem(HTTP_STATUS[type(refused)], refused.code, refused.detail, refused.facts, **headers)


def _cut(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts with the first errors; `omittedErrors` says how many more there are. An answer may have 6 MB."""
    errors = facts.get("errors")
    if not isinstance(errors, list) or len(errors) <= MOST_ERRORS:
        return facts
    return {**facts, "errors": errors[:MOST_ERRORS], "omittedErrors": len(errors) - MOST_ERRORS}


def problem(status: int, code: str, detail: str, facts: dict[str, Any] | None = None, **headers: str) -> Response[str]:
    """`application/problem+json` with a stable code. `facts` are further members; the standard ones always stand."""
    body = {
        "type": f"urn:loopstep:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
    }
    return text_answer(status, json_text({**_cut(facts or {}), **body}), "application/problem+json", **headers)
