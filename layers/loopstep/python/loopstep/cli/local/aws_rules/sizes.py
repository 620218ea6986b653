"""Sizes as AWS counts them: bytes of compact JSON in UTF-8."""

from __future__ import annotations

import json
from typing import Any

from .emulated import Failure

PAYLOAD = 262_144  # bytes; Step Functions quotas: maximum input or output size for a task, state, or execution
DEFINITION = 1_048_576  # bytes; CreateStateMachine: maximum length of `definition`
HISTORY = 25_000  # events; Step Functions quotas: maximum execution history size
INVOKE_REQUEST = 6_291_456  # bytes; Lambda quotas: invocation payload, synchronous
INVOKE_ASYNC_REQUEST = 1_048_576  # bytes; Lambda quotas: invocation payload, asynchronous
INVOKE_REPLY = 6_291_556  # bytes; the text of Function.ResponseSizeTooLarge
EVENTS = 262_144  # bytes; PutEvents: the entries of one request together


def text_of(value: Any) -> str:
    """Compact JSON, not ASCII-escaped, as histories and outputs of AWS have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size_of(value: Any) -> int:
    """Bytes of a JSON value."""
    return bytes_of(text_of(value))


def bytes_of(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def hold(value: Any, name: str, what: str) -> Any:
    """`value`, unless it is too large for a state: States.DataLimitExceeded (error names page: after Parameters, the
    output of a connector, the output of a state)."""
    if size_of(value) > PAYLOAD:
        cause = f"The state/task '{name}' {what} with a size exceeding the maximum number of bytes service limit."
        raise Failure("States.DataLimitExceeded", cause)
    return value
