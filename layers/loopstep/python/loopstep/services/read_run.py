"""Read runs, their activations and messages. Nothing here changes anything."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from loopstep.runs.errors import RunNotFound
from loopstep.runs.paging import Page
from loopstep.runs.records import TERMINAL, Head
from loopstep.runs.timeline import ALWAYS, Span
from loopstep.runs.views import MessageView
from loopstep.services.refusals import Malformed, unknown_run
from loopstep.services.running import Running
from loopstep.services.showing import (
    Item,
    list_page,
    secrets_of_version,
    show_activation,
    show_message,
    show_run,
    structure_of_version,
)

LONGEST_WAIT = 20.0  # seconds; API Gateway ends a request after 29
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0


def get_run(running: Running, run: str, wait: float = 0) -> Item:
    """The run; with `wait` (seconds, at most 20) not before its end, as long as that comes in time.

    Raises Unknown `run.unknown`.
    """
    await_end(running, run, wait)
    try:
        return show_run(running, running.reader.get_run(run), listed=False)
    except RunNotFound:
        raise unknown_run(run) from None


def list_runs(
    running: Running,
    plan: str | None,
    status: str | None,
    limit: int,
    cursor: str | None,
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """`{items, next}`, the newest first; of a plan, of a status, of both, or all; started within two times (ISO 8601,
    UTC, both inside). Raises Malformed `request.invalid` for a day that no calendar has.
    """
    span = Span(_moment(since) or ALWAYS.first, _moment(until) or ALWAYS.last)
    return list_page(
        lambda size, token: running.reader.list_runs(plan, status, size, token, span),
        lambda view: show_run(running, view, listed=True),
        limit,
        cursor,
    )


def list_activations(running: Running, run: str, wait: float, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}` of one run, by start and id; `wait` as for `get_run`. Raises Unknown `run.unknown`."""
    head = await_end(running, run, wait)
    secrets = secrets_of_version(running, head.plan, head.version)
    structure = structure_of_version(running, head.plan, head.version)
    return list_page(
        lambda size, token: running.reader.list_activations(run, size, token),
        lambda view: show_activation(running, head, view, secrets, structure),
        limit,
        cursor,
    )


def list_messages(
    running: Running, scope: str | None, run: str | None, limit: int, cursor: str | None
) -> dict[str, Any]:
    """`{items, next}`: what was sent to a scope (the newest first), by a run (in order), or by a run to a scope.

    Raises Malformed `request.invalid` where neither is named.
    """
    if scope is None and run is None:
        raise Malformed("request.invalid", "Say whose messages: `scope`, `runId` or both.")

    def fetch(size: int, token: str | None) -> Page[MessageView]:
        if run is None:
            assert scope is not None
            return running.reader.list_messages_to(scope, size, token)
        return _of_run(running, run, scope, size, token)

    return list_page(fetch, lambda view: show_message(running, view), limit, cursor)


def await_end(running: Running, run: str, wait: float) -> Head:
    """The run's head, when it has ended or the time is over. Raises Unknown `run.unknown`."""
    deadline = running.clock() + min(wait, LONGEST_WAIT)
    pause = FIRST_PAUSE
    while True:
        head = running.head(run)
        left = deadline - running.clock()
        if head.status in TERMINAL or left <= 0:
            return head
        running.sleep(min(pause, left))
        pause = min(pause * 1.5, LONGEST_PAUSE)


def _moment(text: str | None) -> str | None:
    """The time as the runs table writes it."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except ValueError:
        raise Malformed("request.invalid", "`since` and `until` are times as 2026-12-31T23:59:59Z.") from None


def _of_run(running: Running, run: str, scope: str | None, size: int, token: str | None) -> Page[MessageView]:
    """A page of a run's messages; pages without one to the scope are passed over."""
    while True:
        try:
            page = running.reader.list_messages(run, size, token)
        except RunNotFound:
            return Page(())
        items = tuple(view for view in page.items if scope is None or view.record.scope == scope)
        if items or page.next is None:
            return Page(items, page.next)
        token = page.next
