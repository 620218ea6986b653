"""How long an activation may still act: until its invocation ends, or the node's own `timeout` (LANGUAGE §7)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from loopstep.runtime.times import Clock, system_clock

COMMIT_SECONDS = 5.0  # of an invocation, kept for its last write
_SHARE = 0.1  # of a node's timeout, kept for the same, at most _MOST seconds
_MOST = 1.0
_ENDLESS = 10**9


class Deadline(NamedTuple):
    """`invocation` is when the function has to begin its last write, `node` when the attempt's time is over."""

    clock: Clock
    invocation: datetime | None = None
    node: datetime | None = None

    def seconds(self) -> float:
        """Seconds left to act, 0 when there are none."""
        ends = [each for each in (self.invocation, self.node) if each is not None]
        if not ends:
            return float(_ENDLESS)
        return max(0.0, (min(ends) - self.clock()).total_seconds())

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self.seconds() <= 0

    @property
    def of_node(self) -> bool:
        """Whether it is the node's own `timeout` that ends first."""
        return self.node is not None and (self.invocation is None or self.node <= self.invocation)


UNBOUNDED = Deadline(system_clock)


def invocation_end(now: datetime, left: float) -> datetime:
    """When an invocation that has `left` seconds has to begin its last write."""
    return now + timedelta(seconds=max(0.0, left - min(COMMIT_SECONDS, left / 4)))


def attempt_end(began: datetime, timeout: int) -> datetime | None:
    """When the time of an attempt is over, `timeout` in seconds (0: never)."""
    if not timeout:
        return None
    return began + timedelta(seconds=timeout - min(_MOST, timeout * _SHARE))
