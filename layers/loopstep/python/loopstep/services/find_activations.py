"""Find activations of a run by node, place and status. Nothing here changes anything."""

from __future__ import annotations

from typing import Any

from loopstep.runs.keys import activation_id
from loopstep.runs.paging import Page
from loopstep.runs.records import Activation, Head
from loopstep.runs.views import ActivationView, seen_at
from loopstep.services import paging
from loopstep.services.running import Running
from loopstep.services.showing import list_page, secrets_of_version, show_activation, structure_of_version

_LONGEST = 400  # of a cursor's place: a time, a node's id and a path


def find_activations(
    running: Running, run: str, node: str | None, path: str | None, status: str | None, limit: int, cursor: str | None
) -> dict[str, Any]:
    """`{items, next}`: those of one node, of one path (with a node: that one alone), of one status, or all three; by
    start and id. Raises Unknown `run.unknown`, Malformed `request.cursor`.
    """
    listing = ["found", run, node, path, status]
    after = paging.take(listing, cursor, str, _LONGEST)
    head = running.head(run)
    now = running.now()
    wanted = [
        (f"{record.started_at}~{record.id}", record.id)
        for record in (seen_at(ActivationView(each), head, now).record for each in _outlines(running, head, node, path))
        if node in (None, record.node) and path in (None, record.path) and status in (None, record.status)
    ]
    later = [each for each in sorted(wanted) if after is None or each[0] > after]

    def fetch(size: int, _: str | None) -> Page[ActivationView]:
        page = later[:size]
        views = running.reader.activations(run, [identity for _, identity in page])
        return Page(tuple(views), paging.give(listing, page[-1][0] if len(later) > size else None))

    secrets = secrets_of_version(running, head.plan, head.version)
    plan = structure_of_version(running, head.plan, head.version)
    return list_page(fetch, lambda view: show_activation(running, head, view, secrets, plan), limit, None)


def _outlines(running: Running, head: Head, node: str | None, path: str | None) -> list[Activation]:
    if node is None:
        return running.reader.outlines_of(head).records
    if path is None:
        return running.reader.outlines(head.run, node).records
    return [view.record for view in running.reader.activations(head.run, [activation_id(node, path)], bare=True)]
