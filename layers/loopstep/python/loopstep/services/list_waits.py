"""Read approvals and callbacks. Nothing here changes anything: mail scanners follow links."""

from __future__ import annotations

from typing import Any

from loopstep.services.answering import find_wait, show
from loopstep.services.running import Running
from loopstep.services.showing import Item, list_page
from loopstep.services.showing_waits import show_wait


def list_waits(
    running: Running, kind: str, status: str | None, run: str | None, limit: int, cursor: str | None
) -> dict[str, Any]:
    """`{items, next}` of one kind; of a status, of a run, or all, the newest first."""
    return list_page(
        lambda size, token: running.waits.list_waits(kind, status, run, size, token),
        lambda pair: show_wait(running, *pair),
        limit,
        cursor,
    )


def get_wait(running: Running, kind: str, identity: str) -> Item:
    """One approval or callback. Raises Unknown `<kind>.unknown`."""
    return show(running, find_wait(running, kind, identity))
