"""Which output fields of which nodes an input can be taken from, and what becomes of them (CANVAS §2, §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopstep.canvas.graph import predecessors
from loopstep.canvas.lower import read
from loopstep.canvas.model import Canvas, Field
from loopstep.convert.registry import entry, fit
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.diagnostic import Diagnostic

SAME = "the value as it is"
EXACT, INCOMPATIBLE = "exact", "incompatible"


@dataclass(frozen=True, slots=True)
class Mappings:
    """`options`: None where the canvas cannot be read or has no such node (`known` tells which)."""

    options: list[dict[str, Any]] | None
    known: bool
    diagnostics: tuple[Diagnostic, ...] = ()


def mappings(data: bytes | str, node_id: str) -> Mappings:
    """The options of a node: reachable predecessors, nearest first, by their output fields.

    An option is `{nodeId, field, type, fits, conversion, modes}`, the last three by declared input: exact, implicit,
    converted or incompatible; a sentence; the conversion's modes, the default first.
    """
    report = Reporter()
    canvas = read(data, report)
    if canvas is None:
        return Mappings(None, False, report.sorted())
    node = canvas.by_id.get(node_id)
    return Mappings(None, False) if node is None else Mappings(_options(canvas, node.index), True)


def _options(canvas: Canvas, index: int) -> list[dict[str, Any]]:
    wanted = [(each.name, each.type) for each in canvas.nodes[index].inputs]
    made: dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {}
    options = []
    for before in predecessors(canvas, index):
        node = canvas.nodes[before]
        for field in node.outputs:
            key = (field.kind, field.type)
            if key not in made:
                made[key] = _fits(field, wanted)
            fits, conversion, modes = made[key]
            option = {"nodeId": node.id, "field": field.name, "type": field.type}
            options.append({**option, "fits": fits, "conversion": conversion, "modes": modes})
    return options


def _fits(field: Field, wanted: list[tuple[str, str]]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    fits: dict[str, Any] = {}
    conversion: dict[str, Any] = {}
    modes: dict[str, Any] = {}
    for name, to in wanted:
        fits[name] = fit(field.kind, field.type, to)
        found = entry(field.kind, to, field.type) if fits[name] != INCOMPATIBLE else None
        conversion[name] = SAME if fits[name] == EXACT else found.sentence if found is not None else ""
        modes[name] = [] if found is None else list(found.modes)
    return fits, conversion, modes
