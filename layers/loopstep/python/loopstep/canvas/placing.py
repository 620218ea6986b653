"""The lowered plan's own diagnostics, at the canvas node that caused them (CANVAS §2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from loopstep.canvas.model import Canvas, CanvasNode, Json
from loopstep.canvas.steps import source_ids
from loopstep.canvas.variables import Table, place_of
from loopstep.diagnostics.collector import At, Reporter, related
from loopstep.diagnostics.diagnostic import ERROR, Diagnostic
from loopstep.source.document import Mapping, Sequence, Value

_SAID = frozenset(
    ("state.parallel_conflict", "graph.duplicate_id")
)  # errors that the canvas is asked for itself, with all it knows

_TOO_MUCH = frozenset(("document.too_large", "limit.definition_size", "limit.nodes"))
_SPLIT = "split the canvas: every node, and every variable that it reads, takes room in the plan"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A plan document, and the canvas node that each of its nodes and edges is for, by position (-1: none)."""

    plan: Json
    canvas: Canvas
    table: Table
    node_origins: list[int]
    edge_origins: list[int]


def report_placed(diagnostics: Iterable[Diagnostic], lowered: Lowered, report: Reporter) -> None:
    """Reports each at its canvas node, or at the part of its data that it is about; with no such node, at the canvas.

    What was said about the canvas itself already is not said again.
    """
    told = report.has_errors
    for each in diagnostics:
        if told and each.code in _SAID:
            continue
        tell = report.error if each.severity == ERROR else report.warning
        others = tuple(related(one.message, _place(one.path, lowered)) for one in each.related)
        at, message, hint = _place(each.path, lowered), each.message, each.hint
        if at is lowered.canvas.at:
            message = f"of the plan that this canvas lowers to: {message}"
            hint = _SPLIT if each.code in _TOO_MUCH else hint
        tell(each.code, message, at, hint, others)


def _place(path: str, lowered: Lowered) -> At:
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
    canvas = lowered.canvas
    if steps[:1] == ["graph"] and len(steps) > 2 and steps[2].isdigit():
        origins = {"nodes": lowered.node_origins, "edges": lowered.edge_origins}.get(steps[1], [])
        origin = origins[int(steps[2])] if int(steps[2]) < len(origins) else -1
        return _within(canvas.nodes[origin], steps[3:]) if origin >= 0 else canvas.at
    if steps[:1] in (["state"], ["output"], ["input"]) and len(steps) > 1 and steps[1] in lowered.table:
        node, field = lowered.table[steps[1]].writers[0]
        return place_of(canvas, node, field)
    return canvas.at


def _within(node: CanvasNode, steps: list[str]) -> At:
    """The value of the node's data that a path of its plan node is about."""
    names = {plan: key for key, plan in (*node.type.templates, *node.type.settings)}
    at: Value | None = None
    if len(steps) > 1 and steps[0] in ("bindings", "input"):
        at = next((wanted.at for wanted in node.inputs if _is_for(wanted.name, wanted.type, steps[1])), None)
    elif steps[1:2] == ["sourceIds"] and len(steps) > 2:
        at = list(source_ids(node).values())[int(steps[2])]
    elif len(steps) > 1 and steps[1] in names:
        at = node.value(names[steps[1]])
    elif len(steps) > 1 and steps[1] == "conditions" and node.data is not None:
        at = _below(node.data, steps[1:])
    return at if at is not None else node.place()


def _is_for(name: str, kind: str, own: str) -> bool:
    return own == name or re.fullmatch(re.escape(f"{name}_{kind}") + "_*", own) is not None


def _below(value: Value, steps: Iterable[str]) -> Value:
    for step in steps:
        if isinstance(value, Mapping) and step in value.entries:
            value = value.entries[step]
        elif isinstance(value, Sequence) and step.isdigit() and int(step) < len(value.items):
            value = value.items[int(step)]
        else:
            break
    return value
