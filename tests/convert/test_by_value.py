"""CANVAS §4.1, cell by cell."""

from __future__ import annotations

import math
from typing import Any

import pytest

from loopstep.convert.registry import convert

NAN, UNSUPPORTED, ABSENT = "not_a_number", "unsupported", "absent"

CELLS: list[tuple[Any, str, Any]] = [
    # string
    ("héllo 世界", "string", "héllo 世界"),
    ("", "string", ""),
    ("42", "number", 42),
    (" \t4.5\n", "number", 4.5),
    ("-7", "number", -7),
    ("+7", "number", 7),
    (".5", "number", 0.5),
    ("5.", "number", 5),
    ("1e3", "number", 1000),
    ("1.5E-3", "number", 0.0015),
    ("007", "number", 7),
    ("-0", "number", 0),
    ("1e-400", "number", 0),
    ("6.02e23", "number", 6.02e23),
    ("true", "boolean", True),
    (" YES ", "boolean", True),
    ("1", "boolean", True),
    ("1.0", "boolean", False),
    ("on", "boolean", False),
    ("", "boolean", False),
    ('{"a":1}', "object", {"a": 1}),
    (' {"a": 1.0} \n', "object", {"a": 1}),
    ("[1]", "object", {"value": "[1]"}),
    ("null", "object", {"value": "null"}),
    ('{"a":1,"a":2}', "object", {"value": '{"a":1,"a":2}'}),
    ('{"a": NaN}', "object", {"value": '{"a": NaN}'}),
    ('{"a": 1e999}', "object", {"value": '{"a": 1e999}'}),
    ('{"a": "\\ud800"}', "object", {"value": '{"a": "\\ud800"}'}),
    ('{"a": "\\ud83d\\ude00"}', "object", {"a": "😀"}),
    ('```json\n{"a":1}\n```', "object", {"value": '```json\n{"a":1}\n```'}),
    ("[1, 2]", "array", [1, 2]),
    ("[]", "array", []),
    ("a,b", "array", ["a,b"]),
    ('{"a":1}', "array", ['{"a":1}']),
    ("docs/a.md", "filePath", "docs/a.md"),
    ("docs", "directoryPath", "docs"),
    # number
    (3, "string", "3"),
    (3.0, "string", "3"),
    (-0.5, "string", "-0.5"),
    (1e-7, "string", "1e-7"),
    (1e21, "string", "1e+21"),
    (-0.0, "string", "0"),
    (9007199254740993, "string", "9007199254740992"),
    (3.0, "number", 3),
    (2.5, "number", 2.5),
    (0, "boolean", False),
    (-0.0, "boolean", False),
    (-1, "boolean", True),
    (7, "object", {"value": 7}),
    (7, "array", [7]),
    # boolean
    (True, "string", "true"),
    (False, "string", "false"),
    (True, "number", 1),
    (False, "number", 0),
    (True, "boolean", True),
    (False, "object", {"value": False}),
    (True, "array", [True]),
    # object
    ({"b": 1, "a": "世"}, "string", '{"b":1,"a":"世"}'),
    ({"n": 4}, "number", 4),
    ({"n": 4.0}, "number", 4),
    ({}, "boolean", False),
    ({"a": None}, "boolean", True),
    ({"a": 1}, "object", {"a": 1}),
    ({"a": 1, "b": [2]}, "array", [{"key": "a", "value": 1}, {"key": "b", "value": [2]}]),
    ({}, "array", []),
    # array
    ([1, "x", None], "string", '[1,"x",null]'),
    ([5, 6, 7], "number", 3),
    ([], "number", 0),
    ([], "boolean", False),
    ([0], "boolean", True),
    ([{"a": 1}], "object", {"a": 1}),
    ([1], "object", {"items": [1]}),
    ([{}, {}], "object", {"items": [{}, {}]}),
    ([], "object", {"items": []}),
    ([1], "array", [1]),
    # other targets
    ("42", "integer", 42),
    ("1e2", "integer", 100),
    (5.0, "integer", 5),
    (True, "integer", 1),
    ({"n": 4}, "integer", 4),
    ([1, 2], "integer", 2),
    ("2024-02-29T12:00:00Z", "datetime", "2024-02-29T12:00:00Z"),
    ("PT30S", "duration", "PT30S"),
    ("x", "any", "x"),
    (5.0, "any", 5),
    ([None], "any", [None]),
]

NONE: list[tuple[Any, str, str]] = [
    ("abc", "number", NAN),
    ("", "number", NAN),
    ("Infinity", "number", NAN),
    ("NaN", "number", NAN),
    ("0x10", "number", NAN),
    ("1,000", "number", NAN),
    ("1_000", "number", NAN),
    ("٣", "number", NAN),
    ("１", "number", NAN),
    ("1e", "number", NAN),
    (".", "number", NAN),
    ("1e400", "number", NAN),
    ("9" * 5000, "number", NAN),
    ("1.5", "integer", NAN),
    (2.5, "integer", NAN),
    ("1e300", "integer", NAN),
    ("9007199254740993", "integer", NAN),
    ({"n": 4, "m": 5}, "number", NAN),
    ({"n": "4"}, "number", NAN),
    ({"n": True}, "number", NAN),
    ({"n": None}, "number", NAN),
    ({}, "number", NAN),
    ("../x", "filePath", "unsafe_path"),
    ("/etc/passwd", "filePath", "unsafe_path"),
    ("", "directoryPath", "unsafe_path"),
    ("a\\..\\b", "filePath", "unsafe_path"),
    (7, "filePath", UNSUPPORTED),
    (False, "directoryPath", UNSUPPORTED),
    ({}, "filePath", UNSUPPORTED),
    ([], "directoryPath", UNSUPPORTED),
    ("tomorrow", "datetime", "wrong_form"),
    (7, "datetime", "wrong_form"),
    ("P1M", "duration", "wrong_form"),
    (" PT1S", "duration", "wrong_form"),
    ("ops", "scope", UNSUPPORTED),
    ("x", "nothing", UNSUPPORTED),
    (math.nan, "string", NAN),
    (math.inf, "number", NAN),
    (10**400, "number", NAN),
]


def same(left: Any, right: Any) -> bool:
    return repr(left) == repr(right)


@pytest.mark.parametrize(("value", "to", "expected"), CELLS)
def test_value(value: Any, to: str, expected: Any) -> None:
    result, reason = convert(value, "value", to)
    assert reason is None
    assert same(result, expected)


@pytest.mark.parametrize(("value", "to", "reason"), NONE)
def test_no_value(value: Any, to: str, reason: str) -> None:
    assert convert(value, "value", to) == (None, reason)


@pytest.mark.parametrize(
    "to", ["string", "number", "boolean", "object", "array", "filePath", "directoryPath", "any", "datetime", "scope"]
)
def test_null_is_absent(to: str) -> None:
    assert convert(None, "value", to) == (None, ABSENT)


def test_no_modes() -> None:
    assert convert("x", "value", "string", "concat") == (None, UNSUPPORTED)
