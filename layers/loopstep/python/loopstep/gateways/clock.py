"""The system's clock, for the handlers to hand in."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The time as ISO 8601 UTC with milliseconds and `Z`, the form of every record."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
