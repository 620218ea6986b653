"""What libyaml complains about, placed on the text and with a hint where the cause is usually the same."""

from __future__ import annotations

import re
from typing import Final

from yaml import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from loopstep.source.document import START, Fault, Text
from loopstep.source.faults import syntax, too_deep
from loopstep.source.limits import NESTING

TAB: Final = "a tab may stand only inside a quoted text"
NO_TABS: Final = "indent and separate with spaces"
_HINTS: Final = (
    ("cannot start any token", "put the text in quotes"),
    ("mapping values are not allowed", "put a text that contains ': ' in quotes, and check the indentation"),
    ("could not find expected ':'", "a name needs a colon and a blank behind it; check the indentation"),
    ("unexpected end of stream", "a quote is opened and never closed"),
    ("did not find expected key", "check the indentation, and put a text with quotes inside it in quotes as a whole"),
)


def library_fault(text: Text, error: YAMLError) -> Fault:
    """libyaml's complaint, placed on the text and with a hint where the cause is usually the same."""
    content = text.content
    if isinstance(error, ReaderError):  # pragma: no cover - every such character is found before
        return Fault("document.syntax", f"a character that no document can hold: {error.reason}", START)
    problem, offset = str(error), 0
    if isinstance(error, MarkedYAMLError):
        problem = error.problem or problem
        mark = error.problem_mark or error.context_mark
        offset = mark.index if mark is not None else 0
    if "nesting" in problem or "depth" in problem:
        return too_deep(text, *_bracket(content), "")
    if offset >= len(content.rstrip()):
        offset = max(len(content.rstrip()) - 1, 0)
    if content[offset : offset + 1] == "\t":
        return syntax(text, offset, offset + 1, TAB, NO_TABS)
    hint = next((hint for sign, hint in _HINTS if sign in problem), "")
    if content.startswith("`", offset) or content.startswith("@", offset):
        hint = f"put a text that begins with {content[offset]} in quotes"
    context = getattr(error, "context", None)
    begun = getattr(error, "context_mark", None)
    message = problem
    if context and begun is not None and begun.index < offset:
        line, column = text.position(min(begun.index, len(content)))
        message = f"{problem} {context} that begins at line {line}, column {column}"
    end = offset if content[offset : offset + 1] in ("\r", "\n") else offset + 1  # a line's end belongs to no place
    return syntax(text, offset, end, message, hint)


def _bracket(content: str) -> tuple[int, int]:
    """About where nesting becomes too deep in a text that libyaml gave up on: brackets counted, quotes ignored."""
    depth = 0
    for match in re.finditer(r"[\[\]{}]", content):
        depth += 1 if match[0] in "[{" else -1
        if depth > NESTING:
            return match.span()
    return 0, 1
