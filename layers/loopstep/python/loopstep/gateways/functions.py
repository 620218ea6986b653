"""Functions of our own that another one calls and waits for."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import ConnectionError, HTTPClientError

from loopstep.gateways.answer_time import TimeIsUp


class FunctionFailed(Exception):
    """The function ended without an answer (an exception, its timeout); the message is name and error type."""


class Functions:
    """Synchronous calls by a boto3 Lambda client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def call(self, function: str, payload: dict[str, Any]) -> Any:
        """The function's reply as JSON data. Raises FunctionFailed."""
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8")
        try:
            answer = self._client.invoke(FunctionName=function, InvocationType="RequestResponse", Payload=body)
        except (ConnectionError, HTTPClientError, TimeIsUp) as unanswered:
            raise FunctionFailed(f"{function}: {type(unanswered).__name__}") from None
        reply = json.loads(answer["Payload"].read() or b"null")
        if answer.get("FunctionError"):
            kind = reply.get("errorType", "unknown") if isinstance(reply, dict) else "unknown"
            raise FunctionFailed(f"{function}: {kind}")
        return reply
