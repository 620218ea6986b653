"""What a registered thing holds, field by field: read from a document's tree, every default filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from loopstep.compiler import read
from loopstep.diagnostics.collector import Reporter
from loopstep.nodes.tools import TOOLS
from loopstep.registry.records import AGENT, SCOPE, SKILL, SOURCE, SOURCE_KINDS
from loopstep.source.document import Mapping, Scalar, Value
from loopstep.types.forms import is_field_name

LONGEST_NAME = 200  # characters
LONGEST_DESCRIPTION = 2000
MOST_FIELDS = 50  # inputs, outputs
MOST_NAMED = 50  # skills, sources of one agent
MOST_MESSAGES = 100_000

# What canvas fields are made of (CANVAS §1), and `integer`.
TYPES = ("string", "number", "integer", "boolean", "array", "object", "filePath", "directoryPath")

INVALID = read.INVALID

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,62}")  # a canvas names sources by numbers
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_KNOWLEDGE_BASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_ID_FORM = "letters, digits, `_` and `-`, which is not the first, at most 63 characters"


class Named(NamedTuple):
    """A registered thing that a document refers to, and where."""

    kind: str
    id: str
    at: Value


Content = tuple[dict[str, Any], tuple[Named, ...]]


def content_of(kind: str, id: str, root: Mapping, body: str | None, report: Reporter) -> Content:
    """The content and what it names; only to be kept without errors. `body`: the instructions of a SKILL.md."""
    return _KINDS[kind](kind, id, root, body, report)


def is_entry_id(text: str) -> bool:
    """Whether skills, agents and sources may have this id."""
    return _ID.fullmatch(text) is not None


# -- skills and agents -----------------------------------------------------------------------------------------------

_WORKER = frozenset(("name", "description", "instructions", "inputs", "outputs", "skills", "sources", "tools", "model"))


def _worker(kind: str, id: str, root: Mapping, body: str | None, report: Reporter) -> Content:
    entries = root.entries
    allowed = _WORKER if body is None else _WORKER - {"instructions"}
    read.keys(root, allowed, () if body is not None else ("instructions",), f"a {kind}", report)
    if body is not None and not body:
        report.error(
            read.MISSING_FIELD, f"the {kind} has no instructions: nothing stands behind the front matter", root
        )
    skills, sources = (_ids(entries.get(name), name, report) for name in ("skills", "sources"))
    content = {
        "name": _name(entries, id, report),
        "description": _text(entries.get("description"), "`description`", LONGEST_DESCRIPTION, report),
        "instructions": body if body is not None else _word(entries.get("instructions"), "`instructions`", report),
        "inputs": _declared(entries.get("inputs"), "inputs", report),
        "outputs": _declared(entries.get("outputs"), "outputs", report),
        "skills": list(skills),
        "sources": list(sources),
        "tools": _tools(entries.get("tools"), report),
        "model": None if _nothing(entries.get("model")) else _word(entries["model"], "`model`", report),
    }
    named = [Named(SKILL, name, at) for name, at in skills.items()]
    return content, (*named, *(Named(SOURCE, name, at) for name, at in sources.items()))


def _declared(value: Value | None, name: str, report: Reporter) -> list[dict[str, Any]]:
    """`[{name, type, required, description}]`; a name alone is a string that may be absent."""
    fields: dict[str, dict[str, Any]] = {}
    for item in _items(value, name, MOST_FIELDS, report):
        field = _field(item, name, report)
        if field is None:
            continue
        if field["name"] in fields:
            report.error(INVALID, f"`{name}` declares `{field['name']}` twice", item)
        fields.setdefault(field["name"], field)
    return list(fields.values())


_FIELD = frozenset(("name", "type", "required", "description"))


def _field(value: Value, among: str, report: Reporter) -> dict[str, Any] | None:
    plain = isinstance(value, Scalar) and isinstance(value.value, str)
    entries = {"name": value} if plain else {}
    if not plain:
        mapping = read.mapping(value, f"an item of `{among}`", report, "write it as `{name: topic, type: string}`")
        if mapping is None:
            return None
        read.keys(mapping, _FIELD, ("name",), f"an item of `{among}`", report)
        entries = mapping.entries
    name = read.text(entries["name"], "`name`", report) if "name" in entries else None
    if name is not None and not is_field_name(name):
        hint = "a letter or `_`, then letters, digits and `_`, at most 63 characters"
        report.error(INVALID, f"`{name}` is no field name", entries["name"], hint)
    chosen = read.choice(entries["type"], "`type`", TYPES, report) if "type" in entries else "string"
    required = read.flag(entries["required"], "`required`", report) if "required" in entries else False
    description = _text(entries.get("description"), "`description`", LONGEST_DESCRIPTION, report)
    if name is None:
        return None
    return {"name": name, "type": chosen, "required": required, "description": description}


def _tools(value: Value | None, report: Reporter) -> list[str] | None:
    """None: all the tools there are; an empty list: none."""
    if value is None or _nothing(value):
        return None
    tools: dict[str, None] = {}
    for item in _items(value, "tools", len(TOOLS), report):
        tool = read.choice(item, "an item of `tools`", TOOLS, report)
        if tool is not None:
            tools[tool] = None
    return list(tools)


def _ids(value: Value | None, name: str, report: Reporter) -> dict[str, Value]:
    """The ids by the place where they stand."""
    found: dict[str, Value] = {}
    for item in _items(value, name, MOST_NAMED, report):
        text = read.text(item, f"an item of `{name}`", report)
        if text is not None and not is_entry_id(text):
            report.error(INVALID, f"`{text}` is no id", item, f"write {_ID_FORM}")
        elif text is not None:
            found.setdefault(text, item)
    return found


# -- sources and scopes ----------------------------------------------------------------------------------------------

_SOURCE = frozenset(("name", "description", "kind", "managed", "enabled"))


def _source(kind: str, id: str, root: Mapping, body: str | None, report: Reporter) -> Content:
    entries = root.entries
    read.keys(root, _SOURCE, ("kind",), "a source", report)
    content = {
        "name": _name(entries, id, report),
        "description": _text(entries.get("description"), "`description`", LONGEST_DESCRIPTION, report),
        "kind": read.choice(entries["kind"], "`kind`", SOURCE_KINDS, report) if "kind" in entries else None,
        "managed": _managed(entries.get("managed"), report),
        "enabled": read.flag(entries["enabled"], "`enabled`", report) if "enabled" in entries else True,
    }
    return content, ()


def _managed(value: Value | None, report: Reporter) -> dict[str, Any] | None:
    """The knowledge base of Amazon Bedrock that answers; None: the documents put into the source itself."""
    if value is None or _nothing(value):
        return None
    mapping = read.mapping(value, "`managed`", report, "write it as `{knowledgeBaseId: ABCDEFGHIJ}`")
    if mapping is None:
        return None
    read.keys(mapping, frozenset(("knowledgeBaseId",)), ("knowledgeBaseId",), "`managed`", report)
    base = _word(mapping.entries.get("knowledgeBaseId"), "`knowledgeBaseId`", report)
    if base and not _KNOWLEDGE_BASE.fullmatch(base):
        report.error(INVALID, f"`{base}` is no id of a knowledge base", mapping.entries["knowledgeBaseId"])
    return {"knowledgeBaseId": base}


_SCOPE = frozenset(("description", "maxPerRun"))


def _scope(kind: str, id: str, root: Mapping, body: str | None, report: Reporter) -> Content:
    entries = root.entries
    read.keys(root, _SCOPE, (), "a scope", report)
    most = entries.get("maxPerRun")
    return {
        "description": _text(entries.get("description"), "`description`", LONGEST_DESCRIPTION, report),
        "maxPerRun": None
        if most is None or _nothing(most)
        else read.integer(most, "`maxPerRun`", 1, MOST_MESSAGES, report),
    }, ()


_KINDS: dict[str, Callable[[str, str, Mapping, str | None, Reporter], Content]] = {
    SKILL: _worker,
    AGENT: _worker,
    SOURCE: _source,
    SCOPE: _scope,
}


# -- plain values ----------------------------------------------------------------------------------------------------


def _name(entries: dict[str, Value], id: str, report: Reporter) -> str:
    """The name for people; the id where there is none."""
    return _text(entries.get("name"), "`name`", LONGEST_NAME, report) or id


def _text(value: Value | None, what: str, most: int, report: Reporter) -> str:
    if value is None or _nothing(value):
        return ""
    found = read.text(value, what, report) or ""
    _of_characters(found, what, value, report)
    if len(found) > most:
        report.error(INVALID, f"{what} has {len(found):,} characters, at most {most:,} are taken", value)
    return found.strip()


def _word(value: Value | None, what: str, report: Reporter) -> str:
    found = "" if value is None else read.word(value, what, report) or ""
    if value is not None:
        _of_characters(found, what, value, report)
    return found


def _of_characters(text: str, what: str, value: Value, report: Reporter) -> None:
    """No NUL or other control, however it was escaped: no model and no terminal takes one."""
    control = _CONTROL.search(text)
    if control:
        report.error(INVALID, f"{what} has the control character U+{ord(control[0]):04X}", value)


def _items(value: Value | None, name: str, most: int, report: Reporter) -> Iterator[Value]:
    """The items of a list that may be left out."""
    if value is None or _nothing(value):
        return
    found = read.sequence(value, f"`{name}`", report)
    if found is None:
        return
    if len(found.items) > most:
        report.error(INVALID, f"`{name}` has {len(found.items)} items, at most {most} are taken", value)
    yield from found.items[:most]


def _nothing(value: Value | None) -> bool:
    """Left out, or written as null."""
    return value is None or (isinstance(value, Scalar) and value.value is None)
