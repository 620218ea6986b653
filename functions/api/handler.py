"""The REST API. It does not import the compiler: checking and publishing are the compiler function's."""

from __future__ import annotations

import os
import time
from typing import Any

from aws_lambda_powertools import Logger

from loopstep.api.app import create_app
from loopstep.api.backend import Backend
from loopstep.gateways.functions import Functions
from loopstep.gateways.service_clients import LazyClient, client
from loopstep.services.compose import compose_running

logger = Logger(service="loopstep")
client("dynamodb")  # made while Lambda gives a start its full processor; the others when needed


def _backend() -> Backend:
    running = compose_running(os.environ, LazyClient)
    functions = Functions(LazyClient("lambda"))
    compiler = os.environ["COMPILE_FUNCTION"]
    return Backend(running.plans, running, lambda payload: functions.call(compiler, payload))


_APP = create_app(_backend(), logger, os.environ.get("CORS_ORIGIN") or None)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request of API Gateway. The log line says what was asked and how it ended; no query, no data."""
    began = time.monotonic()
    reply = _APP.resolve(event, context)
    logger.info(
        "answered",
        method=event.get("httpMethod"),
        path=str(event.get("path"))[:200],
        status=reply["statusCode"],
        request=(event.get("requestContext") or {}).get("requestId"),
        milliseconds=round((time.monotonic() - began) * 1000),
    )
    return reply
