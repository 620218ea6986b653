"""The shapes of the routes of schedules."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from loopstep.schedules.records import Wanted


class PutSchedule(BaseModel):
    """What starts when. Without `version` the version runs that is the newest at each firing."""

    model_config = ConfigDict(extra="forbid")

    expression: Annotated[StrictStr, Field(max_length=256, description="`cron(…)`, `rate(…)` or `at(…)`.")]
    timeZone: Annotated[StrictStr, Field(max_length=50, description="An IANA name; a rate does not look at it.")] = (
        "UTC"
    )
    input: dict[str, Any] = Field(default={}, description="The plan's input.")
    version: Annotated[StrictInt, Field(ge=1, le=999_999)] | None = None
    enabled: StrictBool = True
    deleteAfterCompletion: StrictBool = Field(default=False, description="Take it out after its last firing.")
    endsAt: Annotated[AwareDatetime, Field(description="It does not fire later than this.")] | None = None

    def wanted(self) -> Wanted:
        """As services take it; the input goes beside it."""
        end = self.endsAt.astimezone(UTC).isoformat(timespec="seconds") if self.endsAt else None
        return Wanted(
            expression=self.expression.strip(),
            time_zone=self.timeZone,
            input="",
            version=self.version,
            enabled=self.enabled,
            delete_after_completion=self.deleteAfterCompletion,
            ends_at=end.replace("+00:00", "Z") if end else None,
        )


class Schedule(BaseModel):
    """`nextAt` is null where it is disabled or over."""

    id: str
    plan: str
    expression: str
    timeZone: str
    input: dict[str, Any]
    version: int | None
    enabled: bool
    deleteAfterCompletion: bool
    endsAt: str | None
    nextAt: str | None
    createdAt: str
    updatedAt: str


class SchedulePage(BaseModel):
    items: list[Schedule]
    next: str | None


class RemovedSchedule(BaseModel):
    id: str
    removed: bool


class Firing(BaseModel):
    """`at` is UTC, null for a local time that the clocks skip (`gap`); of one that comes twice it is the first."""

    at: str | None
    local: str
    shift: Literal["gap", "overlap"] | None


class Firings(BaseModel):
    timeZone: str
    items: list[Firing]
