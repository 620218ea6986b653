"""A document's bytes as passages: which forms a kind of source takes, and what every document has to be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from loopstep.knowledge import chunks
from loopstep.knowledge.html_text import sections_of_html
from loopstep.knowledge.markdown import sections_of_markdown
from loopstep.knowledge.passage import Passage, Problem, Section, Unreadable
from loopstep.knowledge.port import DOCUMENT, GRAPH, STRUCTURED_DATA
from loopstep.knowledge.rows import csv_rows, json_rows
from loopstep.knowledge.tables import passages_of_rows
from loopstep.knowledge.triples import passages_of_triples

MARKDOWN, TEXT, HTML, CSV, JSON_LINES = "markdown", "text", "html", "csv", "jsonl"

# By kind of source the forms of its documents.
FORMS = {
    DOCUMENT: (MARKDOWN, TEXT, HTML),
    STRUCTURED_DATA: (CSV, JSON_LINES),
    GRAPH: (CSV, JSON_LINES),
}
MOST_BYTES = 1024 * 1024  # of a document
MOST_PASSAGES = 20_000  # of a document

# What no text has: C0 and C1 controls other than tab, line ends and form feed, and codes that are no characters.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


def passages(kind: str, form: str, data: bytes, name: str) -> list[Passage]:
    """The passages of a document of this form for a source of this kind, in order; `name` titles what has no title.

    Raises Unreadable with the places for what is no such document, or has nothing to find in it.
    """
    if form not in FORMS[kind]:
        raise Unreadable(Problem(0, f"a source of kind {kind} takes {', '.join(FORMS[kind])}, not {form}"))
    found: list[Passage] = []
    for passage in _READERS[kind](form, text_of(data), name):
        found.append(passage)
        if len(found) > MOST_PASSAGES:
            raise Unreadable(Problem(passage.line, f"more than {MOST_PASSAGES:,} parts; put it in several documents"))
    if not found:
        raise Unreadable(Problem(0, "there is nothing in it"))
    return found


def text_of(data: bytes) -> str:
    """The text of a document, its line ends `\\n`. Raises Unreadable for what is no UTF-8 text or larger than 1 MiB."""
    if len(data) > MOST_BYTES:
        raise Unreadable(Problem(0, "the document is larger than 1 MiB"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise Unreadable(Problem(line, f"byte {fault.start} is not UTF-8")) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    control = _CONTROLS.search(text)
    if control:
        line = text.count("\n", 0, control.start()) + 1
        raise Unreadable(Problem(line, f"the control character U+{ord(control[0]):04X}, which no text has"))
    return text


def _document(form: str, text: str, name: str) -> Iterator[Passage]:
    title, sections = _SECTIONS[form](text)
    return chunks.passages(sections, title or name)


def _table(form: str, text: str, name: str) -> Iterator[Passage]:
    return passages_of_rows(csv_rows(text) if form == CSV else json_rows(text))


def _graph(form: str, text: str, name: str) -> Iterator[Passage]:
    return passages_of_triples(csv_rows(text) if form == CSV else json_rows(text))


def _plain(text: str) -> tuple[str, list[Section]]:
    return "", [Section((), 1, text)]


_SECTIONS: dict[str, Callable[[str], tuple[str, list[Section]]]] = {
    MARKDOWN: sections_of_markdown,
    TEXT: _plain,
    HTML: sections_of_html,
}
_READERS: dict[str, Callable[[str, str, str], Iterator[Passage]]] = {
    DOCUMENT: _document,
    STRUCTURED_DATA: _table,
    GRAPH: _graph,
}
