"""Values that arrive at run time (LANGUAGE §3, §9)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopstep.types.conform import DEEPEST, Problem, conform, conform_fields
from loopstep.types.schema import MISSING, Schema, describe, fields_from_json, fields_to_json

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ORDER: dict[str, Any] = {
    "customer": {"type": "string", "required": True, "minLength": 1, "maxLength": 4},
    "count": {"type": "integer", "minimum": 1, "maximum": 9},
    "note": {"type": "string", "default": "none"},
    "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "default": ["new"]},
    "address": {
        "type": "object",
        "properties": {"city": {"type": "string", "required": True}, "zip": {"type": "string", "default": "0"}},
    },
    "extra": {"type": "object", "properties": {"a": {"type": "number"}}, "additional": True},
    "due": {"type": "datetime"},
    "anything": {"type": "any"},
    "open": {"type": "object"},
    "flag": {"type": "boolean"},
    "kind": {"type": "string", "enum": ["a", "b"]},
}
FIELDS = fields_from_json(ORDER)


def faults(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(problem.path, problem.code) for problem in conform_fields(values, FIELDS)[1]]


def test_schemas_travel_as_json() -> None:
    assert fields_to_json(FIELDS) == ORDER
    assert Schema.from_json({"type": "string", "description": "x"}).to_json() == {"type": "string"}


def test_missing_is_one() -> None:
    assert copy.deepcopy(MISSING) is copy.copy(MISSING) is pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert not MISSING and repr(MISSING) == "MISSING"


def test_a_good_value_gets_its_defaults_and_numbers() -> None:
    value, problems = conform_fields({"customer": "C", "count": 5.0, "address": {"city": "B"}, "flag": None}, FIELDS)
    assert not problems
    assert value == {"customer": "C", "count": 5, "address": {"city": "B", "zip": "0"}, "note": "none", "tags": ["new"]}
    assert type(value["count"]) is int
    value["tags"].append("changed")
    assert FIELDS["tags"].default == ["new"]


def test_what_was_given_is_not_changed() -> None:
    given = {"customer": "C", "address": {"city": "B"}, "open": {"n": 1.0}}
    before = copy.deepcopy(given)
    conform_fields(given, FIELDS)
    assert given == before


def test_null_stays_inside_any_and_open_objects() -> None:
    given = {"customer": "C", "anything": {"a": None}, "open": {"a": [None]}, "extra": {"b": None, "a": None}}
    value, problems = conform_fields(given, FIELDS)
    assert not problems
    assert value["anything"] == {"a": None} and value["open"] == {"a": [None]} and value["extra"] == {"b": None}
    value, _ = conform_fields({"customer": "C", "anything": None}, FIELDS)
    assert "anything" not in value


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [("/customer", "required")]),
        ({"customer": None}, [("/customer", "required")]),
        ({"customer": ""}, [("/customer", "minLength")]),
        ({"customer": "12345"}, [("/customer", "maxLength")]),
        ({"customer": "😀😀😀😀"}, []),
        ({"customer": 3}, [("/customer", "type")]),
        ({"customer": "\ud800"}, [("/customer", "text")]),
        ({"customer": "C", "cuont": 1, "a/b~": 1}, [("/cuont", "unknown"), ("/a~1b~0", "unknown")]),
        ({"customer": "C", "count": 0}, [("/count", "minimum")]),
        ({"customer": "C", "count": 10}, [("/count", "maximum")]),
        ({"customer": "C", "count": 1.5}, [("/count", "type")]),
        ({"customer": "C", "count": True}, [("/count", "type")]),
        ({"customer": "C", "count": 2**53}, [("/count", "number")]),
        ({"customer": "C", "count": float("inf")}, [("/count", "number")]),
        ({"customer": "C", "tags": []}, [("/tags", "minItems")]),
        ({"customer": "C", "tags": ["a", None, "c"]}, [("/tags", "maxItems"), ("/tags/1", "null")]),
        ({"customer": "C", "tags": "a"}, [("/tags", "type")]),
        ({"customer": "C", "address": {"zip": 1}}, [("/address/zip", "type"), ("/address/city", "required")]),
        ({"customer": "C", "address": []}, [("/address", "type")]),
        ({"customer": "C", "extra": {"b": 10**400}}, [("/extra/b", "number")]),
        ({"customer": "C", "extra": {"\ud800": 1}}, [("/extra/\ud800", "text")]),
        ({"customer": "C", "due": "tomorrow"}, [("/due", "form")]),
        ({"customer": "C", "anything": [{"n": float("nan")}]}, [("/anything/0/n", "number")]),
        ({"customer": "C", "kind": "c"}, [("/kind", "enum")]),
        ({"customer": "C", "kind": 1}, [("/kind", "type")]),
        ({"customer": "C", "flag": 1}, [("/flag", "type")]),
    ],
)
def test_problems(given: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert faults(given) == expected


def test_messages_name_types_and_suggest_but_show_no_value() -> None:
    secret = "hunter2"
    problems = conform_fields({"custmer": secret, "count": secret, "kind": secret}, FIELDS)[1]
    assert not any(secret in problem.message for problem in problems)
    unknown = next(problem for problem in problems if problem.code == "unknown")
    assert unknown == Problem("/custmer", "unknown", 'custmer is not declared; did you mean "customer"?')
    assert "integer" in next(problem for problem in problems if problem.path == "/count").message


def test_depth_is_bounded() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    assert [problem.code for problem in conform(value, Schema("any"))[1]] == ["depth"]
    deep: Any = 1
    for _ in range(DEEPEST):
        deep = {"a": deep}
    assert conform(deep, Schema("any")) == (deep, [])
    while value:  # unwinds it, since freeing it at once would recurse
        value = value[0] if isinstance(value, list) else None


def test_the_root_has_the_path_it_is_given() -> None:
    assert conform(None, Schema("string"), "/x")[1] == [Problem("/x", "null", "null is not a string")]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (Schema("string"), "string"),
        (Schema("array", items=Schema("integer")), "array of integer"),
        (Schema("string", enum=("a", "b")), 'string ("a" or "b")'),
    ],
)
def test_types_in_words(schema: Schema, text: str) -> None:
    assert describe(schema) == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@UNTIMED
@given(st.dictionaries(st.sampled_from(list(ORDER)) | st.text(), JSON))
def test_every_value_is_judged_and_a_good_one_stays_as_it_became(values: dict[str, Any]) -> None:
    value, problems = conform_fields(values, FIELDS)
    if not problems:
        assert conform_fields(value, FIELDS) == (value, [])


def test_many_members_of_an_enum_are_judged_as_a_few() -> None:
    members: list[Any] = [*map(str, range(50)), 1, 2.5, True, [1], {"a": 1}, *map(float, range(60, 90))]
    schema = Schema.from_json({"type": "any", "enum": members})
    for value, fits in (
        ("7", True),
        (7, False),
        (1.0, True),
        (60, True),
        ([1.0], True),
        ({"a": 2}, False),
        (False, False),
    ):
        assert (conform(value, schema)[1] == []) is fits, value
    assert "…" in conform("none", schema)[1][0].message


def test_problems_are_told_up_to_a_number() -> None:
    schema = Schema.from_json({"type": "array", "items": {"type": "string"}})
    problems = conform(list(range(5000)), schema, "/x")[1]
    assert len(problems) == 1000 and problems[999].path == "/x/999"
