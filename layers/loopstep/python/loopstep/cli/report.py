"""A run as text for people: head, timeline, state, messages, output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from loopstep.cli import table


def report(whole: dict[str, Any]) -> str:
    """`whole` is what `runs.fetch` returns: run, state, activations, messages."""
    run = whole["run"]
    sections = [
        _head(run),
        ["", "timeline", *timeline(run, whole["activations"])],
        _data("state", whole["state"]),
        _messages(whole["messages"]),
        _data("output", run.get("output")),
        _error(run.get("error")),
    ]
    return "\n".join(line for section in sections for line in section)


def _head(run: dict[str, Any]) -> list[str]:
    took = table.span(table.seconds(run.get("startedAt"), run.get("endedAt")))
    first = f"{run['plan']} v{run['version']}, run {run['runId']}: {table.coloured(run['status'])}"
    return [first + (f" after {took}" if took else ""), *_data("input", run.get("input"))]


def timeline(run: dict[str, Any], activations: list[dict[str, Any]]) -> list[str]:
    """One line an activation, by its start: when, node, status, port and edge it left through, how long, tries."""
    ordered = sorted(activations, key=lambda a: (a.get("startedAt") or "", a.get("endedAt") or "~"))
    rows = [_row(run, activation) for activation in ordered]
    return table.lines(rows, "  ") or ["  (no node has started)"]


def _row(run: dict[str, Any], activation: dict[str, Any]) -> list[str]:
    begin = table.seconds(run.get("startedAt"), activation.get("startedAt"))
    path = f"[{'.'.join(map(str, activation['path']))}]" if activation.get("path") else ""
    left = " → ".join(filter(None, [activation.get("port"), activation.get("edge")]))
    error = activation.get("error") or {}
    tries = activation.get("attempts") or 0
    return [
        f"+{begin:.3f} s" if begin is not None else "",
        activation["nodeId"] + path,
        table.coloured(activation["status"]),
        table.span(table.seconds(activation.get("startedAt"), activation.get("endedAt"))),
        left,
        "; ".join(filter(None, [f"{tries} attempts" if tries > 1 else "", str(error.get("code") or "")])),
    ]


def _data(title: str, value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, dict) or not value:
        return [f"{title}  {table.short(value)}"]
    return ["", title, *table.lines([[name, table.short(item)] for name, item in value.items()], "  ")]


def _messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    if messages:
        yield from ("", "messages")
        yield from table.lines([[table.plain(m["scope"]), table.message(m)] for m in messages], "  ")


def _error(error: dict[str, Any] | None) -> Iterator[str]:
    if error:
        yield from (
            "",
            f"error {error.get('code')} at {error.get('nodeId') or 'the run'}: {error.get('message') or ''}",
        )
        rest = {name: value for name, value in error.items() if name not in ("code", "message", "nodeId")}
        if rest:
            yield f"  {json.dumps(rest, ensure_ascii=False)}"
