"""The lowered plan comes to the same variables as the seed's engine, whatever order parts run in."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from typing import Any

import pytest

from loopstep.canvas.activity import Activity
from loopstep.canvas.document import read_canvas
from loopstep.canvas.graph import graph_of
from loopstep.canvas.lower import import_canvas
from loopstep.diagnostics.collector import Reporter
from loopstep.source.load import load
from tests.canvas.engine import Engine, Failed
from tests.canvas.random_canvases import canvas_of
from tests.canvas.walk import Stopped, Walk

BLOCKS = [range(start, start + 60) for start in range(0, 600, 60)]


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: f"from {seeds.start}")
def test_same_variables(seeds: range) -> None:
    lowered = 0
    for seed in seeds:
        canvas = canvas_of(seed)
        imported = import_canvas(json.dumps(canvas))
        errors = {each.code for each in imported.diagnostics if each.severity == "error"}
        if imported.plan is None:
            assert errors <= {"state.parallel_conflict", "convert.unsupported"}, (seed, errors)
            continue
        lowered += 1
        assert {each.code for each in imported.diagnostics} <= {"canvas.unknown_variable", "canvas.variable_shadowed"}
        for given in ({"q": "why"}, {"q": "how", "k": 3}, {"q": "when", "k": "4"}, {"q": "who", "k": "many"}):
            compare(seed, canvas, imported.plan, given)
    assert lowered > len(seeds) // 2


def compare(seed: int, canvas: dict[str, Any], plan: dict[str, Any], given: dict[str, Any]) -> None:
    engine, walk = Engine(canvas), Walk(plan, random.Random(seed))
    try:
        engine.run(given)
    except Failed:
        with pytest.raises(Stopped):
            walk.run(given)
        return
    walk.run(given)
    table = {name: value for name, value in engine.table.items() if value is not None}
    state = {name: value for name, value in walk.state.items() if not name.endswith("_branch")}
    assert state == table, seed
    assert Counter(one for one in walk.ran if one in engine.nodes) == Counter(
        one for one in engine.ran if any(node["id"] == one for node in plan["graph"]["nodes"] if node["type"] != "end")
    ) + Counter(
        node["id"] for node in plan["graph"]["nodes"] if node["type"] == "end" and node["id"] in engine.nodes
    ), seed
    assert walk.output is not None
    assert {name: value for name, value in walk.output.items() if name[0] != "_"} == table, seed


@pytest.mark.parametrize("seed", range(0, 400, 8))
def test_exclusive_nodes_are_those_that_no_choice_activates_together(seed: int) -> None:
    """Against all combinations of choices."""
    document = canvas_of(seed, 9)
    root, _ = load(json.dumps(document))
    canvas = read_canvas(root, Reporter()) if root is not None else None
    assert canvas is not None
    graph = graph_of(canvas)
    activity = Activity(canvas, graph)
    conditions = [node for node in canvas.nodes if node.type.branches]
    choices = [
        [f"branch_{b}" for b in range(len(document["nodes"][node.index]["data"]["conditions"]))] for node in conditions
    ]
    together: set[tuple[int, int]] = set()
    for taken in itertools.product(*choices):
        chosen = {node.index: handle for node, handle in zip(conditions, taken, strict=True)}
        active: set[int] = set()
        for index in graph.order:
            ways = graph.arriving[index]
            if not ways or any(each.source in active and each.handle == chosen.get(each.source, "") for each in ways):
                active.add(index)
        together |= set(itertools.product(active, active))
    for one, other in itertools.combinations(range(len(canvas.nodes)), 2):
        if not graph.ordered(one, other):
            assert activity.exclusive(one, other) == ((one, other) not in together)
