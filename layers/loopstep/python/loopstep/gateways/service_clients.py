"""AWS clients of the functions that people wait for: standard retries, no call that hangs or begins too late."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config

from loopstep.gateways.answer_time import keep_time, seconds_left

READ_SECONDS = 6
_CALL_SECONDS = (25, 16, 8, 4)  # for a function that is called: the most for which there is time
_DEFAULTS: dict[str, Any] = {
    "connect_timeout": 2,
    "retries": {"mode": "standard", "max_attempts": 4},
    "tcp_keepalive": True,
}


@cache
def client(service: str, read_timeout: int = READ_SECONDS) -> Any:
    """A client of that service; region, credentials and endpoint come from the environment.

    It raises TimeIsUp where `answer_within` leaves no time for another call.
    """
    config = Config(**(_DEFAULTS | {"read_timeout": read_timeout} | _options(service)))
    return keep_time(botocore.session.get_session().create_client(service, config=config), service, read_timeout)


class LazyClient:
    """A client that is made when something is first asked of it: most requests need one of several."""

    __slots__ = ("_service",)

    def __init__(self, service: str) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Any:
        made = client(self._service) if self._service != "lambda" else client("lambda", _for_a_function())
        return getattr(made, name)


def _for_a_function() -> int:
    """Who calls a function waits for its answer, as long as there is time."""
    left = seconds_left()
    return next((each for each in _CALL_SECONDS if each <= left), _CALL_SECONDS[-1])


def _options(service: str) -> dict[str, Any]:
    if service == "lambda":
        # A second try where the first was refused at once: for another one there is no time left.
        return {"retries": {"mode": "standard", "max_attempts": 1}}
    if service == "s3":
        # Links to encrypted objects need version 4; a local endpoint has no host name a bucket.
        style = {"s3": {"addressing_style": "path"}} if "AWS_ENDPOINT_URL" in os.environ else {}
        return {"signature_version": "s3v4", **style}
    return {}
