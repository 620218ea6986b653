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


def test_no_list_has_no_members() -> None:
    assert element_of("text") is None
