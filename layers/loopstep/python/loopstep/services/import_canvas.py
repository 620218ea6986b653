"""Canvas documents: the plan they lower to, and what their nodes' inputs can be taken from. Nothing is stored."""

from __future__ import annotations

from typing import Any

from loopstep.canvas.lower import import_canvas as lower_canvas
from loopstep.canvas.mappings import mappings
from loopstep.compiler.pins import Registry
from loopstep.services.refusals import Unfit, Unknown


def import_canvas(document: bytes, registry: Registry | None) -> dict[str, Any]:
    """`{plan, text, diagnostics}`; with errors there is no plan: null, and "" for the same as YAML."""
    imported = lower_canvas(document, registry)
    diagnostics = [each.to_json() for each in imported.diagnostics]
    return {"plan": imported.plan, "text": imported.text, "diagnostics": diagnostics}


def canvas_mappings(document: bytes, node: str) -> dict[str, Any]:
    """`{options}`, nearest node first. Raises Unfit `canvas.invalid` (diagnostics), Unknown `canvas.node_unknown`."""
    found = mappings(document, node)
    if found.options is not None:
        return {"options": found.options}
    if found.diagnostics:
        diagnostics = [each.to_json() for each in found.diagnostics]
        raise Unfit("canvas.invalid", "The canvas cannot be read.", diagnostics=diagnostics)
    raise Unknown("canvas.node_unknown", "The canvas has no such node.")
