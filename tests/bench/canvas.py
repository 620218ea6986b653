"""(j) Lowering of canvases with 200 nodes, and the mapping options of their last node."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from typing import Any

from loopstep.canvas.lower import import_canvas, lower, read
from loopstep.canvas.mappings import mappings
from loopstep.diagnostics.collector import Reporter
from tests.bench.figures import Figure, Measurement, Target, of_rounds

PER_NODE = Target("<=", 1)
OPTIONS = Target("<=", 20)
TITLE = "a canvas lowered to a plan, and the mapping options of its last node"


def measure(rounds: int = 9, nodes: int = 200) -> Measurement:
    """A chain, arms that meet again, and a mesh that no regions fit; milliseconds of the processor."""
    figures: list[Figure] = []
    medians: dict[str, float] = {}
    for name, document in (("chain", chain(nodes)), ("arms", arms(nodes)), ("mesh", mesh(nodes))):
        text = json.dumps(document)
        lowered = _times(lambda text=text: _lowered(text), rounds)  # type: ignore[misc]
        options = _times(lambda text=text: mappings(text, "last"), rounds)  # type: ignore[misc]
        whole = _times(lambda text=text: import_canvas(text), max(1, rounds // 3))  # type: ignore[misc]
        figures.append(of_rounds(f"lowering, {name}", [each / nodes for each in lowered], "ms/node", PER_NODE))
        figures.append(of_rounds(f"mapping options of the last node, {name}", options, "ms", OPTIONS))
        figures.append(of_rounds(f"import with the plan's own diagnostics, {name}", whole, "ms"))
        medians |= {f"lowering {name}": median(lowered), f"mappings {name}": median(options)}
    return Measurement("canvas", f"{TITLE}, {nodes} nodes", tuple(figures), medians, rounds)


def _lowered(text: str) -> Any:
    report = Reporter()
    canvas = read(text, report)
    assert canvas is not None, report.sorted()
    lowered = lower(canvas, report)
    assert not report.has_errors, report.sorted()[0]
    return lowered


def _times(act: Callable[[], Any], rounds: int) -> list[float]:
    act()
    spent = []
    for _ in range(rounds):
        gc.collect()
        began = time.process_time()
        act()
        spent.append((time.process_time() - began) * 1000)
    return spent


# -- canvases --------------------------------------------------------------------------------------------------------


def chain(count: int) -> dict[str, Any]:
    """One node after the other, each reading what the one before wrote."""
    return _canvas([_node(n, [n - 1]) for n in range(1, count - 1)], [(n - 1, n) for n in range(1, count)])


def arms(count: int) -> dict[str, Any]:
    """Three at a time side by side, then one that waits for them."""
    nodes, edges, at = [], [], 0
    while at + 5 < count:
        inside = [at + 1, at + 2, at + 3]
        nodes += [_node(n, [at]) for n in inside] + [_node(at + 4, inside)]
        edges += [(at, n) for n in inside] + [(n, at + 4) for n in inside]
        at += 4
    for n in range(at + 1, count - 1):
        nodes.append(_node(n, [n - 1]))
    edges += [(n - 1, n) for n in range(at + 1, count)]
    return _canvas(nodes, edges)


def mesh(count: int) -> dict[str, Any]:
    """Each node after two of the twelve before it: levels, not regions."""
    rng = Random(1)
    nodes, edges, left = [], [], set(range(1, count - 1))
    for n in range(1, count - 1):
        before = rng.sample(range(max(0, n - 12), n), min(n, 2))
        nodes.append(_node(n, before))
        edges += [(each, n) for each in before]
        left -= set(before)
    return _canvas(nodes, edges + [(n, count - 1) for n in sorted(left)])


def _node(n: int, reads: Sequence[int]) -> dict[str, Any]:
    prompt = " ".join("{{q}}" if each == 0 else f"{{{{v{each}}}}}" for each in reads)
    kind, field = ("smartAction", "actionPrompt") if n % 7 == 3 else ("llm", "userPrompt")
    data = {field: prompt, "outputs": [{"name": f"v{n}", "type": "string"}]}
    return {"id": f"n{n}", "type": kind, "position": {"x": n, "y": 0}, "data": data}


def _canvas(nodes: list[dict[str, Any]], edges: Sequence[tuple[int, int]]) -> dict[str, Any]:
    variables = [{"name": "q", "type": "string", "required": True}]
    ends = {0: "n0", len(nodes) + 1: "last"}
    return {
        "id": "bench",
        "name": "bench",
        "nodes": [
            {"id": "n0", "type": "userInput", "data": {"variables": variables}},
            *nodes,
            {"id": "last", "type": "output", "data": {"fields": [{"name": "q", "type": "string"}]}},
        ],
        "edges": [
            {"id": f"e{n}", "source": ends.get(a, f"n{a}"), "target": ends.get(b, f"n{b}"), "sourceHandle": None}
            for n, (a, b) in enumerate(edges)
        ],
    }
