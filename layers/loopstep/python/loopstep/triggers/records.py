"""What is stored of a trigger. Times are ISO 8601 UTC texts with milliseconds."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

MAX_DEPTH = 8  # runs that start one another through events


class Wanted(NamedTuple):
    """What somebody asks for, as JSON texts: the `pattern`, the `mapping` as it was written and its compiled `trees`.

    Without `version` the newest runs.
    """

    pattern: str
    mapping: str
    trees: str
    version: int | None
    enabled: bool


class Trigger(NamedTuple):
    """`generation` is another with every change."""

    plan: str
    id: str
    wanted: Wanted
    generation: str
    created_at: str
    updated_at: str


def rule_name(plan: str, id: str) -> str:
    """The name of a trigger's rule, at most 64 characters."""
    told = sha256(f"{plan}\0{id}".encode()).hexdigest()
    return f"{plan[:24]}-{id[:20]}-{told[:16]}"
