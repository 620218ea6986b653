"""A plan's graph as data for people and pictures."""

from __future__ import annotations

from typing import Any

from loopstep.compiler.model import Edge, Endpoint, Plan


def describe_graph(plan: Plan) -> dict[str, Any]:
    """`{entry: {nodeId, port}, nodes: [{id, type, title}], edges: [{id, source, target, when?}]}` in document order."""
    nodes = [{"id": node.id, "type": node.type.name if node.type else "", "title": node.title} for node in plan.nodes]
    entry = {"nodeId": plan.entry.node, "port": plan.entry.port} if plan.entry else None
    return {"entry": entry, "nodes": nodes, "edges": [_edge(edge) for edge in plan.edges]}


def _edge(edge: Edge) -> dict[str, Any]:
    described: dict[str, Any] = {"id": edge.id, "source": _endpoint(edge.source), "target": _endpoint(edge.target)}
    if edge.when is not None:
        described["when"] = edge.when.text
    return described


def _endpoint(endpoint: Endpoint) -> dict[str, str]:
    return {"nodeId": endpoint.node, "port": endpoint.port}
