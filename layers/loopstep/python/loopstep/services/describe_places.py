"""A plan's five places for data, and which reference roots are visible where: what `graph --data` draws.

LANGUAGE §5: a root is visible everywhere (plan, state), at the node and on its edges (input), or on certain edges and
in certain configs only. The places are the rows of a picture, so everything here is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from loopstep.compiler.model import Edge, Node, Plan
from loopstep.compiler.program import Program
from loopstep.compiler.regions import ITEM
from loopstep.compiler.scopes import exposed
from loopstep.compiler.values import Flow
from loopstep.expressions.ast import path_text
from loopstep.nodes.node_type import END, FAN_OUT, JOIN
from loopstep.services.describe_flow import ENTRY, arrow, describe_flow
from loopstep.types.schema import Fields, describe

ALWAYS = ("plan", "state")


def describe_places(plan: Plan, program: Program, flows: Sequence[Flow]) -> dict[str, Any]:
    """`{name, title, input, state, output, nodes, edges}`.

    Fields are `{name: type}`. A node is `{id, type, input, outputs: [{port, fields}], sees: [root], sets: [row],
    ends}`, an edge `{id, source, target, sees, rows}`, a row `{target, text, reads: [reference]}`; the entry is an
    edge whose source is null. `ends`: the node's input is the plan's output.
    """
    flow = describe_flow(plan, flows)
    rows = _rows(flow, flows)
    nodes = {node.id: node for node in plan.nodes}
    return {
        "name": plan.name,
        "title": plan.title,
        "input": _types(plan.input),
        "state": _types(plan.state),
        "output": _types(plan.output),
        "nodes": [_node(node, plan, program, rows) for node in plan.nodes],
        "edges": [*_entry(plan, rows), *(_edge(edge, nodes, program, rows) for edge in plan.edges)],
    }


def _types(fields: Fields) -> dict[str, str]:
    return {name: describe(schema) + ("" if schema.guaranteed else ", optional") for name, schema in fields.items()}


def _rows(flow: dict[str, Any], flows: Sequence[Flow]) -> dict[str, list[dict[str, Any]]]:
    """By place, what is written there: the same texts as in `explain`."""
    shown = {each["id"]: each["values"] for each in (*flow["nodes"], *flow["edges"])}
    edges = {each["id"] for each in flow["edges"]}
    rows: dict[str, list[dict[str, Any]]] = {}
    for each in flows:
        place = each.place if each.place in edges else each.node
        number = len(rows.setdefault(place, []))
        reads = [path_text(ref.path) for ref in each.refs] or ([each.source] if "." in each.source else [])
        rows[place].append({"target": each.target, "text": arrow(shown[place][number]), "reads": reads})
    return rows


def _node(node: Node, plan: Plan, program: Program, rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    assert node.type is not None, "the plan compiles"
    outputs = node.type.outputs(node) or {}
    return {
        "id": node.id,
        "type": node.type.name,
        "input": _types(node.type.contract(node, plan.output)),
        "outputs": [{"port": port, "fields": _types(fields)} for port, fields in outputs.items() if fields],
        "sees": [*ALWAYS, *_seen_by_config(node, program)],
        "sets": rows.get(node.id, []),
        "ends": node.type.role == END and node.config.get("outcome") == "succeeded",
    }


def _seen_by_config(node: Node, program: Program) -> Iterator[str]:
    assert node.type is not None
    if node.type.passes_input:
        yield "input"
    step = program.steps.get(node.id)
    if step is not None and (step.counts or any(part.kind == "loop" for part in step.enclosing)):
        yield "loop"
    if node.type.role == JOIN:
        region = program.fan_outs.get(node.config["fanOut"])
        yield "items"
        if region is not None and region.kind == "branches":
            yield "branches"
        if node.config.get("mode") == "any":
            yield "winner"


def _entry(plan: Plan, rows: dict[str, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    if plan.entry is not None:
        target = plan.entry.node
        yield {"id": ENTRY, "source": None, "target": target, "sees": list(ALWAYS), "rows": rows.get(ENTRY, [])}


def _edge(
    edge: Edge, nodes: dict[str, Node], program: Program, rows: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    node = nodes[edge.source.node]
    return {
        "id": edge.id,
        "source": edge.source.node,
        "port": edge.source.port,
        "target": edge.target.node,
        "sees": [*ALWAYS, *_seen_by_edge(node, edge.source.port, program)],
        "rows": rows.get(edge.id, []),
        "when": edge.when.text if edge.when else None,
    }


def _seen_by_edge(node: Node, port: str, program: Program) -> Iterable[str]:
    assert node.type is not None
    if node.type.passes_input:
        yield "input"
    if exposed(node, port):
        yield "output"
    if port == "failed":
        yield "error"
    step = program.steps.get(node.id)
    around = step.enclosing if step is not None else ()
    if any(part.kind == "loop" for part in around) or (step is not None and step.counts and port == "body"):
        yield "loop"
    if node.type.role == FAN_OUT and port == ITEM:
        yield "item"
