"""Sections of a text, cut into passages that are short enough to read and long enough to mean something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from loopstep.knowledge.passage import Passage, Section

WANTED = 1_200  # characters of a passage; a paragraph is never cut below that
_TITLE = 200  # characters
_SEPARATOR = " › "

# Where a long paragraph may be cut, the best place first: line ends, ends of sentences, blanks.
_CUTS = ("\n", r"[。！？!?；;]|[.](?=\s)", r"\s")


def passages(sections: Iterable[Section], title: str) -> Iterator[Passage]:
    """The passages of sections, in order; `title` stands where a section has no heading.

    A heading with nothing but further headings below it is no passage: it stands in their titles.
    """
    every = list(sections)
    for section, following in zip_longest(every, every[1:]):
        if following is not None and _bare(section) and following.path[: len(section.path)] == section.path:
            continue
        heading = _SEPARATOR.join(section.path) or title
        for offset, text in _cut(section.text):
            yield Passage(_shortened(heading), text, section.line_at(offset))


def _bare(section: Section) -> bool:
    return bool(section.path) and section.text.strip("#=- \t\n") == section.path[-1].strip("#=- \t\n")


def _shortened(title: str) -> str:
    return title if len(title) <= _TITLE else title[: _TITLE - 1] + "…"


def _cut(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of at most WANTED characters with their offsets: whole paragraphs together, long ones cut."""
    held, start = "", 0
    for offset, paragraph in _paragraphs(text):
        if held and len(held) + len(paragraph) + 2 > WANTED:
            yield start, held
            held = ""
        if len(paragraph) > WANTED:
            yield from _pieces(offset, paragraph)
            continue
        held, start = (f"{held}\n\n{paragraph}", start) if held else (paragraph, offset)
    if held:
        yield start, held


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """What blank lines part, stripped, with offsets."""
    at = 0
    for block in re.split(r"(\n[ \t\r]*\n)", text):
        stripped = block.strip()
        if stripped:
            yield at + len(block) - len(block.lstrip()), stripped
        at += len(block)


def _pieces(offset: int, paragraph: str) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(paragraph):
        end = _end(paragraph, at)
        piece = paragraph[at:end]
        if piece.strip():
            yield offset + at + len(piece) - len(piece.lstrip()), piece.strip()
        at = end


def _end(paragraph: str, at: int) -> int:
    """Where the piece that begins at `at` ends: at the last good place in its second half."""
    most = at + WANTED
    if len(paragraph) <= most:
        return len(paragraph)
    for cut in _CUTS:
        places = [found.end() for found in re.finditer(cut, paragraph[at + WANTED // 2 : most])]
        if places:
            return at + WANTED // 2 + places[-1]
    return most
