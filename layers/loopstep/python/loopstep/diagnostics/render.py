"""Diagnostics for people at a terminal, in the manner of rustc and elm: the rule, the line, the spot, the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any, Final
from unicodedata import combining, east_asian_width

from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.diagnostic import Diagnostic, Related
from loopstep.diagnostics.visible import visible

TAB: Final = "    "
WIDEST: Final = 160  # columns of a source line that are shown; a minified document is one line of a megabyte

NOTE: Final = 96  # characters of a line of a note

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_PAINT: Final = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "quiet": "\x1b[1;34m", "bold": "\x1b[1m"}
_PLAIN: Final = "\x1b[0m"


def render(file: str, source: bytes | str, diagnostics: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """All diagnostics of one file, a blank line between them; "" for none. Ends without a line break."""
    lines = source_lines(source)
    page = _Page(file, lines, colour)
    return "\n\n".join(page.diagnostic(diagnostic) for diagnostic in diagnostics)


def render_json(found: Mapping[str, Iterable[Diagnostic]]) -> dict[str, Any]:
    """The answer of `check --json` (ARCHITECTURE §6), by file: {"files": [{"file", "diagnostics": […]}]}."""
    files = [{"file": file, "diagnostics": [each.to_json() for each in given]} for file, given in found.items()]
    return {"files": files}


def summary(diagnostics: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """`2 errors, 1 warning`, or `no problems`."""
    counts = {"error": 0, "warning": 0}
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    parts = [
        _painted(f"{count} {kind}{'' if count == 1 else 's'}", kind, colour) for kind, count in counts.items() if count
    ]
    return ", ".join(parts) or "no problems"


def source_lines(source: bytes | str) -> list[str]:
    """The lines of a document as diagnostics count them, whatever its bytes."""
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    return _LINE_BREAK.split(text.removeprefix("\ufeff"))


def width(text: str) -> int:
    """The columns a text takes at a terminal: wide characters (CJK, emoji) two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if combining(character) or character in "\u200b\u200c\u200d\u2060\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


class _Page:
    """One file's lines and how to show places in them."""

    def __init__(self, file: str, lines: list[str], colour: bool) -> None:
        self.file = visible(file)
        self.lines = lines
        self.colour = colour
        self.explained: set[str] = set()

    def diagnostic(self, given: Diagnostic) -> str:
        gutter = len(str(max([given.line, *(each.line for each in given.related)])))
        name, text = f"{given.severity}[{given.code}]", f": {visible(given.message)}"
        head = self.paint(name, given.severity) + self.paint(text, "bold")
        rows = [head, *self.excerpt(given, gutter, given.severity, "^", "")]
        for each in given.related:
            rows += self.excerpt(each, gutter, "quiet", "-", visible(each.message))
        rows += self.notes(given, gutter)
        return "\n".join(rows)

    def excerpt(self, place: Diagnostic | Related, gutter: int, kind: str, mark: str, label: str) -> list[str]:
        """`--> file:line:column`, the line, and the marks under the span (to the end of its first line)."""
        blank = " " * gutter
        rows = [f"{blank}{self.paint('-->', 'quiet')} {self.file}:{place.line}:{place.column}"]
        if not 0 < place.line <= len(self.lines):
            return rows
        line = self.lines[place.line - 1]
        start = min(place.column - 1, len(line))
        end = place.end_column - 1 if place.end_line == place.line else len(line.rstrip())
        first, last = _window(line, start)
        shown = _printable(line[first:last])
        before = width(_printable(line[first:start]))
        under = max(width(_printable(line[start : max(min(end, last), start)])), 1)
        bar = self.paint("|", "quiet")
        marks = self.paint(f"{mark * under} {label}".rstrip(), kind)
        number = self.paint(str(place.line).rjust(gutter), "quiet")
        ellipses = ("…" if first else "", "…" if last < len(line) else "")
        rows.append(f"{blank} {bar}")
        rows.append(f"{number} {bar} {ellipses[0]}{shown}{ellipses[1]}".rstrip())
        rows.append(f"{blank} {bar} {' ' * (before + len(ellipses[0]))}{marks}")
        return rows

    def notes(self, given: Diagnostic, gutter: int) -> list[str]:
        """Why the rule stands, at the first diagnostic of its code, and the hint."""
        rows = []
        if given.code in CODES and given.code not in self.explained:
            self.explained.add(given.code)
            rows += self.note("why", CODES[given.code].page.why, gutter)
        return rows + (self.note("help", given.hint, gutter) if given.hint else [])

    def note(self, name: str, text: str, gutter: int) -> list[str]:
        """A text behind `= name:`, broken at blanks and hanging under its beginning."""
        margin = " " * (gutter + len(f" = {name}: "))
        first, *more = wrap(visible(text), NOTE, break_long_words=False, break_on_hyphens=False)
        head = f"{' ' * gutter} {self.paint('=', 'quiet')} {self.paint(f'{name}:', 'bold')} {first}"
        return [head, *(margin + row for row in more)]

    def paint(self, text: str, kind: str) -> str:
        return _painted(text, kind, self.colour)


def _painted(text: str, kind: str, colour: bool) -> str:
    return f"{_PAINT[kind]}{text}{_PLAIN}" if colour and text else text


def _window(line: str, start: int) -> tuple[int, int]:
    """Which part of a long line is shown: some of what stands before the span, then as much as fits."""
    if len(line) <= WIDEST:
        return 0, len(line)
    first = max(0, min(start - WIDEST // 4, len(line) - WIDEST))
    return first, first + WIDEST


def _printable(text: str) -> str:
    """The text with tabs as blanks and control characters as their pictures, so that it cannot steer a terminal."""
    if text.isprintable():
        return text
    return "".join(TAB if c == "\t" else c if c.isprintable() or c == "\u3000" else "\ufffd" for c in text)
