"""GET /health."""

from __future__ import annotations

from typing import Any

from loopstep import __version__
from loopstep.runs.heartbeat import beat


def test_health(api: Any) -> None:
    beat(api.running.runs, "2026-11-30T10:00:00.000Z")
    found = api("GET", "/health")
    assert found.status == 200
    assert found.body["sweptAt"] == "2026-11-30T10:00:00.000Z"
    assert (found.body["version"], found.body["stuckRuns"], found.body["overdue"]) == (__version__, [], 0)
