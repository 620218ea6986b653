"""Asks the compiler function about the document in a request's body, and answers with what it says."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api.answers import answer, problem
from loopstep.api.backend import Backend
from loopstep.api.bodies import raw_body


def ask_compiler(
    router: APIGatewayRouter,
    backend: Backend,
    payload: dict[str, Any],
    finish: Callable[[dict[str, Any]], dict[str, Any]] = lambda body: body,
) -> Response[str]:
    """The compiler's status and body; a refusal as a problem. `payload` says what to do with the document.

    `finish` makes the answer's body of a body that is no refusal.
    """
    document = base64.b64encode(raw_body(router.current_event)).decode("ascii")
    reply = backend.compile_document({**payload, "document": document, "encoding": "base64"})
    if reply["status"] < 400:
        return answer(reply["status"], finish(reply["body"]))
    body = dict(reply["body"])
    return problem(reply["status"], body.pop("code"), body.pop("detail"), body)
