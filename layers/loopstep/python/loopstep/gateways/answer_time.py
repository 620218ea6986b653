"""The time in which somebody who waits has to be answered: no call begins that could outlast it.

A function that is ended in the middle of a call answers nothing, and API Gateway then says 502, which tells the caller
neither what happened nor whether to try again. One that stops in time says so.
"""

from __future__ import annotations

import math
import time
from typing import Any

from botocore.exceptions import BotoCoreError

_last = math.inf  # monotonic; of the one request that a function instance has at a time


class TimeIsUp(BotoCoreError):
    """No time is left to ask this service."""

    fmt = "no time is left to ask {service}"


def answer_within(seconds: float) -> None:
    """The request that begins now is to be answered in that time."""
    global _last
    _last = time.monotonic() + seconds


def seconds_left() -> float:
    """Of the present request; infinite where nobody said how much it has."""
    return _last - time.monotonic()


def keep_time(client: Any, service: str, longest: float) -> Any:
    """The client, from now on refusing calls and repeated ones, of `longest` seconds each, for which no time is left.

    It then raises TimeIsUp, which botocore does not take for a reason to try again.
    """

    def refuse(**_: Any) -> None:
        if seconds_left() < longest:
            raise TimeIsUp(service=service)

    client.meta.events.register("before-send", refuse)
    return client
