"""A table's rows as passages: a row is an evidence, its payload the row itself (CANVAS §3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from loopstep.knowledge.passage import Passage
from loopstep.knowledge.rows import Row
from loopstep.types.text import json_text

_TITLE = 200  # characters


def passages_of_rows(rows: Iterable[Row]) -> Iterator[Passage]:
    """`column: value` a line; the title is the first value."""
    for line, row in rows:
        texts = {name: shown(value) for name, value in row.items()}
        text = "\n".join(f"{name}: {value}" for name, value in texts.items() if value)
        if text:
            title = next((value for value in texts.values() if value), "")
            yield Passage(title[:_TITLE], text, line, row)


def shown(value: Any) -> str:
    """A cell as text: texts as they are, nothing for null, else compact JSON."""
    return value.strip() if isinstance(value, str) else "" if value is None else json_text(value)
