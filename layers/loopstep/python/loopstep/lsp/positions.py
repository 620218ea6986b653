"""Places of the compiler (1-based, columns in code points) and of the protocol (0-based, columns in code units)."""

from __future__ import annotations

from typing import Final

from lsprotocol.types import Position, PositionEncodingKind, Range

from loopstep.source.document import Span

_UTF8, _UTF32 = PositionEncodingKind.Utf8, PositionEncodingKind.Utf32
BOM: Final = "\ufeff"


class Positions:
    """Converts places of one text. Lines are the compiler's, which are the protocol's: LF, CR LF, CR end them."""

    def __init__(self, lines: list[str], encoding: str, marked: bool = False) -> None:
        self.lines = lines
        self.encoding = encoding
        self.marked = marked  # a byte order mark stands before the first line

    def position(self, line: int, column: int) -> Position:
        """Of a compiler's place; beyond the text it is the text's end."""
        line = min(max(line, 1), len(self.lines))
        before = self.lines[line - 1][: max(column, 1) - 1]
        return Position(line - 1, self._units(before) + self._mark(line))

    def range(self, span: Span) -> Range:
        return Range(self.position(span.line, span.column), self.position(span.end_line, span.end_column))

    def place(self, position: Position) -> tuple[int, int]:
        """(line, column) of the compiler; a column inside a character is that character's."""
        line = min(max(position.line, 0), len(self.lines) - 1) + 1
        row = self.lines[line - 1]
        units = max(position.character - self._mark(line), 0)
        if self.encoding == _UTF32 or row.isascii():
            return line, min(units, len(row)) + 1
        column = 0
        for character in row:
            width = self._width(character)
            if units < width:
                break
            units -= width
            column += 1
        return line, column + 1

    def _mark(self, line: int) -> int:
        return self._width(BOM) if self.marked and line == 1 else 0

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == _UTF32:
            return len(text)
        return sum(map(self._width, text))

    def _width(self, character: str) -> int:
        code = ord(character)
        if self.encoding == _UTF32:
            return 1
        if self.encoding == _UTF8:
            return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
        return 2 if code > 0xFFFF else 1
