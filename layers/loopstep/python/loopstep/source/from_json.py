"""JSON documents (RFC 8259) with positions. YAML's flow style looks alike, so `load` asks here first.

The standard parser would do, but it keeps no places and lets `NaN` and duplicate names through.
"""

from __future__ import annotations

import re
from json import loads
from typing import Final

from loopstep.source.document import Fault, Mapping, Scalar, Sequence, Text, Value, entry_pointer
from loopstep.source.faults import Faults, syntax, too_deep
from loopstep.source.limits import NESTING
from loopstep.source.scalars import integer

_TOKEN: Final = re.compile(
    r"""[ \t\r\n]*+(?:
        (?P<text>"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+")
      | (?P<mark>[\[\]{},:])
      | (?P<number>-?(?:0|[1-9][0-9]*)(?P<part>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?))(?![0-9A-Za-z.+-])
      | (?P<word>true|false|null)(?![0-9A-Za-z_])
    )""",
    re.VERBOSE,
)
_ESCAPES: Final = re.compile(r'[^\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*+)*+')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WORDS: Final = {"true": True, "false": False, "null": None}
_CLOSES: Final = {"}": Mapping, "]": Sequence}


class Unreadable(Exception):
    """The text is no JSON; `final`: nor could it be a plan in YAML's flow style."""

    def __init__(self, fault: Fault, final: bool = False) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.final = final


def read_json(text: Text) -> tuple[Value, list[Fault]]:
    """The root, and the duplicate names in document order. Raises Unreadable for anything else than one JSON value."""
    return _Reader(text).read()


class _Reader:
    """A loop over tokens; containers that are open stand on a stack, so no depth of input can exhaust Python's."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.faults = Faults()

    def read(self) -> tuple[Value, list[Fault]]:
        text, content = self.text, self.text.content
        stack: list[Mapping | Sequence] = []
        holder: Mapping | Sequence | None = None
        name: str | None = None
        offsets = (0, 0)
        at = 0
        state = _VALUE
        while state != _END:
            match = _TOKEN.match(content, at)
            if match is None:
                raise self._unexpected(at, state)
            kind, at = match.lastgroup, match.end()
            kind = "number" if kind == "part" else kind
            start = match.start(kind)  # type: ignore[arg-type]
            mark = content[start] if kind == "mark" else ""
            if mark == ":" and state == _COLON:
                state = _VALUE
            elif mark == "," and state == _COMMA:
                state = _NAME if type(holder) is Mapping else _VALUE
            elif mark in _CLOSES and state in _MAY_CLOSE and type(holder) is _CLOSES[mark]:
                assert holder is not None
                holder.end = at
                stack.pop()
                if not stack:
                    root: Value = holder
                    state = _END
                else:
                    holder, state = stack[-1], _COMMA
            elif kind == "text" and type(holder) is Mapping and state in _MAY_NAME:
                name, offsets, state = self._string(start, at), (start, at), _COLON
            elif state == _VALUE or (state == _FIRST and type(holder) is Sequence):
                value: Value
                if kind == "text":
                    value = Scalar(text, start, at, self._string(start, at), True, holder, name)
                elif kind == "number":
                    digits = content[start:at]
                    number = float(digits) if match["part"] else integer(digits)
                    value = Scalar(text, start, at, number, False, holder, name)
                elif kind == "word":
                    value = Scalar(text, start, at, _WORDS[content[start:at]], False, holder, name)
                elif mark == "{" or mark == "[":
                    if len(stack) >= NESTING:
                        raise self._too_deep(holder, name, start)
                    value = (Mapping if mark == "{" else Sequence)(text, start, at, holder, name)
                else:
                    raise self._unexpected(start, state)
                if type(holder) is Mapping:
                    assert name is not None
                    if name in holder.entries:
                        self.faults.duplicate(holder, name, offsets)
                    else:
                        holder.entries[name], holder.key_offsets[name] = value, offsets
                    name = None
                elif type(holder) is Sequence:
                    value.key = len(holder.items)
                    holder.items.append(value)
                if mark:
                    holder = value  # type: ignore[assignment]
                    stack.append(holder)  # type: ignore[arg-type]
                    state = _FIRST
                elif holder is None:
                    root, state = value, _END
                else:
                    state = _COMMA
            else:
                raise self._unexpected(start, state)
        rest = content[at:].lstrip(" \t\r\n")
        if rest:
            raise self._fail(len(content) - len(rest), "the document goes on behind its end")
        return root, self.faults

    def _string(self, start: int, end: int) -> str:
        """The text of a JSON string between its quotes."""
        raw = self.text.content[start + 1 : end - 1]
        if "\\" in raw:
            good = _ESCAPES.match(raw)
            if good is None or good.end() != len(raw):
                raise self._fail(start + 1 + (good.end() if good else 0), "this escape is not one of JSON's")
            raw = str(loads(self.text.content[start:end]))
            if _SURROGATE.search(raw):
                message = "the text holds half of a surrogate pair, which is no character"
                raise Unreadable(syntax(self.text, start, end, message), final=True)
        return raw

    def _too_deep(self, holder: Mapping | Sequence | None, name: str | None, start: int) -> Unreadable:
        return Unreadable(too_deep(self.text, start, start + 1, entry_pointer(holder, name)), final=True)

    def _unexpected(self, at: int, state: int) -> Unreadable:
        content = self.text.content
        at += len(content[at:]) - len(content[at:].lstrip(" \t\r\n"))
        if at >= len(content):
            at = max(len(content.rstrip()) - 1, 0)
            return self._fail(at, f"the document ends where {_EXPECTED[state]} should stand")
        if content[at] == '"':
            return self._fail(at, "this text is not closed, or holds a line break or control character")
        return self._fail(at, f"{_EXPECTED[state]} should stand here")

    def _fail(self, at: int, message: str) -> Unreadable:
        return Unreadable(syntax(self.text, at, at + 1, f"{message} (JSON)"))


_VALUE, _FIRST, _NAME, _COLON, _COMMA, _END = range(6)
_MAY_CLOSE: Final = (_FIRST, _COMMA)
_MAY_NAME: Final = (_FIRST, _NAME)
_EXPECTED: Final = ("a value", "a value or a closing bracket", "a name in double quotes", "a colon", "a comma", "")
