"""Read a run's progress and its timeline, a level at a time. Nothing here changes anything."""

from __future__ import annotations

from collections import Counter
from typing import Any

from loopstep.runs.outlines import Outlines
from loopstep.runs.records import Activation, Head
from loopstep.runs.views import ActivationView, seen_at
from loopstep.services import paging
from loopstep.services.run_levels import Row, Structure, level, place_of, text_of
from loopstep.services.running import Running
from loopstep.services.showing import Item, secrets_of_version, show_activation, structure_of_version

_NOT_IN_ROWS = ("input", "output", "wrote", "omitted", "seen", "enclosing")


def get_progress(running: Running, run: str) -> Item:
    """How far a run is: `{runId, status, epoch, activations, complete, revision, nodes, edges}`.

    `nodes` counts activations by node and status, `edges` how often each was taken. Raises Unknown `run.unknown`.
    """
    head = running.head(run)
    records, complete = _records(running, head)
    nodes: dict[str, Counter[str]] = {}
    edges: Counter[str] = Counter()
    splits = {record.id for record in records if record.edge is None}  # a fan_out leaves by many edges at once
    for record in records:
        nodes.setdefault(record.node, Counter())[record.status] += 1
        if record.edge:
            edges[record.edge] += 1
        if record.arrived_by and record.source in splits:
            edges[record.arrived_by] += 1
    return {
        "runId": run,
        "status": head.status,
        "epoch": head.epoch,
        "activations": len(records),
        "complete": complete,
        "revision": max((record.rev for record in records if record.rev is not None), default=0),
        "nodes": {node: dict(counts) for node, counts in sorted(nodes.items())},
        "edges": dict(sorted(edges.items())),
    }


def list_timeline(
    running: Running, run: str, within: str, status: str | None, limit: int, cursor: str | None
) -> dict[str, Any]:
    """`{items, next}`: the rows directly within a place of the run (`run_levels`), or those of one status.

    Raises Unknown `run.unknown`, Malformed `request.cursor`.
    """
    listing = ["timeline", run, within, status]
    after = paging.take(listing, cursor, str, 1500) or ""
    head = running.head(run)
    plan = structure_of_version(running, head.plan, head.version)
    records, _ = _records(running, head)
    rows = [row for row in level(Structure(plan), records, place_of(within)) if status in (None, row.status)]
    later = [row for row in rows if row.order > after]
    page, more = later[:limit], len(later) > limit
    secrets = secrets_of_version(running, head.plan, head.version)
    wanted = [row.head.id for row in page if row.head is not None]
    views = {view.record.id: view for view in running.reader.activations(run, wanted, bare=True)}
    shown = {identity: _brief(running, head, view, secrets, plan) for identity, view in views.items()}
    items = [_row(row, shown) for row in page]
    return {"items": items, "next": paging.give(listing, page[-1].order if more else None)}


def _records(running: Running, head: Head) -> Outlines:
    """A run's activations as they stand now."""
    now = running.now()
    records, complete = running.reader.outlines_of(head)
    return Outlines([seen_at(ActivationView(each), head, now).record for each in records], complete)


def _brief(
    running: Running, head: Head, view: ActivationView, secrets: dict[str, Any], plan: dict[str, Any]
) -> dict[str, Any]:
    """An activation without its values."""
    bare = ActivationView(view.record._replace(input=None, output=None, wrote={}))
    item = show_activation(running, head, bare, secrets, plan)
    return {name: value for name, value in item.items() if name not in _NOT_IN_ROWS}


def _row(row: Row, shown: dict[str, Item]) -> Item:
    head: Activation | None = row.head
    return {
        "row": "groups" if row.folded else "group" if row.place else "activation",
        "kind": row.kind,
        "within": text_of(row.place) or None,
        "nodeId": row.place[-1].node if row.place else head.node if head else None,
        "part": row.place[-1].part if row.place else None,
        "index": row.place[-1].number if row.place and not row.folded else None,
        "status": row.status,
        "startedAt": row.started,
        "endedAt": row.ended or None,
        "counts": dict(row.counts),
        "activation": shown.get(head.id) if head is not None else None,
    }
