"""CANVAS §4.2 and §4.3, cell by cell."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.convert.registry import KINDS, TARGETS, convert

A = {"id": "1", "title": "A", "content": "alpha", "score": 0.5}
B = {"id": "2", "title": "B", "content": "beta 世", "score": 0.25}
LONG = "ä" * 2500

CELLS: list[tuple[str, str, Any, Any]] = [
    ("text", "string", " whole \n", " whole \n"),
    ("text", "number", "The answer is 42.", 42),
    ("text", "number", "between -3.5 and 9", -3.5),
    ("text", "number", "about 1,234.5 km", 1234.5),
    ("text", "number", "1,234,567", 1234567),
    ("text", "number", "12,34", 12),
    ("text", "number", "1234,567", 1234),
    ("text", "number", "1,2345", 1),
    ("text", "number", "第3名", 3),
    ("text", "number", "２０２４年", 2024),
    ("text", "number", "温度-5", 5),
    ("text", "number", "(-5)", -5),
    ("text", "number", "f(x)-2", 2),
    ("text", "number", "x-2", 2),
    ("text", "number", "３-2", 3),
    ("text", "number", "+7", 7),
    ("text", "number", "−7", 7),
    ("text", "number", "- 7", 7),
    ("text", "number", "costs .5 or 5.", 0.5),
    ("text", "number", "v.5", 5),
    ("text", "number", "≈ 6.02e23 mol", 6.02e23),
    ("text", "number", "2e-3", 0.002),
    ("text", "number", "3em", 3),
    ("text", "boolean", "true", True),
    ("text", "boolean", " YES\n", True),
    ("text", "boolean", "False", False),
    ("text", "boolean", "0", False),
    ("text", "boolean", "No", False),
    ("text", "boolean", "maybe", True),
    ("text", "boolean", "   ", False),
    ("text", "object", '{"a": 1}', {"a": 1}),
    ("text", "object", '```json\n{"a": 1}\n```', {"a": 1}),
    ("text", "object", ' ```\n{"a": 1}``` ', {"a": 1}),
    ("text", "object", 'so: {"a": 1}', {"result": 'so: {"a": 1}'}),
    ("text", "object", LONG, {"result": LONG[:2000]}),
    ("text", "array", "[1, 2]", [1, 2]),
    ("text", "array", "```\n[1]\n```", [1]),
    ("text", "array", "one\n\ntwo  \r\n  three", ["one", "two", "three"]),
    ("text", "array", '{"a": 1}', ['{"a": 1}']),
    ("text", "array", " \n", []),
    ("text", "filePath", "out/report.md", "out/report.md"),
    ("text", "directoryPath", "out", "out"),
    ("text", "integer", "about 1,200", 1200),
    ("text", "any", "x", "x"),
    ("text", "duration", "PT1S", "PT1S"),
    ("evidence", "string", A, "alpha"),
    ("evidence", "boolean", A, True),
    ("evidence", "object", A, A),
    ("evidence", "array", A, [A]),
    ("evidences", "string", [A, B], "alpha"),
    ("evidences", "string", [], ""),
    ("evidences", "number", [A, B], 2),
    ("evidences", "integer", [A, B], 2),
    ("evidences", "boolean", [A], True),
    ("evidences", "boolean", [], False),
    ("evidences", "object", [B, A], B),
    ("evidences", "object", [], {}),
    ("evidences", "array", [A, B], [A, B]),
    ("evidenceCount", "string", 3, "3"),
    ("evidenceCount", "number", 3, 3),
    ("evidenceCount", "integer", 3, 3),
    ("evidenceCount", "boolean", 3, True),
    ("evidenceCount", "boolean", 0, False),
    ("evidenceCount", "object", 3, {"evidenceCount": 3}),
    ("evidenceCount", "array", 3, [3]),
    ("sourceType", "string", "GRAPH", "GRAPH"),
    ("sourceType", "boolean", "GRAPH", True),
    ("sourceType", "boolean", "", False),
    ("sourceType", "object", "GRAPH", {"sourceType": "GRAPH"}),
    ("sourceType", "array", "GRAPH", ["GRAPH"]),
    ("diagnostics", "string", {"error:kb": "世"}, '{"error:kb":"世"}'),
    ("diagnostics", "boolean", {}, False),
    ("diagnostics", "boolean", {"a": 1}, True),
    ("diagnostics", "object", {"a": 1}, {"a": 1}),
    ("diagnostics", "array", {"graph:1": "ok"}, [{"key": "graph:1", "value": "ok"}]),
    ("workingDirFiles", "string", ["a.txt", "b"], "a.txt"),
    ("workingDirFiles", "string", [], ""),
    ("workingDirFiles", "number", ["a", "b"], 2),
    ("workingDirFiles", "boolean", [], False),
    ("workingDirFiles", "boolean", ["a"], True),
    ("workingDirFiles", "object", ["a"], {"files": ["a"]}),
    ("workingDirFiles", "array", ["a"], ["a"]),
    ("workingDirFiles", "filePath", ["b/c.md", "a"], "b/c.md"),
    ("workingDirFiles", "directoryPath", ["b"], "b"),
    ("structured", "number", 3.5, 3.5),
    ("structured", "number", " 7 ", 7),
    ("structured", "integer", "12", 12),
    ("structured", "boolean", True, True),
    ("structured", "boolean", "TRUE", True),
    ("structured", "boolean", "yes", False),
    ("structured", "boolean", 1, False),
    ("structured", "boolean", {"a": 1}, False),
    ("structured", "object", {"a": 1}, {"a": 1}),
    ("structured", "array", [1], [1]),
    ("structured", "string", "x", "x"),
    ("structured", "string", 12, "12"),
    ("structured", "string", True, "true"),
    ("structured", "string", [1, "世"], '[1,"世"]'),
    ("structured", "filePath", "a/b", "a/b"),
    ("structured", "any", [1], [1]),
]

NONE: list[tuple[str, str, Any, str]] = [
    ("text", "number", "none at all", "not_a_number"),
    ("text", "number", "", "not_a_number"),
    ("text", "number", "1e999", "not_a_number"),
    ("text", "integer", "about 1.5", "not_a_number"),
    ("text", "filePath", "/etc", "unsafe_path"),
    ("text", "datetime", "soon", "wrong_form"),
    ("text", "scope", "x", "unsupported"),
    ("evidence", "number", A, "not_a_number"),
    ("evidence", "string", {"id": 1}, "absent"),
    ("evidence", "filePath", A, "unsupported"),
    ("evidences", "filePath", [A], "unsupported"),
    ("evidenceCount", "filePath", 3, "unsupported"),
    ("sourceType", "number", "GRAPH", "not_a_number"),
    ("sourceType", "filePath", "GRAPH", "unsupported"),
    ("diagnostics", "number", {"a": 1}, "not_a_number"),
    ("diagnostics", "directoryPath", {}, "unsupported"),
    ("workingDirFiles", "filePath", [], "absent"),
    ("workingDirFiles", "filePath", ["../x"], "unsafe_path"),
    ("structured", "number", "x", "not_a_number"),
    ("structured", "number", True, "not_a_number"),
    ("structured", "array", {"a": 1}, "not_json"),
    ("structured", "array", "[1]", "not_json"),
    ("structured", "object", [], "not_json"),
]


@pytest.mark.parametrize(("kind", "to", "value", "expected"), CELLS)
def test_value(kind: str, to: str, value: Any, expected: Any) -> None:
    result, reason = convert(value, kind, to)
    assert reason is None
    assert repr(result) == repr(expected)


@pytest.mark.parametrize(("kind", "to", "value", "reason"), NONE)
def test_no_value(kind: str, to: str, value: Any, reason: str) -> None:
    assert convert(value, kind, to) == (None, reason)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("to", TARGETS)
def test_null_is_absent_for_every_kind(kind: str, to: str) -> None:
    assert convert(None, kind, to) == (None, "absent")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("top1", "alpha"),
        ("concat", "alpha\n\nbeta 世"),
        ("json", '[{"id":"1","content":"alpha"},{"id":"2","content":"beta 世"}]'),
    ],
)
def test_modes_of_evidences(mode: str, expected: str) -> None:
    value = [{"id": "1", "content": "alpha"}, {"id": "2", "content": "beta 世"}]
    assert convert(value, "evidences", "string", mode) == (expected, None)


def test_top_k() -> None:
    assert convert([A, B], "evidences", "array", None, 1) == ([A], None)


def test_unknown_mode_or_kind() -> None:
    assert convert([A], "evidences", "string", "all") == (None, "unsupported")
    assert convert("x", "text", "string", "top1") == (None, "unsupported")
    assert convert("x", "nothing", "string") == (None, "unsupported")


def test_value_of_another_type_goes_by_its_own() -> None:
    """A variable of a kind may hold what a plan put there; then CANVAS §4.1 holds."""
    assert convert(3, "text", "string") == ("3", None)
    assert convert("5", "evidences", "number") == (5, None)
    assert convert(True, "evidenceCount", "number") == (1, None)
