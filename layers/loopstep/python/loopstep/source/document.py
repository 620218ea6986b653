"""Values of a document with their places: what `load` returns and every later phase points into.

Places are kept as offsets into the text and become lines and columns only when somebody asks, because most values of
a plan are never complained about.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
# texts, which `re` compiles at their first use: only a fault inside a quoted scalar needs them
_IN_DOUBLE_QUOTES = r"(?s)\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u.{4}|U.{8}|x.{2}|.)|."
_IN_SINGLE_QUOTES = r"(?s)''|."


class Span(NamedTuple):
    """A stretch of text: 1-based, end exclusive, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int


START = Span(1, 1, 1, 1)


class Place(NamedTuple):
    """Where a diagnostic stands: a span and the JSON pointer (RFC 6901) of the value it is about."""

    span: Span
    pointer: str


class Fault(NamedTuple):
    """What `load` reports: document.syntax, document.duplicate_key, document.too_large or limit.depth."""

    code: str
    message: str
    span: Span
    pointer: str = ""
    hint: str = ""


class Text:
    """The text of a document, without a byte order mark, and its lines."""

    __slots__ = ("_starts", "content")

    def __init__(self, content: str) -> None:
        self.content = content
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Where each line begins. Lines end with LF, CR LF or CR."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(self.content))]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both 1-based."""
        starts = self._starts or self.starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span from offset `start` up to `end`."""
        return Span(*self.position(start), *self.position(max(start, end)))


class Value:
    """A value of the document. `parent` is the Mapping or Sequence that holds it, `key` its name or index there."""

    __slots__ = ("end", "key", "parent", "start", "text")

    def __init__(
        self, text: Text, start: int, end: int, parent: Mapping | Sequence | None = None, key: str | int | None = None
    ) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.parent = parent
        self.key = key

    @property
    def span(self) -> Span:
        return self.text.span(self.start, self.end)

    def pointer(self) -> str:
        """The JSON pointer (RFC 6901) from the root, which itself is ""."""
        steps: list[str] = []
        value: Value = self
        while value.parent is not None:
            steps.append(pointer_step(value.key))
            value = value.parent
        return "".join(reversed(steps))

    def place(self) -> Place:
        return Place(self.span, self.pointer())


class Scalar(Value):
    """A text, number, boolean or null. `value` is its JSON value; numbers may still be too large or not finite.

    `quoted` says that it was written as a text (in quotes or as a block), so it is a string whatever it looks like.
    """

    __slots__ = ("quoted", "value")

    def __init__(
        self,
        text: Text,
        start: int,
        end: int,
        value: str | int | float | bool | None,
        quoted: bool,
        parent: Mapping | Sequence | None = None,
        key: str | int | None = None,
    ) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.value = value
        self.quoted = quoted
        self.parent = parent
        self.key = key

    @property
    def raw(self) -> str:
        """The scalar as it is written, with its quotes."""
        return self.text.content[self.start : self.end]

    def within(self, start: int, end: int) -> Place:
        """The place of `value[start:end]`. Of a text over several lines it is the whole scalar (LANGUAGE §10)."""
        return self.parts()(start, end)

    def parts(self) -> Callable[[int, int], Place]:
        """`within`, for a text with many faults: what it takes to find them is worked out once."""
        offsets, text, pointer = self._offsets(), self.text, self.pointer()
        if offsets is None:
            whole = self.place()
            return lambda start, end: whole
        last = len(offsets) - 1

        def within(start: int, end: int) -> Place:
            first = offsets[min(start, last)]
            return Place(text.span(first, offsets[min(max(end, start), last)]), pointer)

        return within

    def _offsets(self) -> list[int] | range | None:
        """The offset of each character of a one-line text and of its end; None where lines or folds do not match."""
        raw = self.raw
        if not isinstance(self.value, str) or "\n" in raw or "\r" in raw:
            return None
        if raw == self.value:
            return range(self.start, self.end + 1)
        pattern = {'"': _IN_DOUBLE_QUOTES, "'": _IN_SINGLE_QUOTES}.get(raw[:1])
        if pattern is None or len(raw) < 2:
            return None
        offsets = [self.start + 1 + match.start() for match in re.finditer(pattern, raw[1:-1])]
        offsets.append(self.end - 1)
        return offsets if len(offsets) == len(self.value) + 1 else None


class Mapping(Value):
    """Names to values, in document order. Names are texts, however they are written (`true:` is the name "true")."""

    __slots__ = ("entries", "key_offsets")

    def __init__(
        self, text: Text, start: int, end: int, parent: Mapping | Sequence | None = None, key: str | int | None = None
    ) -> None:
        super().__init__(text, start, end, parent, key)
        self.entries: dict[str, Value] = {}
        self.key_offsets: dict[str, tuple[int, int]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def get(self, name: str) -> Value | None:
        return self.entries.get(name)

    @property
    def key_spans(self) -> dict[str, Span]:
        """Where each name is written."""
        return {name: self.text.span(*offsets) for name, offsets in self.key_offsets.items()}

    def at_key(self, name: str) -> Place:
        """The place of a name; its pointer is that of the entry."""
        return Place(self.text.span(*self.key_offsets[name]), self.pointer() + pointer_step(name))


class Sequence(Value):
    """A list of values."""

    __slots__ = ("items",)

    def __init__(
        self, text: Text, start: int, end: int, parent: Mapping | Sequence | None = None, key: str | int | None = None
    ) -> None:
        super().__init__(text, start, end, parent, key)
        self.items: list[Value] = []


def entry_pointer(holder: Mapping | Sequence | None, name: str | None) -> str:
    """The pointer of the value that comes next in an open container: the named entry, or the item after the last."""
    if holder is None:
        return ""
    return holder.pointer() + pointer_step(len(holder.items) if isinstance(holder, Sequence) else name)


def pointer_step(key: str | int | None) -> str:
    """One step of a JSON pointer, with its slash."""
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def plain(value: Value) -> Any:
    """The value as JSON data: dict, list, str, int, float, bool, None. Numbers are as written (5.0 stays a float)."""
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.entries.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value.items]
    raise TypeError(f"not a value of a document: {value!r}")
