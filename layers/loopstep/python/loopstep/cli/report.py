"""A run as text for people: head, timeline, state, messages, output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from loopstep.cli import table
from loopstep.cli.timeline import timeline


def report(whole: dict[str, Any], every: bool = False) -> str:
    """`whole` is what `runs.fetch` returns: run, state, activations, messages. `every`: nothing is folded."""
    run = whole["run"]
    state = {name.removeprefix("state."): each for name, each in (whole.get("omitted") or {}).items()}
    sections = [
        _head(run),
        ["", "timeline", *timeline(run, whole["activations"], every)],
        _data("state", whole["state"], state),
        _messages(whole["messages"]),
        _whole("output", run),
        _error(run.get("error")),
    ]
    return "\n".join(line for section in sections for line in section)


def _head(run: dict[str, Any]) -> list[str]:
    took = table.span(table.seconds(run.get("startedAt"), run.get("endedAt")))
    first = f"{run['plan']} v{run['version']}, run {run['runId']}: {table.coloured(run['status'])}"
    return [first + (f" after {took}" if took else ""), *_whole("input", run)]


def _whole(field: str, run: dict[str, Any]) -> list[str]:
    """A field of the run, or that the answer could not carry it."""
    omitted = (run.get("omitted") or {}).get(field)
    return [f"{field}  {table.left_out(omitted)}"] if omitted else _data(field, run.get(field))


def _data(title: str, value: Any, omitted: dict[str, Any] | None = None) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, dict) or not value:
        return [f"{title}  {table.short(value)}"]
    left_out = {name: table.left_out(each) for name, each in (omitted or {}).items()}
    rows = [[name, left_out.get(name) or table.short(item)] for name, item in value.items()]
    return ["", title, *table.lines(rows, "  ")]


def _messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    if messages:
        yield from ("", "messages")
        yield from table.lines([[table.plain(m["scope"]), table.message(m)] for m in messages], "  ")


def _error(error: dict[str, Any] | None) -> Iterator[str]:
    if error:
        where = error.get("nodeId") or "the run"
        yield from ("", f"error {error.get('code')} at {where}: {table.plain(error.get('message') or '')}")
        rest = {name: value for name, value in error.items() if name not in ("code", "message", "nodeId")}
        if rest:
            yield f"  {table.plain(json.dumps(rest, ensure_ascii=False))}"
