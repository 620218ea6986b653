"""The type of a literal list's members."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.compiler.elements import element_of
from loopstep.types.schema import describe


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ([1, 2.0], "integer"),
        ([1, 2.5], "number"),
        (["a", "b"], "string"),
        ([True, 1], "any"),
        ([], "any"),
        ([None, "a"], "any"),
        ([[1], [2.5]], "array of number"),
        ([{"a": 1, "b": "x"}, {"a": 2}], "object {a, b?}"),
        ([{"a": 1}, {"a": "x"}], "object {a}"),
    ],
)
def test_what_members_share(literal: list[Any], expected: str) -> None:
    found = element_of(literal)
    assert found is not None and describe(found) == expected


@pytest.mark.parametrize(
    ("literal", "present"),
    [([1, "a"], True), ([1, None], False), ([None], False), ([], True), ([[None]], True), ([{"a": None}], True)],
)
def test_null_is_a_member_that_may_be_absent(literal: list[Any], present: bool) -> None:
    found = element_of(literal)
    assert found is not None and found.required is present


def test_a_null_property_may_be_absent() -> None:
    found = element_of([{"a": None, "b": 1}, {"a": 1, "b": 2}])
    assert found is not None and found.properties is not None
    assert {name: schema.required for name, schema in found.properties.items()} == {"a": False, "b": True}


def test_no_list_has_no_members() -> None:
    assert element_of("text") is None
