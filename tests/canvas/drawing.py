"""Small canvases for tests, written in a line or two."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from loopstep.canvas.lower import Imported, import_canvas


def ask(node: str = "ui", *variables: str, **more: Any) -> dict[str, Any]:
    """A userInput of texts, `q` where nothing is said."""
    declared = [{"name": name, "type": "string", "required": True} for name in variables or ("q",)]
    return {"id": node, "type": "userInput", "data": {"variables": declared, **more}}


def llm(node: str, output: str = "", prompt: str = "go", **more: Any) -> dict[str, Any]:
    """An llm with one output, or the default one."""
    outputs = [{"name": output, "type": "string"}] if output else []
    return {"id": node, "type": "llm", "data": {"userPrompt": prompt, "outputs": outputs, **more}}


def node(name: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "data": data}


def choice(name: str, count: int = 2) -> dict[str, Any]:
    return node(name, "condition", conditions=[{"expression": f"number {i}"} for i in range(count)])


def canvas(nodes: list[dict[str, Any]], *ways: str) -> dict[str, Any]:
    """Ways as `a b c` (edges a→b, b→c); `a:0 b` leaves a by its handle `branch-0`."""
    edges: list[dict[str, Any]] = []
    for way in ways:
        steps = way.split()
        for source, target in pairwise(steps):
            name, _, handle = source.partition(":")
            by = f"branch-{handle}" if handle.isdigit() else handle or None
            edge = {"source": name, "target": target.partition(":")[0], "sourceHandle": by}
            if edge not in [{key: each[key] for key in edge} for each in edges]:
                edges.append({"id": f"e{len(edges)}", **edge})
    return {"id": "c", "name": "c", "nodes": nodes, "edges": edges}


def lower(nodes: list[dict[str, Any]], *ways: str) -> Imported:
    return import_canvas(json.dumps(canvas(nodes, *ways), ensure_ascii=False))


def codes(imported: Imported) -> list[tuple[str, str]]:
    """(code, path) of what was said."""
    return [(each.code, each.path) for each in imported.diagnostics]


def plan_node(imported: Imported, name: str) -> dict[str, Any]:
    assert imported.plan is not None, codes(imported)
    return next(each for each in imported.plan["graph"]["nodes"] if each["id"] == name)


def edge_into(imported: Imported, name: str) -> dict[str, Any]:
    """The one edge into a node."""
    assert imported.plan is not None, codes(imported)
    (edge,) = [each for each in imported.plan["graph"]["edges"] if each["target"]["nodeId"] == name]
    return dict(edge)


def ids(imported: Imported) -> list[str]:
    assert imported.plan is not None, codes(imported)
    return [each["id"] for each in imported.plan["graph"]["nodes"]]
