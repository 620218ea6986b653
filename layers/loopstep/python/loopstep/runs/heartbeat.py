"""When the sweeper was here last: one item of the runs table that belongs to no run."""

from __future__ import annotations

from loopstep.runs.items import text
from loopstep.runs.parts import key
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import put

_PLACE = ("loopstep.stack", "sweep")  # no run's id has a point


def beat(store: RunStore, at: str) -> None:
    """Say that the sweeper was here at this time. Two at once: either stands."""
    store.transact([put("heartbeat", store.table, {**key(*_PLACE), "swept_at": text(at)}, {})])


def last_beat(store: RunStore) -> str | None:
    """When it was, None where it never was."""
    items = store.read_items([key(*_PLACE)])
    return items[0]["swept_at"]["S"] if items else None
