"""`steps` of a case: what somebody outside does while its run waits."""

from __future__ import annotations

from typing import Any

from loopstep.compiler import read
from loopstep.diagnostics.collector import Reporter
from loopstep.source.document import Mapping, Value, plain
from loopstep.testing.cases import APPROVAL, CALLBACK, CANCEL, REDRIVE, Step
from loopstep.types.forms import duration_seconds

KINDS = (APPROVAL, CALLBACK, REDRIVE, CANCEL)
_FIELDS = frozenset((*KINDS, "node", "after", "expectStatus", "next"))
_DECISION = frozenset(("decision", "comment", "by"))
_ANSWER = frozenset(("output", "error"))


def word(value: Value, what: str, report: Reporter) -> str | None:
    """A text that says something."""
    return read.word(value, what, report)


def steps(value: Value, what: str, report: Reporter) -> tuple[Step, ...] | None:
    """The steps in their order."""
    items = read.sequence(value, what, report, "write `- approval: {decision: approved}` for each")
    if items is None:
        return None
    return tuple(step for item in items.items if (step := _step(item, report)) is not None)


def seconds(value: Value, what: str, report: Reporter) -> float | None:
    """A duration, PT30S."""
    text = read.text(value, what, report, "write it as PT30S")
    if text is None:
        return None
    found = duration_seconds(text)
    if found is None:
        report.error(read.INVALID, f"{what} has to be a duration such as PT30S", value)
    return None if found is None else float(found)


def _step(value: Value, report: Reporter) -> Step | None:
    mapping = read.mapping(value, "a step", report, "write it as `approval: {decision: approved}`")
    if mapping is None:
        return None
    read.keys(mapping, _FIELDS, (), "a step", report)
    entries = mapping.entries
    kinds = [kind for kind in KINDS if kind in entries]
    if len(kinds) != 1:
        report.error(read.INVALID, "a step is exactly one of `approval`, `callback`, `redrive` and `cancel`", mapping)
        return None
    content = _content(kinds[0], entries[kinds[0]], report)
    if content is None:
        return None
    status = (
        read.integer(entries["expectStatus"], "`expectStatus`", 200, 599, report) if "expectStatus" in entries else 200
    )
    return Step(
        kind=kinds[0],
        content=content,
        span=mapping.span,
        node=read.word(entries["node"], "`node`", report) if "node" in entries else None,
        after=(seconds(entries["after"], "`after`", report) or 0.0) if "after" in entries else 0.0,
        status=int(status or 200),
        next=bool(read.flag(entries["next"], "`next`", report)) if "next" in entries else False,
    )


def _content(kind: str, value: Value, report: Reporter) -> dict[str, Any] | None:
    if kind in (REDRIVE, CANCEL):
        return {} if read.flag(value, f"`{kind}`", report) else None
    what = f"`{kind}`"
    mapping = read.mapping(value, what, report)
    if mapping is None:
        return None
    if kind == APPROVAL:
        _decision(mapping, what, report)
    else:
        read.keys(mapping, _ANSWER, (), what, report)
        if len(mapping.entries.keys() & _ANSWER) != 1:
            report.error(read.INVALID, "a callback is answered with either `output` or `error`", mapping)
        if "error" in mapping.entries:
            error = read.mapping(mapping.entries["error"], "`error`", report)
            if error is not None:
                read.keys(error, frozenset(("code", "message")), ("code",), "`error`", report)
    found: dict[str, Any] = plain(mapping)
    return found


def _decision(mapping: Mapping, what: str, report: Reporter) -> None:
    read.keys(mapping, _DECISION, ("decision",), what, report)
    for name, value in mapping.entries.items():
        if name == "decision":
            read.choice(value, "`decision`", ("approved", "rejected"), report)
        elif name in _DECISION:
            read.text(value, f"`{name}`", report)
