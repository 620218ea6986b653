"""A file of cases, read: everything wrong with it at its place, under the codes of documents (docs/testing.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from loopstep.compiler import read
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.registry.records import AGENT, SCOPE, SKILL, SOURCE
from loopstep.services.entry_content import content_of
from loopstep.services.register import is_registrable
from loopstep.source.document import Mapping, Scalar, Sequence, Value, plain
from loopstep.source.load import load
from loopstep.testing import read_steps
from loopstep.testing.cases import Case, Cases, Entry
from loopstep.testing.clock import BEGIN
from loopstep.testing.matching import DEMANDS
from loopstep.testing.read_answers import read_answers
from loopstep.types.forms import is_datetime

_FILE = frozenset(("plan", "register", "models", "runs"))
_CASE = frozenset((
    "name", "input", "models", "steps", "files", "startedAt", "rejected", "status", "error", "errorCode", "output",
    "state", "messages", "activations", "path",
))  # fmt: skip
_ERROR = frozenset(("code", "message", "nodeId"))
_KINDS = {"sources": SOURCE, "skills": SKILL, "agents": AGENT, "scopes": SCOPE}  # what others may name comes first
_STATUSES = ("succeeded", "failed", "cancelled", "timed_out")


class Read(NamedTuple):
    """`cases` is None where the file has errors."""

    cases: Cases | None
    diagnostics: tuple[Diagnostic, ...]


def read_cases(document: bytes) -> Read:
    """The cases of a YAML or JSON document, whatever is in it."""
    report = Reporter()
    root, faults = load(document)
    for fault in faults:
        report.fault(fault)
    cases = _file(root, report) if root is not None else None
    return Read(None if report.has_errors else cases, report.sorted())


def is_cases(root: Value | None) -> bool:
    """Whether a document is a file of cases, faulty or not."""
    return isinstance(root, Mapping) and "runs" in root.entries and "graph" not in root.entries


def _file(root: Value, report: Reporter) -> Cases | None:
    mapping = read.mapping(root, "a file of cases", report, "write `runs:` and a list of cases")
    if mapping is None:
        return None
    read.keys(mapping, _FILE, ("runs",), "a file of cases", report)
    entries = mapping.entries
    plan = read.word(entries["plan"], "`plan`", report) if "plan" in entries else None
    registered = tuple(_register(entries["register"], report)) if "register" in entries else ()
    models = read_answers(entries["models"], report) if "models" in entries else {}
    runs = read.sequence(entries["runs"], "`runs`", report) if "runs" in entries else None
    items = runs.items if runs is not None else []
    found = [case for number, item in enumerate(items, 1) if (case := _case(item, number, report)) is not None]
    if runs is not None and not items:
        report.error(read.INVALID, "there is no case in `runs`", runs)
    return Cases(plan, registered, models, tuple(found))


def _case(value: Value, number: int, report: Reporter) -> Case | None:
    mapping = read.mapping(value, "a case", report, "write `input:` and what is expected of the run")
    if mapping is None:
        return None
    read.keys(mapping, _CASE, (), "a case", report)
    given = _Fields(mapping.entries, report)
    if "rejected" in given.entries and given.entries.keys() & _CASE - {"name", "input", "rejected"}:
        report.error(
            read.INVALID, "an input that is refused makes no run to expect something of", mapping.at_key("rejected")
        )
    error = given.take("error", _error, {})
    if "errorCode" in given.entries:
        error = {**error, "code": given.take("errorCode", read_steps.word, "")}
    for name in ("output", "state", "messages"):
        if name in given.entries:
            _demands(given.entries[name], report)
    return Case(
        name=given.take("name", read_steps.word, f"case {number}"),
        span=mapping.span,
        input=given.take("input", _json, {}),
        models=given.take("models", lambda at, name, to: read_answers(at, to), {}),
        steps=given.take("steps", read_steps.steps, ()),
        files=given.take("files", _texts, {}),
        started_at=given.take("startedAt", _moment, BEGIN),
        rejected=given.take("rejected", _list_of_texts, None),
        status=given.take("status", lambda at, name, to: read.choice(at, name, _STATUSES, to), "succeeded"),
        error=error,
        activations=given.take("activations", _counts, None),
        path=given.take("path", _list_of_texts, None),
        **{name: given.take(name, reader) for name, reader in _EXPECTED.items() if name in given.entries},
    )


class _Fields(NamedTuple):
    entries: dict[str, Value]
    report: Reporter

    def take(self, name: str, reader: Callable[[Value, str, Reporter], Any], default: Any = None) -> Any:
        """What a field says, the default where it is left out or could not be read."""
        if name not in self.entries:
            return default
        found = reader(self.entries[name], f"`{name}`", self.report)
        return default if found is None else found


# -- what a run is given ---------------------------------------------------------------------------------------------


def _moment(value: Value, what: str, report: Reporter) -> datetime | None:
    text = read.text(value, what, report)
    if text is None:
        return None
    if not is_datetime(text):
        report.error(read.INVALID, f"{what} has to be a moment with its zone, as 2026-01-05T09:00:00Z", value)
        return None
    return datetime.fromisoformat(text.upper().replace("Z", "+00:00"))


def _texts(value: Value, what: str, report: Reporter) -> dict[str, str] | None:
    mapping = read.mapping(value, what, report, "write `name: text` for each")
    if mapping is None:
        return None
    found = {name: read.text(entry, f"`{name}`", report) for name, entry in mapping.entries.items()}
    return {name: text for name, text in found.items() if text is not None}


def _register(value: Value, report: Reporter) -> Iterator[Entry]:
    mapping = read.mapping(value, "`register`", report)
    if mapping is None:
        return
    read.keys(mapping, frozenset(_KINDS), (), "`register`", report)
    for name, kind in _KINDS.items():
        if name in mapping.entries:
            yield from _entries(kind, mapping.entries[name], name, report)


def _entries(kind: str, value: Value, name: str, report: Reporter) -> Iterator[Entry]:
    mapping = read.mapping(value, f"`{name}`", report, "write one entry for each id")
    for id, entry in mapping.entries.items() if mapping is not None else ():
        if not is_registrable(kind, id):
            report.error(read.INVALID, f"`{id}` is no id of a {kind}", mapping.at_key(id) if mapping else entry)
            continue
        content = read.mapping(entry, f"the {kind} `{id}`", report)
        if content is None:
            continue
        documents = content.entries.pop("documents", None) if kind == SOURCE else None
        content_of(kind, id, content, None, report)
        texts = _texts(documents, "`documents`", report) if documents is not None else {}
        yield Entry(kind, id, plain(content), texts or {}, entry.span)


# -- what is expected ------------------------------------------------------------------------------------------------


def _json(value: Value, what: str, report: Reporter) -> Any:
    return plain(value)


def _error(value: Value, what: str, report: Reporter) -> dict[str, Any] | None:
    mapping = read.mapping(value, what, report, "write it as `{code: …, nodeId: …}`")
    if mapping is None:
        return None
    read.keys(mapping, _ERROR, (), what, report)
    _demands(mapping, report)
    found: dict[str, Any] = plain(mapping)
    return found


def _messages(value: Value, what: str, report: Reporter) -> list[Any] | None:
    items = read.sequence(value, what, report, "write `{scope: …, text: …}` for each")
    if items is None:
        return None
    for item in items.items:
        mapping = read.mapping(item, f"an item of {what}", report)
        if mapping is not None:
            read.keys(mapping, frozenset(("scope", "text")), ("scope", "text"), f"an item of {what}", report)
    found: list[Any] = plain(items)
    return found


def _state(value: Value, what: str, report: Reporter) -> Any:
    mapping = read.mapping(value, what, report)
    return plain(mapping) if mapping is not None else None


def _counts(value: Value, what: str, report: Reporter) -> dict[str, int] | None:
    mapping = read.mapping(value, what, report, "write `node: how often it ran` for each")
    if mapping is None:
        return None
    found = {name: read.integer(each, f"`{name}`", 0, None, report) for name, each in mapping.entries.items()}
    return {name: int(count) for name, count in found.items() if count is not None}


def _list_of_texts(value: Value, what: str, report: Reporter) -> tuple[str, ...] | None:
    items = read.sequence(value, what, report)
    if items is None:
        return None
    return tuple(text for item in items.items if (text := read.text(item, f"an item of {what}", report)) is not None)


def _demands(value: Value, report: Reporter) -> None:
    """Every map with one `$` name is a demand there is."""
    if isinstance(value, Mapping):
        name = next(iter(value.entries), "")
        if len(value.entries) == 1 and name.startswith("$"):
            read.keys(value, frozenset(DEMANDS), (), "a demand", report)
            _regular(value.entries[name], name, report)
        for each in value.entries.values():
            _demands(each, report)
    elif isinstance(value, Sequence):
        for each in value.items:
            _demands(each, report)


def _regular(value: Value, name: str, report: Reporter) -> None:
    if name == "$matches":
        try:
            re.compile(read.text(value, "`$matches`", report) or "")
        except re.error as fault:
            report.error(read.INVALID, f"`$matches` is no regular expression: {fault}", value)
    if name == "$any" and not (isinstance(value, Scalar) and isinstance(value.value, bool)):
        read.wrong(value, "`$any`", "true or false", report)
    if name == "$includes":
        read.mapping(value, "`$includes`", report)


_EXPECTED: dict[str, Callable[[Value, str, Reporter], Any]] = {"output": _json, "state": _state, "messages": _messages}
