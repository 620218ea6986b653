"""Triples as passages: rows with `subject`, `predicate`, `object` and, if it is there, `metadata`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from loopstep.knowledge.passage import Passage, Problem, Unreadable
from loopstep.knowledge.rows import Row
from loopstep.knowledge.strict_json import BadJson, json_object
from loopstep.knowledge.tables import shown

PARTS = ("subject", "predicate", "object")
METADATA = "metadata"
_LONGEST = 1_000  # characters of a part


def passages_of_triples(rows: Iterable[Row]) -> Iterator[Passage]:
    """One passage a triple. Raises Unreadable where a part is missing or no text, number or truth value."""
    for line, row in rows:
        _columns(line, row)
        subject, predicate, object = (_part(line, row, name) for name in PARTS)
        triple = {"subject": subject, "predicate": predicate, "object": object}
        yield Passage(subject[:200], f"{subject} {predicate} {object}", line, triple, _metadata(line, row))


def _columns(line: int, row: dict[str, Any]) -> None:
    unknown = next((name for name in row if name not in (*PARTS, METADATA)), None)
    if unknown is not None:
        message = f"{unknown[:100]} is none of {', '.join(PARTS)}, {METADATA}"
        raise Unreadable(Problem(line, message, unknown[:100]))


def _part(line: int, row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    text = "" if isinstance(value, (dict, list)) else shown(value)
    if not text:
        raise Unreadable(Problem(line, f"{name} is missing", name))
    if len(text) > _LONGEST:
        raise Unreadable(Problem(line, f"{name} is longer than {_LONGEST} characters", name))
    return text


def _metadata(line: int, row: dict[str, Any]) -> dict[str, Any] | None:
    """An object as it is; in CSV its JSON, any other text under `note`."""
    value = row.get(METADATA)
    if value is None or isinstance(value, dict):
        return value or None
    if not isinstance(value, str):
        raise Unreadable(Problem(line, f"{METADATA} has to be an object", METADATA))
    if not value.strip().startswith("{"):
        return {"note": value.strip()} if value.strip() else None
    try:
        return json_object(value) or None
    except BadJson as fault:
        raise Unreadable(Problem(line, f"{METADATA}: {fault}", METADATA)) from None
