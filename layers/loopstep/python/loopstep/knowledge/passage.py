"""What a document is cut into: the unit that is indexed and found."""

from __future__ import annotations

from typing import Any, NamedTuple


class Passage(NamedTuple):
    """`text` is what is searched and shown, `title` what it stands under, `line` (from 1) where it begins.

    `payload` is a table's row or a triple `{subject, predicate, object}`, `metadata` what else the document says of it.
    """

    title: str
    text: str
    line: int
    payload: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None


class Section(NamedTuple):
    """A part of a text document: the headings that it stands under, outermost first, and its text from `line` on.

    `lines` are those of the document that the lines of the text come from, where they do not follow one another.
    """

    path: tuple[str, ...]
    line: int
    text: str
    lines: tuple[int, ...] = ()

    def line_at(self, offset: int) -> int:
        """The line of the document that a character of the text comes from."""
        below = self.text.count("\n", 0, offset)
        return self.lines[below] if self.lines else self.line + below


class Problem(NamedTuple):
    """What is wrong with a document, and where: `line` from 1 (0: all of it), `field` of that line if it is one."""

    line: int
    message: str
    field: str = ""


class Unreadable(Exception):
    """A document that cannot be indexed as what it says it is."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(f"line {each.line}: {each.message}" for each in problems))
        self.problems = problems
