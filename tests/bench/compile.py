"""(a) `loopstep compile` as a whole command beside `sfnx compile` on as many steps."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench.figures import Measurement, Target, of_rounds, paired, slopes
from tests.bench.linear_plans import linear_plan
from tests.bench.processes import SCRIPTS, Case, cpus, medians, rounds_of, walls
from tests.bench.sfnx_steps import sfnx_source

SIZES = (10, 100, 500, 1000)
RATIO = {100: Target("<=", 0.35)}
TOOLS = ("loopstep", "sfnx")
SLOPE = Target("<=", 0.5)
TITLE = "whole command `loopstep compile`, warm bytecode, beside `sfnx compile` on as many steps"


def measure(rounds: int = 11, sizes: Sequence[int] = SIZES) -> Measurement:
    """Time both commands; the sizes count nodes, the end among them (a plan has at most 1,000)."""
    with tempfile.TemporaryDirectory(prefix="bench-compile-") as folder:
        spent = rounds_of([case for size in sizes for case in _cases(Path(folder), size)], rounds)
    ours = {size: walls(spent[f"loopstep {size}"]) for size in sizes}
    theirs = {size: walls(spent[f"sfnx {size}"]) for size in sizes}
    figures = [paired(f"time of {size} nodes / sfnx", ours[size], theirs[size], RATIO.get(size)) for size in sizes]
    if {100, 1000} <= set(sizes):
        own, other = slopes(ours, 100, 1000), slopes(theirs, 100, 1000)
        figures.append(paired("slope 100..1000 / sfnx", own, other, SLOPE))
        figures.append(of_rounds("slope 100..1000", own, "ms/node"))
        figures.append(of_rounds("slope 100..1000 of sfnx", other, "ms/node"))
        own, other = (slopes({size: cpus(spent[f"{tool} {size}"]) for size in sizes}, 100, 1000) for tool in TOOLS)
        figures.append(paired("processor time slope / sfnx", own, other))
    for size in sizes:
        name = f"processor time of {size} nodes / sfnx"
        figures.append(paired(name, cpus(spent[f"loopstep {size}"]), cpus(spent[f"sfnx {size}"])))
    return Measurement("compile", TITLE, tuple(figures), medians(spent), rounds)


def _cases(folder: Path, size: int) -> list[Case]:
    plan, module = folder / f"plan_{size}.yaml", folder / f"steps_{size}.py"
    plan.write_text(linear_plan(size), encoding="utf-8")
    module.write_text(sfnx_source(size), encoding="utf-8")
    return [
        Case(f"{tool} {size}", (str(SCRIPTS / tool), "compile", str(source), "-o", str(source) + ".json"), {})
        for tool, source in zip(TOOLS, (plan, module), strict=True)
    ]
