"""A tree as text: parsed again it gives the same tree."""

from __future__ import annotations

import pytest

from loopstep.expressions.parse import parse
from loopstep.expressions.tree import to_tree
from loopstep.expressions.unparse import tree_text


@pytest.mark.parametrize(
    "text",
    [
        "input.amount <= 50",
        "state.a[0].b != null",
        "a.b || a.c && !a.d",
        "(a.b || a.c) && !(a.d == 1)",
        "1 - a.x * (2 + a.y) - -3",
        "a.x - (a.y - 1)",
        "-(a.x + 1) * 2 > 0",
        "a.s in ['x', \"it's\", '客户']",
        "startsWith(a.s, 'x') && length(a.list) >= 2",
        "(a.x == 1) == (a.y == 2)",
        "contains(a.s, '\\'')",
        "true",
    ],
)
def test_there_and_back(text: str) -> None:
    ast, faults = parse(text)
    assert ast is not None and not faults
    tree = to_tree(ast)
    again, faults = parse(tree_text(tree))
    assert again is not None and not faults, tree_text(tree)
    assert to_tree(again) == tree


def test_what_authors_do_not_write() -> None:
    assert tree_text(["path", 1, 0], lambda position, first: f"loop{position}{first}") == "loop10"
    assert tree_text([">", ["path", 0, 1], 2]) == "loop.iteration > 2"
    assert tree_text(["default", ["convert", ["ref", "input", "x"], {"to": "number"}], ["lit", [1]]]) == (
        "default(convert(input.x, number), [1])"
    )
