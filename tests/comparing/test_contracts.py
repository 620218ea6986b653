"""What is said to break nobody breaks nobody: every input that the older contract takes, the newer one takes too."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.comparing.contracts import received, sent
from loopstep.types.conform import conform_fields
from loopstep.types.schema import MISSING, Fields, Schema

NAMES = st.sampled_from(["a", "b", "c"])
LIMITS = st.none() | st.integers(0, 3)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 2) -> Schema:
    kinds = ["string", "integer", "number", "boolean", "any"] + (["array", "object"] if depth else [])
    kind = draw(st.sampled_from(kinds))
    extra: dict[str, Any] = {}
    if kind == "array":
        extra = {"items": draw(st.none() | schemas(depth - 1)), "min_items": draw(LIMITS)}
    elif kind == "object":
        extra = {"properties": draw(st.none() | fields(depth - 1)), "additional": draw(st.booleans())}
        extra["additional"] = extra["additional"] and extra["properties"] is not None
    elif kind == "string":
        extra = {"max_length": draw(LIMITS), "enum": draw(st.none() | st.just(("x", "y")) | st.just(("x",)))}
    elif kind in ("integer", "number"):
        extra = {"minimum": draw(LIMITS)}
    schema = Schema(kind, required=draw(st.booleans()), **extra)
    value = draw(values(schema))
    return schema._replace(default=value) if draw(st.booleans()) and value is not MISSING else schema


def fields(depth: int) -> st.SearchStrategy[Fields]:
    return st.dictionaries(NAMES, schemas(depth), max_size=3)


@st.composite
def values(draw: st.DrawFn, schema: Schema) -> Any:
    """A value that is likely to fit; MISSING where none is to be."""
    if schema.enum is not None:
        return draw(st.sampled_from(schema.enum))
    if schema.type == "string":
        return draw(st.text("xy", max_size=3))
    if schema.type in ("integer", "number"):
        return draw(st.integers(0, 4) if schema.type == "integer" else st.sampled_from([0, 1, 2.5]))
    if schema.type == "boolean":
        return draw(st.booleans())
    if schema.type == "array":
        return draw(st.lists(values(schema.items) if schema.items else st.integers(0, 3), min_size=0, max_size=3))
    if schema.type == "object":
        found = draw(maps(schema.properties or {}))
        return {**found, "z": 1} if schema.open and draw(st.booleans()) else found
    return draw(st.sampled_from([1, "x", True, [1]]))


@st.composite
def maps(draw: st.DrawFn, declared: Fields) -> dict[str, Any]:
    return {name: draw(values(schema)) for name, schema in declared.items() if schema.demanded or draw(st.booleans())}


@st.composite
def related(draw: st.DrawFn) -> tuple[Fields, Fields]:
    """Two contracts that have much in common."""
    before = draw(fields(2))
    changed = draw(fields(2))
    after = {**{name: each for name, each in before.items() if draw(st.booleans())}, **changed}
    if draw(st.booleans()):
        after = {name: before.get(name, each)._replace(required=draw(st.booleans())) for name, each in after.items()}
    return before, after


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_what_was_taken_is_taken(data: st.DataObject) -> None:
    before, after = data.draw(related())
    value = data.draw(maps(before))
    if conform_fields(value, before)[1] or any(each.breaks for each in sent("input", "input", before, after)):
        return
    assert conform_fields(value, after)[1] == []


@settings(max_examples=200, deadline=None)
@given(related())
def test_a_contract_is_no_other_than_itself(pair: tuple[Fields, Fields]) -> None:
    for each in pair:
        assert [*sent("i", "i", each, each), *received("o", "o", each, each)] == []


@settings(max_examples=200, deadline=None)
@given(related())
def test_a_difference_is_told_once_for_each_field(pair: tuple[Fields, Fields]) -> None:
    before, after = pair
    differ = {
        name
        for name in {*before, *after}
        if (before[name].to_json() if name in before else None) != (after[name].to_json() if name in after else None)
    }
    assert {each.place for each in sent("i", "i", before, after)} == {f"i.{name}" for name in differ}
    assert len(list(received("o", "o", before, after))) == len(differ)
