"""(f) Bytes of compiled definition that a set_variable node takes, its retriers, its Catch and its spec included."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loopstep.compiler.compile import compile as compile_plan
from loopstep.compiler.emit import definition_text, emit, placeholder
from tests.bench.figures import Figure, Measurement, Target
from tests.bench.linear_plans import linear_plan

SIZES = (10, 100, 500, 1000)
TARGET = Target("<=", 1024)
TITLE = "bytes of definition (compact UTF-8, as stored) per node of a linear plan"
ACCOUNT = "arn:aws:lambda:eu-central-1:123456789012:function:loopstep-production"

Names = Callable[[str], str]


def measure(rounds: int = 1, sizes: Sequence[int] = SIZES) -> Measurement:
    """Exact, so `rounds` does not matter. The target is for what one more set_variable adds to a definition."""
    medians = {
        f"{size} nodes{kind}, bytes": float(definition_bytes(linear_plan(size, whens=bool(kind)), deployed))
        for kind in ("", ", one `when` in ten")
        for size in sizes
    }
    figures = [Figure("a set_variable node", _node(sizes[-1], deployed), "bytes", TARGET)]
    figures.append(Figure("the same as `loopstep compile` prints it", _node(sizes[-1], placeholder), "bytes"))
    for name, count in medians.items():
        figures.append(Figure(f"per node, of {name.removesuffix(', bytes')}", count / int(name.split()[0]), "bytes"))
    return Measurement("definitions", TITLE, tuple(figures), medians, rounds)


def deployed(name: str) -> str:
    """A function's ARN, as long as a real one."""
    return f"{ACCOUNT}-{name}:live"


def definition_bytes(plan: str, names: Names) -> int:
    """The length of a plan's definition. Raises ValueError for a plan with errors."""
    compiled = compile_plan(plan)
    if compiled.program is None:
        raise ValueError(f"the plan does not compile: {compiled.diagnostics[:3]}")
    return len(definition_text(emit(compiled.program, names)).encode())


def _node(nodes: int, names: Names) -> float:
    small, large = (definition_bytes(linear_plan(size, whens=False), names) for size in (2, nodes))
    return (large - small) / (nodes - 2)
