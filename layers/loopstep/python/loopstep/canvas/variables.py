"""The flat variable table of a canvas: who writes each variable, its type and its kind (CANVAS §2, §4)."""

from __future__ import annotations

from dataclasses import dataclass

from loopstep.canvas.graph import Graph, members
from loopstep.canvas.model import Canvas, Field
from loopstep.diagnostics.collector import At, Reporter, related


@dataclass(frozen=True, slots=True)
class Variable:
    """`writers`: (node, field), in topological order; `nodes`: the same as a bit set. `type` any, `kind` value: where
    the writers disagree.
    """

    name: str
    type: str
    kind: str
    writers: tuple[tuple[int, Field], ...]
    nodes: int


Table = dict[str, Variable]


def table_of(canvas: Canvas, graph: Graph) -> Table:
    """Every variable, in the order of first writers: topological, then as a node declares them.

    An output node writes variables only where something comes behind it.
    """
    writers: dict[str, list[tuple[int, Field]]] = {}
    for index in graph.order:
        node = canvas.nodes[index]
        if not node.type.delivers or graph.leaving[index]:
            for field in node.outputs:
                writers.setdefault(field.name, []).append((index, field))
    return {name: _variable(name, some) for name, some in writers.items()}


def _variable(name: str, writers: list[tuple[int, Field]]) -> Variable:
    types, kinds = {field.type for _, field in writers}, {field.kind for _, field in writers}
    return Variable(
        name,
        types.pop() if len(types) == 1 else "any",
        kinds.pop() if len(kinds) == 1 else "value",
        tuple(writers),
        sum({1 << node for node, _ in writers}),
    )


def place_of(canvas: Canvas, node: int, field: Field) -> At:
    """Where a node says that it writes a field; the node itself where nothing says so."""
    return field.at if field.at is not None else canvas.nodes[node].place()


def report_shadowed(canvas: Canvas, graph: Graph, table: Table, report: Reporter) -> None:
    """canvas.variable_shadowed at every node that overwrites what one before it wrote; the nearest is `related`."""
    for variable in table.values():
        earlier: list[tuple[int, Field]] = []
        for node, field in variable.writers:
            over = next((one for one in reversed(earlier) if graph.before[node] >> one[0] & 1), None)
            earlier.append((node, field))
            if over is not None:
                first = canvas.nodes[over[0]].id
                message = f"`{canvas.nodes[node].id}` overwrites `{variable.name}`, which `{first}` wrote"
                other = related(f"`{first}` writes it here", place_of(canvas, *over))
                hint = "give one of them a name of its own, if what was written first is needed later"
                report.warning("canvas.variable_shadowed", message, place_of(canvas, node, field), hint, (other,))


def visible(graph: Graph, table: Table, node: int) -> list[Variable]:
    """The variables that the node's reachable predecessors write, in the order of the table."""
    before = graph.before[node]
    return [variable for variable in table.values() if variable.nodes & before]


def unordered(graph: Graph, node: int, others: int) -> list[int]:
    """Those of a bit set of nodes that neither lead to a node nor come behind it."""
    return list(members(others & ~(graph.before[node] | graph.after[node] | 1 << node)))
