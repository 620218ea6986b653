"""What is stored of a schedule. Times are ISO 8601 UTC texts with milliseconds."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple


class Wanted(NamedTuple):
    """What somebody asks for. `input` is JSON text; without `version` the newest at each firing runs."""

    expression: str
    time_zone: str
    input: str
    version: int | None
    enabled: bool
    delete_after_completion: bool
    ends_at: str | None


class Schedule(NamedTuple):
    """`generation` is another with every change: a clock of an older one has nothing to say. A rate counts from
    `anchored_at`.
    """

    plan: str
    id: str
    wanted: Wanted
    generation: str
    anchored_at: str
    created_at: str
    updated_at: str

    @property
    def clock(self) -> str:
        """The name under which the scheduler knows this generation, at most 64 characters; never used twice."""
        told = sha256(f"{self.plan}\0{self.id}\0{self.generation}".encode()).hexdigest()
        return f"{self.plan[:24]}-{self.id[:20]}-{told[:16]}"
