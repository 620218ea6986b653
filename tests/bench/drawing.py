"""The picture of a plan with 1,000 nodes: from the data of its graph to the SVG, as the API draws it."""

from __future__ import annotations

import time

from loopstep.compiler.compile import compile
from loopstep.services.describe_graph import describe_graph
from loopstep.services.draw_plan import draw_graph
from tests.bench.figures import Measurement, Target, of_rounds
from tests.bench.linear_plans import linear_plan
from tests.drawing.plans import large_plan

TITLE = "picture of a plan with 1,000 nodes, from its graph to the SVG"
LIMIT = Target("<=", 1.0)


def measure(rounds: int = 7, nodes: int = 1000) -> Measurement:
    """Seconds for a chain with conditions and for nested regions with shared failures."""
    figures = []
    for name, document in (("chain", linear_plan(nodes)), ("nested regions", large_plan(1, nodes - 10))):
        compiled = compile(document)
        assert compiled.plan is not None and compiled.program is not None
        graph = describe_graph(compiled.plan, compiled.program)
        spent, size = [], 0
        for _ in range(rounds):
            began = time.perf_counter()
            size = len(draw_graph(graph, "svg"))
            spent.append(time.perf_counter() - began)
        what = f"{name}, {len(graph['nodes'])} nodes, {len(graph['edges'])} edges, {size // 1000} kB"
        figures.append(of_rounds(what, spent, "s", LIMIT))
    return Measurement("drawing", TITLE, tuple(figures), {}, rounds)
