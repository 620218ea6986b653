"""AWS clients of the functions that people wait for: standard retries, no call that hangs."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config

_DEFAULTS: dict[str, Any] = {
    "connect_timeout": 3,
    "read_timeout": 10,
    "retries": {"mode": "standard", "max_attempts": 4},
    "tcp_keepalive": True,
}


@cache
def client(service: str) -> Any:
    """A client of that service; region, credentials and endpoint come from the environment."""
    return botocore.session.get_session().create_client(service, config=Config(**(_DEFAULTS | _options(service))))


class LazyClient:
    """A client that is made when something is first asked of it: most requests need one of several."""

    __slots__ = ("_service",)

    def __init__(self, service: str) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Any:
        return getattr(client(self._service), name)


def _options(service: str) -> dict[str, Any]:
    if service == "lambda":
        # Who calls a function waits for its answer, and API Gateway for theirs 29 seconds: no time for a second call.
        return {"read_timeout": 25, "retries": {"mode": "standard", "max_attempts": 1}}
    if service == "s3":
        # Links to encrypted objects need version 4; a local endpoint has no host name a bucket.
        style = {"s3": {"addressing_style": "path"}} if "AWS_ENDPOINT_URL" in os.environ else {}
        return {"signature_version": "s3v4", **style}
    return {}
