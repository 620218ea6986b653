"""`models` of cases: what each node is answered.

A node's answer is a text; a map with `reply` (a text, or JSON data that is sent as its text), `branch`, `toolCalls` or
`error`, and `match`, `delay`, `times`; or a list of these, given in order. One alone, and one with `match`, is given
every time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopstep.compiler import read
from loopstep.diagnostics.collector import Reporter
from loopstep.source.document import Mapping, Scalar, Sequence, Value, plain
from loopstep.testing.cases import ANY_NODE, Answer
from loopstep.testing.read_steps import seconds
from loopstep.types.forms import is_id
from loopstep.types.text import json_text

_SAYS = frozenset(("reply", "branch", "toolCalls", "error"))
_FIELDS = _SAYS | {"match", "delay", "times"}
_ERRORS = ("unavailable", "refused")
_HINT = "write a text, or `{reply: …}`, `{toolCalls: […]}` or `{error: unavailable}`"


def read_answers(value: Value, report: Reporter) -> dict[str, tuple[Answer, ...]]:
    """By node id, or by `*` for whichever node asks."""
    mapping = read.mapping(value, "`models`", report, "write `node: answer` for each")
    found: dict[str, tuple[Answer, ...]] = {}
    for node, given in mapping.entries.items() if mapping is not None else ():
        if node != ANY_NODE and not is_id(node):
            assert mapping is not None
            report.error(read.INVALID, f"`{node}` is no node id", mapping.at_key(node), "write `*` for any node")
        elif isinstance(given, Sequence):
            found[node] = tuple(answer for item in given.items for answer in _answer(item, True, report))
        else:
            found[node] = tuple(_answer(given, False, report))
    return found


def _answer(value: Value, listed: bool, report: Reporter) -> Iterator[Answer]:
    if isinstance(value, Scalar) and isinstance(value.value, str):
        yield Answer(value.value, times=1 if listed else None)
        return
    mapping = read.mapping(value, "a model's answer", report, _HINT)
    if mapping is None:
        return
    read.keys(mapping, _FIELDS, (), "a model's answer", report)
    entries = mapping.entries
    if not _SAYS & entries.keys():
        report.error(
            read.MISSING_FIELD, "a model's answer needs `reply`, `branch`, `toolCalls` or `error`", mapping, _HINT
        )
    match = _match(entries["match"], report) if "match" in entries else ()
    times = read.integer(entries["times"], "`times`", 1, None, report) if "times" in entries else None
    yield Answer(
        reply=_said(entries, report),
        calls=tuple(_calls(entries["toolCalls"], report)) if "toolCalls" in entries else (),
        error=read.choice(entries["error"], "`error`", _ERRORS, report) or "" if "error" in entries else "",
        match=match,
        delay=(seconds(entries["delay"], "`delay`", report) or 0.0) if "delay" in entries else 0.0,
        times=int(times) if times is not None else (1 if listed and not match else None),
    )


def _said(entries: dict[str, Value], report: Reporter) -> str:
    """The text; of a condition's branch the number that a model names it by."""
    if "branch" in entries:
        branch = plain(entries["branch"])
        if branch != "otherwise" and (isinstance(branch, bool) or not isinstance(branch, int) or branch < 0):
            read.wrong(entries["branch"], "`branch`", "the number of a branch, from 0, or `otherwise`", report)
        return "none" if branch == "otherwise" else str(branch)
    if "reply" not in entries:
        return ""
    data = plain(entries["reply"])
    return data if isinstance(data, str) else json_text(data)


def _match(value: Value, report: Reporter) -> tuple[str, ...]:
    items = value.items if isinstance(value, Sequence) else [value]
    return tuple(text for item in items if (text := read.text(item, "`match`", report)) is not None)


def _calls(value: Value, report: Reporter) -> Iterator[tuple[str, Any]]:
    items = read.sequence(value, "`toolCalls`", report, "write `{name: …, arguments: {…}}` for each")
    for item in items.items if items is not None else ():
        mapping = read.mapping(item, "a call of a tool", report)
        if mapping is None:
            continue
        read.keys(mapping, frozenset(("name", "arguments")), ("name",), "a call of a tool", report)
        name = read.word(mapping.entries["name"], "`name`", report) if "name" in mapping.entries else None
        arguments = mapping.entries.get("arguments")
        if arguments is not None and not isinstance(arguments, Mapping):
            read.wrong(arguments, "`arguments`", "a map", report)
        elif name is not None:
            yield name, plain(arguments) if arguments is not None else {}
