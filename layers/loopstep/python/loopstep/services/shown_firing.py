"""A firing as the API and the command show it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from loopstep.schedules.firings import Firing


def shown_firing(firing: Firing, zone: ZoneInfo) -> dict[str, Any]:
    """`at` (UTC) is null for a local time that the clocks skip; `shift` is `gap`, `overlap` or null."""
    local = firing.at.astimezone(zone).isoformat(timespec="seconds") if firing.at else firing.wall.isoformat()
    return {"at": utc_text(firing.at), "local": local, "shift": firing.shift or None}


def utc_text(at: datetime | None) -> str | None:
    """To the second, as the API writes it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None
