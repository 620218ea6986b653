"""Waiting for a deployed run, for as long as a busy machine may need: no verdict hangs on how fast it is."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from loopstep.cli.remote import Refused, Remote

PATIENCE = 300.0  # seconds, after which a run that still goes on is a fault
PAUSE = 0.2
BUSY = (429, 503)


def ended(api: Remote, run: str) -> dict[str, Any]:
    """The run, once it is over. A service that is too busy to say is asked again."""
    end = time.monotonic() + PATIENCE
    found: dict[str, Any] = {"status": "running"}
    while found["status"] in ("created", "running") and time.monotonic() < end:
        try:
            found = api.call("GET", f"/runs/{run}?wait=10")
        except Refused as refused:
            if refused.status not in BUSY:
                raise
            time.sleep(PAUSE)
    assert found["status"] not in ("created", "running"), f"run {run} still runs: {found}"
    return found


def awaited(api: Remote, run: str, kind: str = "approvals", known: Collection[str] = ()) -> dict[str, Any]:
    """The run's open wait, as soon as there is one besides those already `known`."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for each in api.items(f"/{kind}", status="pending", runId=run):
            if each["id"] not in known:
                found: dict[str, Any] = each
                return found
        time.sleep(PAUSE)
    raise AssertionError(f"nothing is awaited: {api.call('GET', f'/runs/{run}')}")
