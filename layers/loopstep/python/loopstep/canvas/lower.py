"""From a canvas to a plan whose data flow is explicit, on one page (CANVAS §2).

load → read_canvas → table, inputs, conflicts → skeleton → structure → build → compile
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loopstep.canvas.activity import Activity
from loopstep.canvas.build import Builder
from loopstep.canvas.conflicts import report_conflicts
from loopstep.canvas.deliver import Delivery, deliver
from loopstep.canvas.document import read_canvas
from loopstep.canvas.graph import graph_of, report_cycles
from loopstep.canvas.inputs import Inputs, Reader
from loopstep.canvas.model import Canvas, Json
from loopstep.canvas.names import Names
from loopstep.canvas.node_types import FILES, RUN_ID
from loopstep.canvas.placing import Lowered, report_placed
from loopstep.canvas.skeleton import skeleton_of
from loopstep.canvas.steps import Stepper
from loopstep.canvas.structure import structure_of
from loopstep.canvas.variables import Table, report_shadowed, table_of
from loopstep.canvas.write_yaml import document_text
from loopstep.compiler.compile import compile
from loopstep.compiler.pins import UNKNOWN, Registry
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.diagnostic import WARNING, Diagnostic
from loopstep.diagnostics.suggest import sparingly
from loopstep.source.load import load


@dataclass(frozen=True, slots=True)
class Imported:
    """`plan` (and `text`, the same as YAML): None and "" where there are errors. `diagnostics` in document order."""

    plan: Json | None
    text: str
    diagnostics: tuple[Diagnostic, ...]


def import_canvas(data: bytes | str, registry: Registry | None = None) -> Imported:
    """Lowers a canvas document, whatever is in it, and compiles the plan to say what is wrong with that.

    What the stack's `registry` does not have is a warning only: publishing refuses it, the plan is the same.
    """
    with sparingly():
        return _imported(data, registry)


def _imported(data: bytes | str, registry: Registry | None) -> Imported:
    report = Reporter()
    canvas = read(data, report)
    if canvas is None or report_cycles(canvas, report) or not canvas.whole or not canvas.nodes:
        return Imported(None, "", report.sorted())
    lowered = lower(canvas, report)
    text = document_text(lowered.plan)
    found = [_lenient(each) for each in compile(text, None, registry).diagnostics]
    report_placed(found, lowered, report)
    if report.has_errors:
        return Imported(None, "", report.sorted())
    return Imported(lowered.plan, text, report.sorted())


def _lenient(found: Diagnostic) -> Diagnostic:
    return found._replace(severity=WARNING) if found.code == UNKNOWN else found


def read(data: bytes | str, report: Reporter) -> Canvas | None:
    """The canvas of a document; None where it cannot be read. Faults go to `report`."""
    root, faults = load(data)
    for fault in faults:
        report.fault(fault)
    return read_canvas(root, report) if root is not None else None


def lower(canvas: Canvas, report: Reporter) -> Lowered:
    """The plan of a canvas that could be read as a whole and has no cycle."""
    certain = not report.has_errors
    graph = graph_of(canvas)
    table = table_of(canvas, graph)
    report_shadowed(canvas, graph, table, report)
    reader = Reader(canvas, graph, table, report, certain)
    inputs = [reader.read(node) for node in canvas.nodes]
    activity = Activity(canvas, graph)
    report_conflicts(canvas, graph, table, inputs, activity, report)
    state = Names(table)
    delivery = deliver(canvas, graph, table, inputs, state)
    ids = Names(node.plan_id for node in canvas.nodes)
    stepper = Stepper(canvas, graph, inputs, delivery, ids)
    skeleton = skeleton_of(canvas, graph, {node.index for node in canvas.nodes if stepper.is_step(node)})
    structure = structure_of(skeleton, activity.exclusive, _touch(canvas, table, inputs, delivery))
    builder = Builder(canvas, graph, stepper, ids, state)
    builder.finish(builder.lay(structure), delivery.bindings)
    return Lowered(
        _document(canvas, table, delivery, builder), canvas, table, builder.node_origins, builder.edge_origins
    )


def _touch(canvas: Canvas, table: Table, inputs: list[Inputs], delivery: Delivery) -> Callable[[int, int], bool]:
    """Whether two nodes share a variable (or a field to deliver) that one of them writes."""
    writes: list[set[str]] = [set() for _ in canvas.nodes]
    for variable in table.values():
        for node, _ in variable.writers:
            writes[node].add(variable.name)
    for node, slots in delivery.written.items():
        writes[node] |= {slot for slot, _, _ in slots}

    def touch(one: int, other: int) -> bool:
        mine, theirs = writes[one], writes[other]
        return bool(mine & theirs or mine & inputs[other].reads or theirs & inputs[one].reads)

    return touch


def _document(canvas: Canvas, table: Table, delivery: Delivery, builder: Builder) -> Json:
    plan: Json = {"apiVersion": "loop.plan/v1", "kind": "PlanVersion"}
    metadata = {"name": canvas.name, "title": canvas.title if canvas.title != canvas.name else ""}
    if any(metadata.values()):
        plan["metadata"] = {key: value for key, value in metadata.items() if value}
    plan["input"] = _input(canvas)
    plan["output"] = {
        **delivery.output,
        FILES: {"type": "array", "items": {"type": "string"}},
        RUN_ID: {"type": "string"},
    }
    fields = {name: {"type": variable.type} for name, variable in table.items()}
    plan["state"] = {**fields, **delivery.slots, **builder.choice_fields}
    plan["graph"] = {"entry": builder.entry, "nodes": builder.nodes, "edges": builder.edges}
    return {key: value for key, value in plan.items() if value}


def _input(canvas: Canvas) -> dict[str, Any]:
    """What userInput nodes declare, of any type; required where one of them says so."""
    found: dict[str, Any] = {}
    for node in canvas.nodes:
        for each in node.outputs if node.type.registers else ():
            field = found.setdefault(each.name, {"type": "any"})
            if each.required:
                field["required"] = True
    return found
