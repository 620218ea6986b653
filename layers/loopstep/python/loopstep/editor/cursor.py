"""Where in a document a cursor stands, found in the text alone, so that it is found while a line is half written.

YAML's indentation, dashes and brackets are followed as far as they go; what cannot be read is passed over. Linear in
the length of the text, whatever is in it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from loopstep.compiler.look import Steps
from loopstep.editor.brackets import QUOTED, Brackets, key_of
from loopstep.source.limits import NESTING

KEY, VALUE = "key", "value"
DEEPEST: Final = 2 * NESTING  # blocks that are followed

_BREAK: Final = re.compile(r"\r\n|\r|\n")


class Cursor(NamedTuple):
    """`steps` leads to the mapping whose name is written (KEY), or to the value that is (VALUE).

    `written` is what stands of it before the cursor, without an opening `quote`; `start` and `end` (columns, 1-based)
    are what a completion replaces. `flow`: inside brackets. `column` is where the names of the mapping stand.
    """

    steps: Steps
    slot: str
    written: str
    line: int
    start: int
    end: int
    quote: str = ""
    flow: bool = False
    column: int = 1
    item: bool = False  # behind a dash, so a whole item is written
    text: bool = False  # inside a block of text


class _Frame:
    """An open block: a mapping with its latest name, or a list with its latest position."""

    __slots__ = ("filled", "indent", "key", "listed")

    def __init__(self, indent: int, key: str | int, listed: bool) -> None:
        self.indent = indent
        self.key = key
        self.listed = listed
        self.filled = False  # whether the name has a value on its own line


def lines_of(text: str) -> list[str]:
    """The lines as the compiler counts them."""
    return _BREAK.split(text)


def find(lines: list[str], line: int, column: int) -> Cursor:
    """The cursor of a 1-based line and column; beyond the text it is the text's end."""
    line = min(max(line, 1), len(lines))
    column = min(max(column, 1), len(lines[line - 1]) + 1)
    return _Finder(lines, line, column).find()


class _Finder:
    def __init__(self, lines: list[str], line: int, column: int) -> None:
        self.lines = lines
        self.line = line
        self.before = lines[line - 1][: column - 1]
        self.column = column
        self.stack: list[_Frame] = []
        self.text_under: int | None = None  # the indentation of what holds a block of text
        self.flow: tuple[int, int, int] | None = None  # where brackets opened: line, offset; and the indentation there
        self.depth = 0

    def find(self) -> Cursor:
        for number in range(self.line - 1):
            self.pass_line(number, self.lines[number])
        return self.at_cursor()

    def steps(self) -> Steps:
        return tuple(frame.key for frame in self.stack)

    # -- lines before the cursor ---------------------------------------------------------------------------------------

    def pass_line(self, number: int, line: str) -> None:
        content = line.lstrip(" \t")
        indent = len(line) - len(content)
        if not content or (content[0] == "#" and self.text_under is None) or content.startswith(("---", "%")):
            return
        if self.text_under is not None:
            if indent > self.text_under:
                return
            self.text_under = None
        if self.flow is not None and self.goes_on(indent, content):
            self.count(line)
            return
        self.block(number, line, indent, content)

    def goes_on(self, indent: int, content: str) -> bool:
        """Whether open brackets are still open: not where a line stands as a new entry beside the one with them."""
        assert self.flow is not None
        under = self.flow[2]
        if under >= 0 and indent <= under and (content[0] == "-" or key_of(content) is not None):
            self.flow, self.depth = None, 0
            return False
        return True

    def count(self, text: str) -> None:
        plain = QUOTED.sub("", text) if '"' in text or "'" in text else text
        self.depth += plain.count("{") + plain.count("[") - plain.count("}") - plain.count("]")
        if self.depth <= 0:
            self.flow, self.depth = None, 0

    def block(self, number: int, line: str, indent: int, content: str) -> tuple[int, str]:
        """Follows dashes and a name; (the column, from 0, of what comes behind them, and that)."""
        at, rest = indent, content
        while (rest == "-" or rest.startswith("- ")) and len(self.stack) <= DEEPEST:
            self.dash(at)
            inner = rest[1:].lstrip(" ")
            at, rest = at + len(rest) - len(inner), inner
        if rest[:1] in ("{", "["):
            self.open(number, at, indent if self.stack else -1, rest)
            return at, rest
        found = key_of(rest)
        if found is None:
            return at, rest
        name, behind = found
        self.name(at, name)
        value = rest[behind:].lstrip(" \t")
        at += len(rest) - len(value)
        if value[:1] in ("|", ">"):
            self.text_under = self.stack[-1].indent
        elif value[:1] in ("{", "["):
            self.open(number, at, indent, value)
        self.stack[-1].filled = bool(value) and value[0] != "#"
        return at, value

    def open(self, number: int, at: int, indent: int, value: str) -> None:
        self.flow = (number, at, indent)
        self.count(value)

    def dash(self, at: int) -> None:
        while self.stack and self.stack[-1].indent > at:
            self.stack.pop()
        top = self.stack[-1] if self.stack else None
        if top is not None and top.listed and top.indent == at:
            assert isinstance(top.key, int)
            top.key += 1
        else:
            self.stack.append(_Frame(at, 0, True))

    def name(self, at: int, name: str) -> None:
        self.leave(at)
        top = self.stack[-1] if self.stack else None
        if top is not None and not top.listed and (top.indent == at or top.filled):  # filled: indented by mistake
            top.key = name
        else:
            self.stack.append(_Frame(at, name, False))

    def leave(self, at: int) -> None:
        """Closes what ends before a name at that column."""
        while self.stack and (self.stack[-1].indent > at or (self.stack[-1].listed and self.stack[-1].indent == at)):
            self.stack.pop()

    # -- the cursor's line ---------------------------------------------------------------------------------------------

    def at_cursor(self) -> Cursor:
        before = self.before
        content = before.lstrip(" \t")
        indent = len(before) - len(content)
        whole = self.lines[self.line - 1]
        if self.text_under is not None and (indent > self.text_under or not whole.strip()):
            return Cursor(self.steps(), VALUE, before, self.line, self.column, self.column, text=True)
        self.text_under = None
        if self.flow is not None and (not content or self.goes_on(indent, content)):
            return self.in_flow()
        started = len(self.stack)
        at, rest = self.block(self.line - 1, before, indent, content)
        if self.flow is not None:
            return self.in_flow()
        if rest[:1] in ("{", "[") and self.depth == 0:  # closed again
            return Cursor(self.steps(), VALUE, "", self.line, self.column, self.column)
        if content and (self.text_under is not None or key_of(_behind_dashes(content)) is not None):
            return self.value(at, rest)
        dashed = content.startswith("- ") or content == "-"
        return self.bare(at, rest, dashed, started)

    def value(self, at: int, rest: str) -> Cursor:
        """Behind `name:`."""
        quote = rest[:1] if rest[:1] in ("'", '"') else ""
        end = _end_of_value(self.lines[self.line - 1], at, quote)
        column = self.stack[-1].indent + 1
        start = at + 1 + len(quote)
        return Cursor(self.steps(), VALUE, rest[len(quote) :], self.line, start, max(end, start), quote, column=column)

    def bare(self, at: int, rest: str, dashed: bool, started: int) -> Cursor:
        """A word without a colon, or nothing yet: a name, or a value on a line of its own."""
        if not dashed:
            if not rest:
                at = len(self.before)
            while self.stack and self.stack[-1].indent > at:
                self.stack.pop()
            top = self.stack[-1] if self.stack else None
            if top is not None and not top.listed and (top.indent == at or top.filled):
                self.stack.pop()
        quote = rest[:1] if rest[:1] in ("'", '"') else ""
        line = self.lines[self.line - 1]
        end = _end_of_word(line, self.column - 1) + 1
        start = at + 1 + len(quote)
        return Cursor(
            self.steps(), KEY, rest[len(quote) :], self.line, start, max(end, start), quote, column=at + 1, item=dashed
        )

    # -- brackets ------------------------------------------------------------------------------------------------------

    def in_flow(self) -> Cursor:
        assert self.flow is not None
        first, offset, _ = self.flow
        if first == self.line - 1:
            text = self.before[offset:]
        else:
            between = self.lines[first + 1 : self.line - 1]
            text = "\n".join([self.lines[first][offset:], *between, self.before])
        found = Brackets(text).follow()
        line = self.lines[self.line - 1]
        start = max(self.column - (len(text) - found.begun), 1)
        end = _end_in_flow(line, self.column - 1, found.quote) + 1
        slot = KEY if found.names else VALUE
        steps = self.steps() + found.steps
        return Cursor(steps, slot, found.written, self.line, start, max(end, start), found.quote, True, self.column)


def _behind_dashes(content: str) -> str:
    while content.startswith("- "):
        content = content[2:].lstrip(" ")
    return content


def _end_of_value(line: str, at: int, quote: str) -> int:
    """The column behind a value on its line, without its closing quote or a comment."""
    if quote:
        match = QUOTED.match(line, at)
        end = match.end() if match else len(line)
        return end if end - at > 1 and line[end - 1] == quote else end + 1
    comment = line.find(" #", at)
    return len((line if comment < 0 else line[:comment]).rstrip()) + 1


def _end_of_word(line: str, at: int) -> int:
    while at < len(line) and (line[at].isalnum() or line[at] == "_"):
        at += 1
    return at


def _end_in_flow(line: str, at: int, quote: str) -> int:
    """The offset behind what is written: up to the next bracket, comma or closing quote."""
    stop = quote or ",]}"
    while at < len(line) and line[at] not in stop:
        if not quote and line[at : at + 1] in (":", "{", "["):
            break
        at += 1
    if quote:
        return at
    return at if line[:at].endswith(" ") is False else len(line[:at].rstrip()) if line[:at].rstrip() else at
