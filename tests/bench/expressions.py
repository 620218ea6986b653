"""(e) Expressions a second, compiled once, beside jsonata-python on the same data."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import jsonata

from loopstep.expressions.evaluate import compile_tree
from loopstep.expressions.parse import parse
from loopstep.expressions.tree import to_tree
from tests.bench.figures import Figure, Measurement, Target, of_rounds, paired

DATA: dict[str, Any] = {
    "input": {
        "request": "r" * 250,
        "note": "here abc stands in the middle",
        "amount": 12,
        "level": "high",
        "flag": False,
    },
    "state": {"total": 7, "tags": ["red", "green", "blue"], "name": "vip-4711"},
}

# ours, and what one would write in JSONata for it
PAIRS = (
    (
        "length(input.request) >= 200 && contains(input.note, 'abc')",
        "$length(input.request) >= 200 and $contains(input.note, 'abc')",
    ),
    ("input.amount >= 10", "input.amount >= 10"),
    ("state.total + input.amount * 2", "state.total + input.amount * 2"),
    ("input.level in ['low', 'high']", "input.level in ['low', 'high']"),
    ("startsWith(state.name, 'vip')", "$substring(state.name, 0, 3) = 'vip'"),
    ("state.none != null && state.none > 3", "$exists(state.none) and state.none > 3"),
    ("!input.flag || state.total <= 5", "$not(input.flag) or state.total <= 5"),
    ("contains(state.tags, 'green')", "'green' in state.tags"),
)
TARGET = Target(">=", 30)
BLOCK = 0.01  # seconds a block of evaluations takes, about
TITLE = "evaluations a second of compiled expressions beside jsonata-python"

Evaluate = Callable[[], Any]


def measure(rounds: int = 15) -> Measurement:
    """Blocks of every expression in both evaluators, interleaved; raises AssertionError where their answers differ."""
    evaluators = {(index, side): each for index, pair in enumerate(PAIRS) for side, each in enumerate(_both(*pair))}
    seconds: dict[tuple[int, int], list[float]] = {key: [] for key in evaluators}
    counts = {key: _count(each) for key, each in evaluators.items()}
    order, shuffled = list(evaluators), random.Random(1)
    for _ in range(rounds):
        shuffled.shuffle(order)
        for key in order:
            seconds[key].append(_block(evaluators[key], counts[key]) / counts[key])
    return Measurement("expressions", TITLE, tuple(_figures(seconds, rounds)), _medians(seconds), rounds)


def _both(ours: str, theirs: str) -> tuple[Evaluate, Evaluate]:
    ast, faults = parse(ours)
    assert ast is not None, faults
    closure, other = compile_tree(to_tree(ast)), jsonata.Jsonata(theirs)
    assert closure(DATA) == other.evaluate(DATA), ours
    return (lambda: closure(DATA)), (lambda: other.evaluate(DATA))


def _count(evaluate: Evaluate) -> int:
    """How often it goes into a block."""
    return max(5, int(BLOCK / (_block(evaluate, 20) / 20)))


def _block(evaluate: Evaluate, count: int) -> float:
    """Seconds that `count` evaluations take, without the garbage collector."""
    gc.disable()
    try:
        began = time.perf_counter()
        for _ in range(count):
            evaluate()
        return time.perf_counter() - began
    finally:
        gc.enable()


def _figures(seconds: dict[tuple[int, int], list[float]], rounds: int) -> list[Figure]:
    """The mix (each expression as often as the others), then each for itself."""
    mixes = [[sum(seconds[index, side][n] for index in range(len(PAIRS))) for n in range(rounds)] for side in (0, 1)]
    figures = [paired("times as many as jsonata-python", mixes[1], mixes[0], TARGET)]
    figures.append(of_rounds("expressions a second", [len(PAIRS) / mix for mix in mixes[0]], "1/s"))
    figures.append(of_rounds("expressions a second, jsonata-python", [len(PAIRS) / mix for mix in mixes[1]], "1/s"))
    for index, (ours, _) in enumerate(PAIRS):
        figures.append(paired(ours, seconds[index, 1], seconds[index, 0]))
    return figures


def _medians(seconds: dict[tuple[int, int], list[float]]) -> dict[str, float]:
    sides = ("loopstep", "jsonata-python")
    return {f"{PAIRS[index][0]}, {sides[side]}, us": median(each) * 1e6 for (index, side), each in seconds.items()}
