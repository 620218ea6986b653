"""Columns for people: aligned by display width, cut to one line, coloured only where click writes to a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from loopstep.diagnostics.one_line import cut as cut
from loopstep.diagnostics.one_line import plain as plain
from loopstep.diagnostics.one_line import short as short
from loopstep.diagnostics.render import width as cells

COLOURS = {
    "succeeded": "green",
    "completed": "green",
    "running": "cyan",
    "waiting": "cyan",
    "failed": "red",
    "timed_out": "red",
    "cancelled": "yellow",
    "ended": "yellow",
}


def width(text: str) -> int:
    """Terminal cells, colours aside."""
    return cells(click.unstyle(text))


def columns() -> int | None:
    """How wide a line may be: the terminal's width, or what COLUMNS says; None where nobody looks."""
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return max(40, shutil.get_terminal_size((80, 24)).columns)
    return None


def padded(text: str, size: int) -> str:
    """The text with blanks up to so many cells."""
    return text + " " * (size - width(text))


def folded(text: str, most: int, indent: str) -> list[str]:
    """The text in lines of so many cells, broken at blanks where there are some; further lines stand in a little."""
    found = [indent + text[: len(text) - len(text.lstrip())]]
    fresh = True
    for word in text.split():
        if not fresh and width(found[-1]) + 1 + width(word) > most:
            found.append(f"{indent}    ")
            fresh = True
        found[-1] += word if fresh else f" {word}"
        fresh = False
    return [cut(line, most) for line in found]


def moment(at: str | None) -> str:
    """A timestamp of the API to the second, UTC: 2026-11-30 17:59:13Z."""
    return f"{at[:10]} {at[11:19]}Z" if at else ""


def middle_cut(text: str, most: int | None) -> str:
    """At most so many cells, with the ellipsis inside: names differ at their ends as often as at their beginnings."""
    if most is None or width(text) <= most:
        return text
    end = most // 2
    return cut(text, most - end) + text[-end:] if text.isascii() else cut(text, most)


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


def message(item: dict[str, Any], most: int = 100) -> str:
    """A message's text on one line; one too large for the API's answer is only measured."""
    if item["text"] is None:
        return left_out(item["omitted"]["text"])
    return cut(plain(item["text"]), most)


def left_out(omitted: dict[str, Any]) -> str:
    """What stands for a value that is too large for the API's answer."""
    link = ", see --json for a link" if omitted.get("url") else ""
    return f"({size(omitted['bytes'])}, left out{link})"


def size(count: int) -> str:
    """Bytes for people: 812 bytes, 340 kB, 6.0 MB."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 999_500 else f"{count / 1_000_000:.1f} MB"


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
