"""Columns for people: aligned by display width, cut to one line, coloured only where click writes to a terminal."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from loopstep.diagnostics.render import width as cells

COLOURS = {
    "succeeded": "green",
    "completed": "green",
    "running": "cyan",
    "waiting": "cyan",
    "failed": "red",
    "timed_out": "red",
    "cancelled": "yellow",
}


def width(text: str) -> int:
    """Terminal cells, colours aside."""
    return cells(click.unstyle(text))


def plain(text: str) -> str:
    """Without what could move the cursor or turn the writing direction: a run's texts come from anywhere."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)


def cut(text: str, most: int) -> str:
    """At most so many cells, with an ellipsis where something is left out."""
    if width(text) <= most:
        return text
    kept = ""
    while width(kept + text[len(kept)]) < most:
        kept += text[len(kept)]
    return kept + "…"


def lines(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """The rows with aligned columns; the last column is not padded."""
    if not rows:
        return []
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        (indent + "  ".join(cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]


def coloured(status: str) -> str:
    """A status in its colour, plain where NO_COLOR says so (click drops colour where stdout is no terminal)."""
    colour = None if os.environ.get("NO_COLOR") else COLOURS.get(status)
    return click.style(status, fg=colour) if colour else status


def short(value: Any, most: int = 100) -> str:
    """A JSON value on one line."""
    return cut(plain(json.dumps(value, ensure_ascii=False)), most)


def message(item: dict[str, Any], most: int = 100) -> str:
    """A message's text on one line; one too large for the API's answer is only measured."""
    if item["text"] is None:
        return f"({item['omitted']['text']['bytes']} bytes)"
    return cut(plain(item["text"]), most)


def seconds(begin: str | None, end: str | None) -> float | None:
    """Between two timestamps of the API, None where one is missing."""
    if not begin or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


def span(value: float | None) -> str:
    """A time for people: 12 ms, 3.4 s, 5 min 20 s."""
    if value is None:
        return ""
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < 100:
        return f"{value:.1f} s"
    return f"{value // 60:.0f} min {value % 60:.0f} s"
