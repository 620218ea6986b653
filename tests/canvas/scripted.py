"""Models and sources as pure functions of what they are asked, for the engine and for the walk over the plan alike."""

from __future__ import annotations

import hashlib
from typing import Any


def _number(*asked: Any) -> int:
    return int(hashlib.sha256(repr(asked).encode()).hexdigest()[:8], 16)


def answer(node: str, fields: list[tuple[str, str]], *asked: Any) -> dict[str, Any]:
    """What a model answers: a text for one field, else a value of its type for each, now and then none."""
    number = _number(node, *asked)
    if len(fields) == 1:
        return {fields[0][0]: f"{node} says {number}"}
    values = {"number": number % 7, "boolean": number % 2 == 0, "array": [number % 5], "object": {"n": number % 5}}
    return {
        name: values.get(kind, f"{name} {number}")
        for position, (name, kind) in enumerate(fields)
        if (number >> position) % 4
    }


def evidence(node: str, query: str) -> dict[str, Any]:
    """What a retrieval brings."""
    number = _number(node, query)
    found = [{"id": str(i), "sourceType": "DOCUMENT", "content": f"{node} {number} {i}"} for i in range(number % 3)]
    return {"evidences": found, "evidenceCount": len(found), "sourceType": "DOCUMENT", "diagnostics": {}}


def choose(node: str, count: int, *asked: Any) -> int:
    """The number of the branch that a model chooses."""
    return _number(node, *asked) % count
