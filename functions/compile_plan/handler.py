"""The compiler function: `{action, name?, node?, kind?, id?, document, encoding?}` → `{status, body}`.

Actions are check and publish, of a plan, import and mappings, of a canvas, and register, of what plans refer to.

`document` is the text, or its base64 with `encoding: base64`. `body` is what the REST API answers under that status;
a refusal has `code` and `detail`. Nothing of a document is logged.
"""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger

from loopstep.gateways.service_clients import LazyClient, client
from loopstep.services.compose_compiler import compose_compiler

logger = Logger(service="loopstep")
client("dynamodb")  # made while Lambda gives a start its full processor; the others when needed

_FACE = compose_compiler(os.environ, LazyClient)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; an exception is a fault of ours and reaches the caller as the function's error."""
    reply = _FACE.answer(event)
    logger.info("compiled", plan=reply.plan, status=reply.status, code=reply.code)
    return {"status": reply.status, "body": reply.body}
