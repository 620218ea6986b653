"""Rows of tables: CSV with a header line, JSON Lines with an object each."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from loopstep.knowledge.passage import Problem, Unreadable
from loopstep.knowledge.strict_json import BadJson, json_object
from loopstep.types.text import json_text

MOST_COLUMNS = 256
MOST_ROW_BYTES = 32 * 1024  # so that an answer of 100 rows is one value
_MOST_PROBLEMS = 20

Row = tuple[int, dict[str, Any]]


def csv_rows(text: str) -> Iterator[Row]:
    """Line and columns of each row after the header; empty lines are passed over, empty cells left out.

    Raises Unreadable at the first row that is broken: what follows a broken quote means nothing.
    """
    reader = csv.reader(_lines(text), strict=True)
    header: list[str] | None = None
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = _header(cells, line)
                continue
            if len(cells) != len(header):
                raise Unreadable(Problem(line, f"{len(cells)} cells under {len(header)} columns"))
            row = {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()}
            yield line, _measured(row, line, sum(map(len, cells)))
    except csv.Error as fault:
        raise Unreadable(Problem(reader.line_num or 1, f"no CSV: {fault}")) from None


def json_rows(text: str) -> Iterator[Row]:
    """Line and object of each line that is not blank. Raises Unreadable with the first lines that are broken."""
    problems: list[Problem] = []
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            row = json_object(written)
            if len(row) > MOST_COLUMNS:
                raise BadJson(f"more than {MOST_COLUMNS} fields")
        except BadJson as fault:
            problems.append(Problem(line, str(fault)))
            if len(problems) == _MOST_PROBLEMS:
                break
            continue
        if not problems:
            yield line, _measured(row, line, len(written))
    if problems:
        raise Unreadable(*problems)


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"{line}\n"


def _header(cells: list[str], line: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) > MOST_COLUMNS:
        raise Unreadable(Problem(line, f"more than {MOST_COLUMNS} columns"))
    for place, name in enumerate(names, 1):
        if not name:
            raise Unreadable(Problem(line, f"column {place} has no name"))
        if names.index(name) != place - 1:
            raise Unreadable(Problem(line, f"two columns have the name {name[:100]}", name[:100]))
    return names


def _measured(row: dict[str, Any], line: int, characters: int) -> dict[str, Any]:
    if characters * 4 > MOST_ROW_BYTES and len(json_text(row).encode()) > MOST_ROW_BYTES:
        raise Unreadable(Problem(line, f"the row is larger than {MOST_ROW_BYTES // 1024} KiB"))
    return row
