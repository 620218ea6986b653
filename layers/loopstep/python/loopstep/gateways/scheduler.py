"""EventBridge Scheduler: clocks that call the function that starts runs.

A clock is made once and never changed; its name is never used again (the local engine does not fire a name twice that
stood for one time).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, Protocol

from botocore.exceptions import ClientError

SLOT = "<aws.scheduler.scheduled-time>"  # AWS writes the time in its place, the local engine leaves it as it is


class ClockRefused(Exception):
    """The scheduler does not take the clock as it is; no message, which could hold data."""


class Clock(NamedTuple):
    """`payload` is what the function gets, JSON text. Times are aware."""

    name: str
    expression: str
    time_zone: str
    payload: str
    start: datetime | None = None
    end: datetime | None = None
    delete_after_completion: bool = False


class Clocks(Protocol):
    """What services ask of the scheduler."""

    def make(self, clock: Clock) -> None: ...

    def remove(self, name: str) -> None: ...


class Scheduler:
    """The clocks of one schedule group. `role`, `function` and `dead_letters` are ARNs."""

    def __init__(self, client: Any, group: str, role: str, function: str, dead_letters: str) -> None:
        self._client = client
        self._group, self._role, self._function, self._dead_letters = group, role, function, dead_letters

    def make(self, clock: Clock) -> None:
        """Make the clock, or find it made. Raises ClockRefused."""
        target = {
            "Arn": self._function,
            "RoleArn": self._role,
            "Input": clock.payload,
            "DeadLetterConfig": {"Arn": self._dead_letters},
            "RetryPolicy": {"MaximumRetryAttempts": 20, "MaximumEventAgeInSeconds": 3600},
        }
        span = {name: value for name, value in (("StartDate", clock.start), ("EndDate", clock.end)) if value}
        try:
            self._client.create_schedule(
                Name=clock.name,
                GroupName=self._group,
                ScheduleExpression=clock.expression,
                ScheduleExpressionTimezone=clock.time_zone,
                FlexibleTimeWindow={"Mode": "OFF"},
                ActionAfterCompletion="DELETE" if clock.delete_after_completion else "NONE",
                Target=target,
                **span,
            )
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "ValidationException":
                raise ClockRefused from None
            if code != "ConflictException":
                raise

    def remove(self, name: str) -> None:
        """Remove the clock, or find it gone."""
        try:
            self._client.delete_schedule(Name=name, GroupName=self._group)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
