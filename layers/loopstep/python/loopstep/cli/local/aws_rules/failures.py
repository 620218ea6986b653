"""Which retrier and which catcher an error finds, and how long a retry waits. Pure.

AWS, "Handling errors in Step Functions workflows": States.ALL is a wildcard, but it catches neither
States.DataLimitExceeded nor States.Runtime; a retry or catch never gets States.Runtime; States.TaskFailed matches all
that States.ALL does but States.Timeout; States.HeartbeatTimeout exists inside Catch and Retry only, the error that is
reported is States.Timeout.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

HEARTBEAT_CAUSE = "States.HeartbeatTimeout: no heartbeat within HeartbeatSeconds"


def matches(names: Iterable[str], error: str, cause: str | None = None) -> bool:
    """Whether an ErrorEquals list matches the error."""
    listed = set(names)
    if error == "States.Runtime":
        return False
    if error in listed or (cause == HEARTBEAT_CAUSE and "States.HeartbeatTimeout" in listed):
        return True
    if error == "States.DataLimitExceeded":
        return False
    return "States.ALL" in listed or ("States.TaskFailed" in listed and error != "States.Timeout")


def delay(retrier: Mapping[str, Any], retried: int, rng: random.Random | None = None) -> float:
    """Seconds before the next attempt, after `retried` retries by this retrier: BackoffRate (2.0), capped by
    MaxDelaySeconds; JitterStrategy FULL takes a random part of it."""
    seconds = float(retrier.get("IntervalSeconds", 1)) * float(retrier.get("BackoffRate", 2.0)) ** retried
    seconds = min(seconds, float(retrier.get("MaxDelaySeconds", seconds)))
    if retrier.get("JitterStrategy") == "FULL":
        return (rng or random.Random()).uniform(0, seconds)
    return seconds
