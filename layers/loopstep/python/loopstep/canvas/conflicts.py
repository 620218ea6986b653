"""Variables that nodes touch at the same time: what the seed's engine lets race is an error here (CANVAS §2)."""

from __future__ import annotations

from collections.abc import Container

from loopstep.canvas.activity import Activity
from loopstep.canvas.graph import Graph
from loopstep.canvas.inputs import Inputs
from loopstep.canvas.model import Canvas
from loopstep.canvas.variables import Table, place_of, unordered
from loopstep.diagnostics.collector import At, Reporter, related

CODE = "state.parallel_conflict"
MOST = 1_000  # of one canvas, as of one plan (compiler.parallel)


def report_conflicts(
    canvas: Canvas, graph: Graph, table: Table, inputs: list[Inputs], activity: Activity, report: Reporter
) -> None:
    """state.parallel_conflict for two nodes of which neither leads to the other, that one run can have both of, where
    one writes what the other writes or reads. Once per pair and variable, at the later node.
    """
    readers: dict[str, int] = {}
    for index, some in enumerate(inputs):
        for name in some.reads:
            readers[name] = readers.get(name, 0) | 1 << index
    told = 0
    for variable in table.values():
        writes = dict(variable.writers)
        touching = variable.nodes | readers.get(variable.name, 0)
        for node in writes:
            for other in unordered(graph, node, touching):
                if (other in writes and other < node) or activity.exclusive(node, other) or told == MOST:
                    continue
                told += 1
                _report(canvas, variable.name, node, other, writes, report)


def _report(canvas: Canvas, name: str, one: int, other: int, writes: Container[int], report: Reporter) -> None:
    earlier, later = sorted((one, other))
    does = {index: "writes" if index in writes else "reads" for index in (one, other)}
    ids = {index: canvas.nodes[index].id for index in (one, other)}
    message = (
        f"`{ids[later]}` {does[later]} `{name}` while `{ids[earlier]}` may {does[earlier][:-1]} it: "
        "neither leads to the other, so they can run at the same time"
    )
    hint = "give one of them a variable of its own, or an edge between them"
    first = related(f"`{ids[earlier]}` {does[earlier]} it", _place(canvas, name, earlier))
    report.error(CODE, message, _place(canvas, name, later), hint, (first,))


def _place(canvas: Canvas, name: str, index: int) -> At:
    node = canvas.nodes[index]
    return next((place_of(canvas, index, field) for field in node.outputs if field.name == name), node.place())
