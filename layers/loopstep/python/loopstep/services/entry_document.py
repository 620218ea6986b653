"""A document to be registered, as JSON data: a SKILL.md, YAML or JSON; everything wrong with it at its place.

A SKILL.md and the JSON form have the same fields; the Markdown behind the front matter is `instructions`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from loopstep.compiler import read
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import sparingly
from loopstep.registry.records import AGENT, SCOPE, SKILL, SOURCE
from loopstep.services import front_matter
from loopstep.services.entry_content import Named, content_of
from loopstep.source.document import START, Text, Value
from loopstep.source.load import load

MARKDOWN_KINDS = (SKILL, AGENT)

# What may stand there and means nothing here: what reading an entry shows beside its content, so that it can be put
# again as it is; and fields of SKILL.md that are for other programs.
_SHOWN = frozenset(("id", "version", "createdAt", "updatedAt"))
_FOREIGN = _SHOWN | {"license", "compatibility", "metadata", "allowed-tools"}
_IGNORED = {SKILL: _FOREIGN, AGENT: _FOREIGN, SOURCE: _SHOWN, SCOPE: _SHOWN | {"name"}}

_HINT = "begin with a line `---`, then `name:` and `description:`, a line `---`, and the instructions"


# What no text has: controls other than tab and line ends, codes that are no characters, and the character that stands
# where a gateway met bytes that are no UTF-8.
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd-\uffff]")
_REPLACED = "\ufffd"


class EntryDocument(NamedTuple):
    """`content` is None where the document has errors. `named`: what it refers to, for who knows the registry."""

    content: dict[str, Any] | None
    named: tuple[Named, ...]


def read_entry(kind: str, id: str, document: bytes, markdown: bool, report: Reporter) -> EntryDocument:
    """The content of a document, whatever is in it. `markdown`: the caller says that it is a SKILL.md."""
    with sparingly():
        return _read(kind, id, document, markdown, report)


def _read(kind: str, id: str, document: bytes, markdown: bool, report: Reporter) -> EntryDocument:
    root, body = _load(kind, document, markdown, report)
    mapping = read.mapping(root, f"a {kind}", report) if root is not None else None
    if mapping is None:
        return EntryDocument(None, ())
    for name in _IGNORED[kind] & mapping.entries.keys():
        del mapping.entries[name]
    content, named = content_of(kind, id, mapping, body, report)
    return EntryDocument(None if report.has_errors else content, named)


def _load(kind: str, document: bytes, markdown: bool, report: Reporter) -> tuple[Value | None, str | None]:
    """The root of the data and, of a SKILL.md, its body."""
    try:
        text = document.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return _loaded(document, report), None
    if (no_text := _NO_TEXT.search(text)) is not None:
        span = Text(text).span(no_text.start(), no_text.end())
        report.error("document.syntax", *_no_text(no_text[0], span))
        return None, None
    if kind not in MARKDOWN_KINDS or not (markdown or front_matter.begins(text)):
        return _loaded(document, report), None
    parts = front_matter.split(text)
    if parts is None:
        report.error("document.syntax", "a SKILL.md has front matter between two lines `---`", START, _HINT)
        return None, None
    return _loaded(parts.front, report), parts.body


def _no_text(character: str, span: Any) -> tuple[str, Any, str]:
    if character == _REPLACED:
        return "bytes that are no UTF-8 stood here, or U+FFFD in their place", span, "save the file as UTF-8"
    return f"the control character U+{ord(character):04X} may not stand in a document", span, ""


def _loaded(data: bytes | str, report: Reporter) -> Value | None:
    root, faults = load(data)
    for fault in faults:
        report.fault(fault)
    return root
