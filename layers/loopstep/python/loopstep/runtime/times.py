"""Times as records hold them: ISO 8601 UTC with milliseconds and `Z`. The clock is handed in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]  # aware, UTC


def system_clock() -> datetime:
    """The time now."""
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """The text of a moment, cut to milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(text: str) -> datetime:
    """The moment of a text that `timestamp` made."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def milliseconds(text: str) -> int:
    """Milliseconds since 1970 of a text that `timestamp` made."""
    return round(moment(text).timestamp() * 1000)
