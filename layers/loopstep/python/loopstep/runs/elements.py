"""The elements of a fan_out: a list in its record, or an object from which every part reads its own alone.

Such an object begins with a table of offsets, 8 bytes each, then come the elements as JSON Lines. However long the
list is, a part reads 16 bytes and its element.
"""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any

from loopstep.runs.values import INLINE_LIMIT, Draft, Stored, Values, stored_size, text_of
from loopstep.types.text import json_text

_WIDTH = 8


def place(items: list[Any], draft: Draft) -> Stored:
    """The list as JSON text, or where its object will lie. Raises ValueTooLarge("items")."""
    text = text_of(items, "items")
    return text if stored_size(text) <= INLINE_LIMIT else draft.keep("items", packed(items))


def packed(items: list[Any]) -> bytes:
    """The object of a list: where each line begins and where the last one ends, then the lines."""
    lines = [json_text(item).encode() + b"\n" for item in items]
    offsets = accumulate(map(len, lines), initial=_WIDTH * (len(lines) + 1))
    return b"".join([*(offset.to_bytes(_WIDTH, "big") for offset in offsets), *lines])


def element(values: Values, items: Stored, number: int) -> Any:
    """The element of this number, from 0."""
    if isinstance(items, str):
        return json.loads(items)[number]
    table = values.slice(items, number * _WIDTH, (number + 2) * _WIDTH)
    start, end = (int.from_bytes(table[at : at + _WIDTH], "big") for at in (0, _WIDTH))
    return json.loads(values.slice(items, start, end))
