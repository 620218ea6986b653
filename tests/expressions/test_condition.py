"""A condition means the same in the node, in its residual, and in JSONata (ARCHITECTURE §2)."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.compiler.jsonata_subset import parses
from loopstep.expressions.check import Typed, check_boolean
from loopstep.expressions.evaluate import RangeFault, evaluate
from loopstep.expressions.parse import parse
from loopstep.expressions.to_jsonata import MAX_OPERANDS, Condition, condition, whole
from loopstep.expressions.tree import to_tree

HERE = Path(__file__).parent


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


conditions = _load("conditions")


def typed(text: str) -> Typed:
    ast, faults = parse(text)
    assert ast is not None and not faults, (text, faults)
    found = check_boolean(ast, conditions.SCOPE)
    assert found.faults == (), (text, found.faults)
    return found


def decide(compiled: Condition, data: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The residual's answer and the operands, as a node works them out: lazily, then the rest, null where it fails."""
    known: dict[int, Any] = {}

    def seen(index: int) -> Any:
        if index not in known:
            known[index] = evaluate(compiled.operands[index], data)
        return known[index]

    answer = evaluate(compiled.residual, {**data, "seen": seen})
    return answer, [known[i] if i in known else quiet(operand, data) for i, operand in enumerate(compiled.operands)]


def quiet(operand: Any, data: dict[str, Any]) -> Any:
    try:
        return evaluate(operand, data)
    except RangeFault:
        return None


def outcome(compute: Any) -> Any:
    try:
        return compute()
    except RangeFault:
        return "expr.range"


def jsonata_python(text: str, seen: list[Any]) -> Any:
    limit = sys.getrecursionlimit()  # the package raises it for the whole process
    import jsonata

    try:
        program = jsonata.Jsonata(text)
        program.assign("states", {"input": {"seen": seen}})
        return program.evaluate({})
    finally:
        sys.setrecursionlimit(limit)


@settings(max_examples=250, deadline=None)
@given(st.randoms(use_true_random=False))
def test_condition_means_the_same_everywhere(random: Random) -> None:
    found = typed(conditions.Maker(random).condition(3))
    compiled = condition(found)
    assert parses(compiled.jsonata)
    assert len(compiled.operands) <= MAX_OPERANDS
    for _ in range(4):
        data = conditions.data(random)
        expected = outcome(lambda data=data: evaluate(to_tree(found.ast), data))
        decided = outcome(lambda data=data: decide(compiled, data))
        if expected == "expr.range":
            assert decided == "expr.range"
            continue
        answer, seen = decided
        assert answer is expected
        assert jsonata_python(compiled.jsonata, seen) is expected, (compiled.jsonata, seen)
        assert jsonata_python(whole(found).jsonata, [expected]) is expected


def test_condition_means_the_same_in_npm_jsonata() -> None:
    modules = next(filter(_has_jsonata, _module_folders()), None)
    node = shutil.which("node")
    if node is None or modules is None:
        pytest.skip("node or its package jsonata is not installed")
    cases = _cases(400)
    lines = "".join(json.dumps({"text": text, "seen": seen}) + "\n" for text, seen, _ in cases)
    done = subprocess.run(
        [node, str(HERE / "seen.mjs"), str(modules)], input=lines, capture_output=True, encoding="utf-8", check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    for (text, seen, expected), answer in zip(cases, answers, strict=True):
        assert answer is expected, (text, seen)


def _module_folders() -> list[Path]:
    given = [Path(entry) for entry in os.environ.get("NODE_PATH", "").split(os.pathsep) if entry]
    return [*given, *(folder / "node_modules" for folder in (HERE.parent / "node", HERE.parent))]


def _has_jsonata(folder: Path) -> bool:
    return (folder / "jsonata" / "package.json").is_file()


def _cases(count: int) -> list[tuple[str, list[Any], bool]]:
    found: list[tuple[str, list[Any], bool]] = []
    random = Random(7)
    while len(found) < count:
        compiled = condition(typed(conditions.Maker(random).condition(3)))
        decided = outcome(lambda compiled=compiled: decide(compiled, conditions.data(random)))
        if decided != "expr.range":
            found.append((compiled.jsonata, decided[1], decided[0]))
    return found


@pytest.mark.parametrize(
    ("text", "jsonata", "operands"),
    [
        ("input.n >= 10", "($states.input.seen[0] >= 10)", [["ref", "input", "n"]]),
        ("input.flag", "$states.input.seen[0]", [["ref", "input", "flag"]]),
        ("input.flag == false", "($states.input.seen[0] = false)", [["ref", "input", "flag"]]),
        ("input.level == 'low'", '($states.input.seen[0] = "low")', [["ref", "input", "level"]]),
        ("input.level in ['low']", '($states.input.seen[0] in ["low"])', [["ref", "input", "level"]]),
        ("input.n in []", "($states.input.seen[0] in [])", [["ref", "input", "n"]]),
        ("input.odd == '世'", "$states.input.seen[0]", [["==", ["ref", "input", "odd"], "世"]]),
        ("input.s == 'x'", "$states.input.seen[0]", [["==", ["ref", "input", "s"], "x"]]),
        ("input.level < 'x'", "$states.input.seen[0]", [["<", ["ref", "input", "level"], "x"]]),
        ("'x' in input.tags", "$states.input.seen[0]", [["in", "x", ["ref", "input", "tags"]]]),
        ("input.n + 1 > -0.5", "($states.input.seen[0] > -0.5)", [["+", ["ref", "input", "n"], 1]]),
        ("length(input.s) == 3", "($states.input.seen[0] = 3)", [["call", "length", ["ref", "input", "s"]]]),
        ("input.m == null", "($states.input.seen[0] = null)", [["ref", "input", "m"]]),
        ("input.note == null", "$not($states.input.seen[0])", [["!=", ["ref", "input", "note"], None]]),
        ("input.pin != null", "$states.input.seen[0]", [["!=", ["ref", "input", "pin"], None]]),
        (
            "length(input.secret) > 8",
            "$states.input.seen[0]",
            [[">", ["call", "length", ["ref", "input", "secret"]], 8]],
        ),
        (
            "input.m != null && input.m > 3",
            "(($states.input.seen[0] != null) and ($states.input.seen[0] != null and ($states.input.seen[0] > 3)))",
            [["ref", "input", "m"]],
        ),
        (
            "input.opt != null && input.opt",
            "(($states.input.seen[0] != null) and ($states.input.seen[0] = true))",
            [["ref", "input", "opt"]],
        ),
        ("true", "true", []),
        ("!(1 > 2)", "$not((1 > 2))", []),
    ],
)
def test_what_the_choice_sees(text: str, jsonata: str, operands: list[Any]) -> None:
    compiled = condition(typed(text))
    assert (compiled.jsonata, list(compiled.operands)) == (jsonata, operands)


def test_no_text_of_a_plan_or_a_run_leaves_the_node() -> None:
    compiled = condition(typed("input.s == '{% $x %}' || contains(input.secret, 'seen[0]') || input.odd == \"it's\""))
    assert compiled.jsonata == "($states.input.seen[0] or $states.input.seen[1] or $states.input.seen[2])"


def test_much_or_deep_conditions_stay_small() -> None:
    many = " && ".join(f"input.n > {i} && input.x * {i} > input.n + {i}" for i in range(20))
    assert len(condition(typed(many)).operands) == 1
    chain = " || ".join(["input.flag"] * 290)
    compiled = condition(typed(chain))
    assert parses(compiled.jsonata)
    assert jsonata_python(compiled.jsonata, [True]) is True
    deep = "input.flag"
    for level in range(42):
        deep = f"!({deep})" if level % 2 else f"(input.n > 1 || {deep})"
    compiled = condition(typed(deep))
    assert parses(compiled.jsonata)
    answer, seen = decide(compiled, conditions.data(Random(1)))
    assert jsonata_python(compiled.jsonata, seen) is answer


def test_faults_do_not_compile() -> None:
    ast, _ = parse("input.n > 'x'")
    assert ast is not None
    with pytest.raises(ValueError, match="faults"):
        condition(check_boolean(ast, conditions.SCOPE))
