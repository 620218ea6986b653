"""The innermost value, or name of a mapping, at a line and column of a tree."""

from __future__ import annotations

from typing import NamedTuple

from loopstep.source.document import Mapping, Sequence, Value


class Under(NamedTuple):
    """`key`: the name of an entry of `value` (a mapping) that the place is on; None: on the value itself."""

    value: Value
    key: str | None = None


def offset_of(root: Value, line: int, column: int) -> int:
    """The offset of a 1-based place in the tree's text."""
    starts = root.text.starts
    line = min(max(line, 1), len(starts))
    end = starts[line] if line < len(starts) else len(root.text.content) + 1
    return min(starts[line - 1] + column - 1, max(end - 1, 0))


def under(root: Value | None, line: int, column: int) -> Under | None:
    """What stands at a 1-based place; the end of a word belongs to it."""
    if root is None:
        return None
    offset = offset_of(root, line, column)
    value = root
    while True:
        inner = _inner(value, offset)
        if inner is None:
            return Under(value)
        if isinstance(inner, str):
            return Under(value, inner)
        value = inner


def _inner(value: Value, offset: int) -> Value | str | None:
    if isinstance(value, Mapping):
        for name, (start, end) in value.key_offsets.items():
            if start <= offset <= end:
                return name
        return next((each for each in value.entries.values() if each.start <= offset <= each.end), None)
    if isinstance(value, Sequence):
        return next((each for each in value.items if each.start <= offset <= each.end), None)
    return None
