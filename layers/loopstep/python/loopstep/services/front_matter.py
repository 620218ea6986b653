"""A SKILL.md: YAML front matter between two lines `---`, and behind it the instructions as Markdown."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"---[ \t]*(?:\r\n|\r|\n|$)")
_CLOSING = re.compile(r"(?<![^\r\n])---[ \t]*(?![^\r\n])")
_LINE_BREAK = re.compile(r"\r\n|\r")


class Parts(NamedTuple):
    """`front` begins on the line that it has in the document, so that places in it are the document's.

    Lines of `body` end with LF, however the file was saved: that alone is no other content.
    """

    front: str
    body: str


def begins(text: str) -> bool:
    """Whether the text opens front matter."""
    return _FENCE.match(text) is not None


def split(text: str) -> Parts | None:
    """The two parts of a document without byte order mark; None where no line `---` closes the front matter."""
    opening = _FENCE.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None
    body = _LINE_BREAK.sub("\n", text[closing.end() :]).strip()
    return Parts("\n" + text[opening.end() : closing.start()], body)
