"""Time that passes only when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # a Monday morning
TICK = 0.001  # seconds that pass with each invocation, so that what happens one after the other has its order


class Clock:
    """Calling it gives the time; `seconds` counts from the beginning."""

    def __init__(self, begin: datetime = BEGIN) -> None:
        self._begin = begin
        self.seconds = 0.0

    def restart(self, begin: datetime) -> None:
        """It is that moment now, and `seconds` count from there."""
        self._begin, self.seconds = begin, 0.0

    def __call__(self) -> datetime:
        return self._begin + timedelta(seconds=self.seconds)

    def at(self, moment: datetime) -> float:
        """When that moment is, in `seconds`."""
        return (moment - self._begin).total_seconds()

    def tick(self) -> None:
        """A moment passes."""
        self.seconds += TICK

    def sleep(self, seconds: float) -> None:
        """That much time passes."""
        self.seconds += max(0.0, seconds)

    def reach(self, seconds: float) -> None:
        """It is that late now, unless it is later."""
        self.seconds = max(self.seconds, seconds)
