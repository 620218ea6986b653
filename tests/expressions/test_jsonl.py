"""`loopstep eval --jsonl` (ARCHITECTURE §6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.expressions.jsonl import lines


def ask(expr: str, data: Any = None, types: Any = None, jsonata: bool = False) -> dict[str, Any]:
    (answer,) = lines([json.dumps({"expr": expr, "data": data, "types": types})], jsonata)
    found: dict[str, Any] = json.loads(answer)
    return found


INTEGER = {"type": "integer", "required": True}
OBJECT = {"type": "object", "required": True, "properties": {"a": {"type": "integer"}, "b": INTEGER}}


@pytest.mark.parametrize(
    ("expr", "data", "types", "answer"),
    [
        ("1 + 1", None, None, {"value": 2}),
        ("input.n * 2", {"input": {"n": 2.5}}, None, {"value": 5}),
        ("input.t == 1", {"input": {"t": True}}, None, {"error": "expr.type_mismatch"}),
        ("plan.input.n", {"plan": {"input": {"n": 1}}}, {"plan": {"input": {"n": INTEGER}}}, {"value": 1}),
        ("item.k[1] == 'b'", {"item": {"k": ["a", "b"]}}, None, {"error": "reference.optional"}),
        ("item.k[1] != null && item.k[1] == 'b'", {"item": {"k": ["a", "b"]}}, None, {"value": True}),
        ("item > 1", {"item": 2}, {"item": INTEGER}, {"value": True}),
        ("'x' in input.l", {"input": {"l": []}}, None, {"value": False}),
        ("input.m == null", {"input": {"m": None}}, None, {"value": True}),
        ("input.m", {"input": {}}, {"input": {"m": {"type": "string"}}}, {"value": None}),
        ("length(input.o)", {"input": {"o": {"a": None, "b": 1}}}, {"input": {"o": OBJECT}}, {"value": 1}),
        ("input.n", {"input": {"n": "x"}}, {"input": {"n": INTEGER}}, {"error": "input.contract"}),
        ("input.n", {"input": {"n": 1}}, {"input": {"n": {"type": "text"}}}, {"error": "schema.invalid"}),
        ("input.n + 1", {"input": {"n": 2**53 - 1}}, None, {"error": "expr.range"}),
        ("input.n +", {}, None, {"error": "expr.syntax"}),
        ("input.x", {"input": {}}, None, {"error": "reference.unknown_field"}),
        ("output.x", {}, None, {"error": "reference.unavailable"}),
    ],
)
def test_values(expr: str, data: Any, types: Any, answer: dict[str, Any]) -> None:
    assert ask(expr, data, types) == answer


def test_jsonata() -> None:
    answer = ask("input.n > 1 && input.s == 'x'", {"input": {"n": 2, "s": "x"}}, jsonata=True)
    assert answer == {"jsonata": "(($states.input.seen[0] > 1) and $states.input.seen[1])", "seen": [2, True]}
    assert ask("1 + 1", jsonata=True) == {"error": "expr.not_boolean"}


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "{}", '{"expr": 3}', '{"expr": "1", "data": []}', "[" * 100_000, '{"expr": "1", "types": {"a": 1}}'],
)
def test_bad_lines(line: str) -> None:
    (answer,) = lines([line])
    assert json.loads(answer).keys() <= {"error", "value"}
