"""Assignability, rule by rule (LANGUAGE §3)."""

from __future__ import annotations

import pytest

from loopstep.types.assignable import assignable, literal
from loopstep.types.schema import TYPES, UNKNOWN_TYPE, Schema

STRING, INTEGER, NUMBER, ANY = Schema("string"), Schema("integer"), Schema("number"), Schema("any")


def obj(additional: bool = False, **properties: Schema) -> Schema:
    return Schema("object", properties=properties, additional=additional)


def enum(*members: object, type: str = "string") -> Schema:
    return Schema(type, enum=members)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_types(source: str, target: str) -> None:
    fits = source == target or target == "any" or (source, target) == ("integer", "number")
    found = assignable(Schema(source), Schema(target))
    assert (found is None) == fits
    if found is not None:
        assert source in found.reason and target in found.reason


REQUIRED, DEFAULTED = Schema("string", required=True), Schema("string", required=True, default="x")

FITS = [
    (enum("a"), enum("a", "b")),
    (enum("a"), STRING),
    (enum(1, type="integer"), enum(1.0, 2, type="number")),
    (Schema("array", items=INTEGER), Schema("array", items=NUMBER)),
    (Schema("array", items=INTEGER), Schema("array")),
    (Schema("array", items=INTEGER), Schema("array", items=ANY)),
    (Schema("object"), Schema("object")),
    (obj(a=STRING), Schema("object")),
    (obj(True, a=STRING), Schema("object")),
    (obj(a=REQUIRED), obj(a=REQUIRED)),
    (obj(a=Schema("string", default="x")), obj(a=REQUIRED)),
    (obj(a=STRING), obj(a=DEFAULTED)),
    (obj(), obj(a=STRING)),
    (obj(), obj(a=DEFAULTED)),
    (obj(a=INTEGER), obj(a=NUMBER, b=STRING)),
    (obj(a=STRING, b=STRING), obj(True, a=STRING)),
    (Schema("string", max_length=9), Schema("string", min_length=3)),
    (Schema("string", secret=True), STRING),
]
FITS_NOT = [
    (STRING, enum("a")),
    (enum("a", "c"), enum("a", "b")),
    (ANY, enum("a", type="any")),
    (enum(1, type="integer"), enum(True, type="number")),
    (Schema("array"), Schema("array", items=ANY)),
    (Schema("array", items=NUMBER), Schema("array", items=INTEGER)),
    (Schema("object"), obj()),
    (Schema("object"), obj(True, a=STRING)),
    (obj(True, a=STRING), obj(True, a=STRING)),
    (obj(), obj(a=REQUIRED)),
    (obj(a=STRING), obj(a=REQUIRED)),
    (obj(a=STRING), obj(a=INTEGER)),
    (obj(a=STRING, b=STRING), obj(a=STRING)),
    (obj(a=obj(b=STRING)), obj(a=obj(b=REQUIRED))),
]


@pytest.mark.parametrize(("source", "target"), FITS)
def test_fits(source: Schema, target: Schema) -> None:
    assert assignable(source, target) is None


@pytest.mark.parametrize(("source", "target"), FITS_NOT)
def test_fits_not(source: Schema, target: Schema) -> None:
    found = assignable(source, target)
    assert found is not None and found.reason


def test_why_is_told_down_to_the_property() -> None:
    found = assignable(obj(a=obj(b=STRING)), obj(a=obj(b=INTEGER)))
    assert found is not None and "in a" in found.reason and "in b" in found.reason and found.kind == "type"
    found = assignable(obj(a=STRING), obj(a=REQUIRED))
    assert found is not None and found.kind == "optional"


@pytest.mark.parametrize("schema", [schema for pair in FITS + FITS_NOT for schema in pair])
def test_everything_fits_itself_unless_it_is_open_with_properties(schema: Schema) -> None:
    same = assignable(schema, schema) is None
    assert same or (schema.open and schema.properties is not None)


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        ("PT30S", Schema("duration"), "PT30S"),
        ("room", Schema("scope"), "room"),
        ("docs/a.md", Schema("filePath"), "docs/a.md"),
        (5.0, INTEGER, 5),
        (3, NUMBER, 3),
        ("a", enum("a", "b"), "a"),
        ({"a": None}, obj(a=STRING), {}),
        ({"x": None, "y": 2.0}, ANY, {"x": None, "y": 2}),
    ],
)
def test_literals(value: object, target: Schema, expected: object) -> None:
    assert literal(value, target) == (expected, None)


@pytest.mark.parametrize(
    ("value", "target", "code"),
    [
        ("P1M", Schema("duration"), "form"),
        ("", Schema("scope"), "form"),
        ("s" * 257, Schema("scope"), "form"),
        ("../a", Schema("filePath"), "form"),
        (1.5, INTEGER, "type"),
        (True, INTEGER, "type"),
        (2**53, NUMBER, "number"),
        (float("nan"), ANY, "number"),
        ("c", enum("a", "b"), "enum"),
        (True, enum(1, type="any"), "enum"),
        ("x", Schema("string", min_length=2), "minLength"),
        ({"b": 1}, obj(a=STRING), "unknown"),
        ([None], Schema("array", items=ANY), "null"),
    ],
)
def test_literals_that_do_not_fit(value: object, target: Schema, code: str) -> None:
    problem = literal(value, target)[1]
    assert problem is not None and problem.code == code


def test_what_a_document_says_wrongly_fits_everything() -> None:
    unknown = Schema(UNKNOWN_TYPE)
    for schema in (STRING, enum("a"), obj(a=REQUIRED), Schema("array", items=INTEGER)):
        assert assignable(unknown, schema) is None and assignable(schema, unknown) is None
    assert assignable(Schema("array", items=unknown), Schema("array", items=INTEGER)) is None
    assert literal(None, unknown) == (None, None) and literal([3], Schema("array", items=unknown)) == ([3], None)
