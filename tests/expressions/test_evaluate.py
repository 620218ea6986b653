"""What compiled trees compute (LANGUAGE §6)."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from loopstep.expressions.evaluate import ABSENT, NoValue, RangeFault, evaluate
from loopstep.expressions.parse import parse
from loopstep.expressions.tree import convert_tree, default_tree, literal_tree, map_references, to_tree

BIG = 2**53 - 1
DATA: dict[str, Any] = {
    "input": {
        "n": 3,
        "x": 2.5,
        "t": True,
        "s": "a😀c",
        "tags": ["a", "b"],
        "ones": [1, 0],
        "o": {"k": {"z": 1}, "gone": None},
        "big": BIG,
        "low": "\uffff",
        "high": "\U00010000",
        "客户": "北京",
    },
    "items": [{"f": 1}, {"f": 2}, {}],
    "path": [4, 7],
}


def value(text: str) -> Any:
    ast, faults = parse(text)
    assert ast is not None and not faults
    tree = to_tree(ast)
    assert json.loads(json.dumps(tree)) == tree
    return evaluate(tree, DATA)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("input.n", 3),
        ("input.客户", "北京"),
        ("input.o.k.z", 1),
        ("input.tags[1]", "b"),
        ("input.tags[2]", ABSENT),
        ("input.o.gone", ABSENT),
        ("input.zz", ABSENT),
        ("state.zz", ABSENT),
        ("items.f", [1, 2]),
        ("items.f[1]", 2),
        ("items[0].f", 1),
        ("length(items)", 3),
        ("input.n + 1", 4),
        ("input.n - 1 - 1", 1),
        ("input.n - 1 + 5", 7),
        ("input.x + 0.5", 3),
        ("input.x * 2", 5),
        ("input.x * -0.0", 0),
        ("-input.n", -3),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("1 + 2 * 3", 7),
        ("input.n >= 3 && input.n < 4 && !(input.n > 3) && input.n <= 3.0", True),
        ("input.n == 3.0 && input.n != 4", True),
        ("input.t == 1", False),
        ("1 == input.t", False),
        ("input.t in [1, 0]", False),
        ("contains(input.ones, input.t)", False),
        ("input.n in [1, 3.0]", True),
        ("'a' in input.tags && !('z' in input.tags)", True),
        ("input.low < input.high", True),
        ("'B' < 'a' && 'a' < 'é'", True),
        ("input.zz == null && null == input.zz && input.n != null", True),
        ("input.zz != null && input.zz > 3", False),
        ("input.zz > 3 || input.zz < 3 || input.zz >= input.n", False),
        ("startsWith(input.s, 'a😀') && endsWith(input.s, 'c') && contains(input.s, '😀c')", True),
        ("contains(input.s, '')", True),
        ("length(input.s)", 3),
        ("length(input.tags)", 2),
        ("length(input.zz)", ABSENT),
        ("input.zz + 1", ABSENT),
        ("contains(input.zz, 'a')", False),
        ("true || input.big * 2 > 1", True),
        ("false && input.big * 2 > 1", False),
        ("[input.n, 'x']", [3, "x"]),
        ("input.big", BIG),
        ("input.big - 1 + 1", BIG),
    ],
)
def test_values(text: str, expected: Any) -> None:
    result = value(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    "text", ["input.big + 1", "-input.big - 1", "input.big * 2", "input.big * input.big", "input.big * 1.5"]
)
def test_range(text: str) -> None:
    with pytest.raises(RangeFault) as caught:
        value(text)
    assert caught.value.code == "expr.range"


@pytest.mark.parametrize("number", [1e308, -1e308, math.inf, math.nan])
def test_not_finite(number: float) -> None:
    with pytest.raises(RangeFault):
        evaluate(["*", ["ref", "input", "v"], 10], {"input": {"v": number}})


def test_paths_and_operands() -> None:
    assert evaluate(["path", 1, 0], DATA) == 7
    assert evaluate(["path", 0, 1], DATA) == 5
    assert evaluate([">", ["seen", 0], 3], {"seen": [4]}) is True
    asked: list[int] = []

    def seen(index: int) -> Any:
        asked.append(index)
        return False

    assert evaluate(["&&", ["seen", 0], ["seen", 1]], {"seen": seen}) is False
    assert asked == [0]


def test_literals_stand_for_themselves() -> None:
    for data in (None, 3, "x", [1, ["ref", "input", "n"]], {"a": None}, []):
        assert evaluate(literal_tree(data), DATA) == data


def test_convert_and_default() -> None:
    source = ["ref", "input", "n"]
    assert evaluate(convert_tree(source, "string"), DATA) == "3"
    assert evaluate(convert_tree(["ref", "input", "zz"], "string"), DATA) is ABSENT
    assert evaluate(default_tree(convert_tree(["ref", "input", "zz"], "string"), "none"), DATA) == "none"
    assert evaluate(default_tree(["ref", "input", "zz"], []), DATA) == []
    assert evaluate(default_tree(source, 9), DATA) == 3
    assert evaluate(convert_tree(["lit", [{"content": "a"}]], "string", "evidences", "concat"), {}) == "a"
    assert evaluate(convert_tree(["lit", [{"content": "a"}] * 3], "array", "evidences", None, 1), {}) == [
        {"content": "a"}
    ]
    with pytest.raises(NoValue) as caught:
        evaluate(convert_tree(["ref", "input", "s"], "number"), DATA)
    assert (caught.value.code, caught.value.reason) == ("binding.no_value", "not_a_number")


def test_map_references() -> None:
    tree = [
        "+",
        ["ref", "loop", "index"],
        ["default", convert_tree(["ref", "loop", "index"], "number"), ["lit", [["ref"]]]],
        1,
    ]
    mapped = map_references(tree, lambda ref: ["path", 0, 0])
    assert mapped == ["+", ["path", 0, 0], ["default", convert_tree(["path", 0, 0], "number"), ["lit", [["ref"]]]], 1]
