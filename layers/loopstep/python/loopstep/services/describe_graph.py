"""A plan's graph as data for people and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopstep.compiler.model import Edge, Endpoint, Node, Plan
from loopstep.compiler.program import Enclosing, Program
from loopstep.nodes.node_type import END, STEP


def describe_graph(plan: Plan, program: Program) -> dict[str, Any]:
    """`{name, title, entry: {nodeId, port}, nodes, edges, regions}`, in document order.

    A node is `{id, type, title, look, enclosing: [{kind, nodeId, part}]}`, its regions outermost first; `look` says in
    a word what it does: step, outside, waits, control, succeeded, failed. An edge is `{id, source, target, when?}`, a
    region `{kind, nodeId, part, title}`.
    """
    return {
        "name": plan.name,
        "title": plan.title,
        "entry": {"nodeId": plan.entry.node, "port": plan.entry.port} if plan.entry else None,
        "nodes": [_node(node, program) for node in plan.nodes],
        "edges": [_edge(edge) for edge in plan.edges],
        "regions": list(_regions(plan, program)),
    }


def enclosing(part: Enclosing) -> dict[str, str]:
    """One region around a node, as answers have it."""
    return {"kind": part.kind, "nodeId": part.node, "part": part.part}


def _node(node: Node, program: Program) -> dict[str, Any]:
    step = program.steps.get(node.id)
    return {
        "id": node.id,
        "type": node.type.name if node.type else "",
        "title": node.title,
        "look": _look(node),
        "enclosing": [enclosing(part) for part in step.enclosing] if step else [],
    }


def _look(node: Node) -> str:
    if node.type is None:
        return STEP
    if node.type.role == END:
        return str(node.config.get("outcome", STEP))
    if node.type.role != STEP:
        return "control"
    if node.type.pauses or node.type.wait(node) is not None:
        return "waits"
    return "outside" if node.type.acts_outside else STEP


def _edge(edge: Edge) -> dict[str, Any]:
    described: dict[str, Any] = {"id": edge.id, "source": _endpoint(edge.source), "target": _endpoint(edge.target)}
    if edge.when is not None:
        described["when"] = edge.when.text
    return described


def _endpoint(endpoint: Endpoint) -> dict[str, str]:
    return {"nodeId": endpoint.node, "port": endpoint.port}


def _regions(plan: Plan, program: Program) -> Iterator[dict[str, str]]:
    """Every region that a node opens, with what a picture writes over it."""
    opened = {part for step in program.steps.values() for part in step.enclosing}
    for node in plan.nodes:
        for part in node.type.parts(node) if node.type else ():
            for each in opened:
                if (each.node, each.part) == (node.id, part):
                    yield {**enclosing(each), "title": _title(node, each)}


def _title(node: Node, part: Enclosing) -> str:
    if part.kind == "branches":
        return f"{node.id}: {part.part}"
    if part.kind == "items":
        items = node.config["items"]
        source = items.text if items.form != "value" else "its items"
        return f"{node.id}: each of {source}, {node.config['maxConcurrency']} at a time"
    asked = node.config.get("while")
    often = f"{node.id}: up to {node.config['maxIterations']} passes"
    return f"{often}, while {asked.text}" if asked is not None else f"{node.id}: {node.config['maxIterations']} passes"
