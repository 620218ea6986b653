"""What a canvas delivers at its end: everything that any output node or leaf does (CANVAS §3.7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from loopstep.canvas.graph import Graph
from loopstep.canvas.inputs import Inputs, value_of
from loopstep.canvas.model import Canvas, CanvasNode, Json
from loopstep.canvas.names import Names
from loopstep.canvas.node_types import FILES, RUN_ID
from loopstep.canvas.variables import Table, visible

RESERVED = frozenset((FILES, RUN_ID))  # the end brings these itself


@dataclass(slots=True)
class Delivery:
    """`output`: the plan's output fields; `bindings`: what the end's edge brings.

    `slots`: state that stands between, by name, for fields that several output nodes fill from different variables:
    each writes it where it is reached. `written`: by output node, its slots: (slot, type, ValueExpr over state).
    """

    output: Json = field(default_factory=dict)
    bindings: Json = field(default_factory=dict)
    slots: Json = field(default_factory=dict)
    written: dict[int, list[tuple[str, str, Json]]] = field(default_factory=dict)


Offer = tuple[int, str, Json]  # (output node, type, ValueExpr over state)


def deliver(canvas: Canvas, graph: Graph, table: Table, inputs: list[Inputs], state: Names) -> Delivery:
    """What comes out in the end. `state`: the names of state fields, where slots find theirs."""
    offers: dict[str, list[Offer]] = {}
    for index in graph.order:
        node = canvas.nodes[index]
        if node.type.delivers:
            for name, kind, value in _offered(node, graph, table, inputs[index]):
                offers.setdefault(name, []).append((index, kind, value))
    found = Delivery()
    for name, some in offers.items():
        _settle(name, some, found, state)
    for index in graph.order:
        node = canvas.nodes[index]
        if not graph.leaving[index] and not node.type.delivers:
            own = {each.name for each in node.outputs}
            before = {variable.name for variable in visible(graph, table, index)}
            for name, variable in table.items():
                if name in own | before and name not in found.output and name not in RESERVED:
                    found.output[name] = {"type": variable.type}
                    found.bindings[name] = value_of(variable, variable.type)
    return found


def _offered(node: CanvasNode, graph: Graph, table: Table, inputs: Inputs) -> list[tuple[str, str, Json]]:
    """What one output node delivers: its fields, or else all variables of what leads to it."""
    if node.inputs:
        return [(name, inputs.types[name], value) for name, value in inputs.offered.items() if name not in RESERVED]
    variables = visible(graph, table, node.index)
    return [(each.name, each.type, value_of(each, each.type)) for each in variables if each.name not in RESERVED]


def _settle(name: str, offers: list[Offer], found: Delivery, state: Names) -> None:
    _, kind, value = offers[0]
    if all(offer[1:] == (kind, value) for offer in offers):
        found.output[name] = {"type": kind}
        found.bindings[name] = value
        return
    kinds = {kind for _, kind, _ in offers}
    kind = kinds.pop() if len(kinds) == 1 else "any"
    slot = state.make(name, "_delivered" if name in state else "")
    found.output[name] = {"type": kind}
    found.bindings[name] = {"ref": f"state.{slot}"}
    found.slots[slot] = {"type": kind}
    for node, own, value in offers:
        found.written.setdefault(node, []).append((slot, own, value))
