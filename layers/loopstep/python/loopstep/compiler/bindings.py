"""Maps of values against contracts: explicit bindings, and the pass-through that has to be proved (LANGUAGE §8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loopstep.compiler.model import Node, ValueExpr, is_unknown
from loopstep.compiler.resolve import START, Arc, Graph, is_end, is_loop
from loopstep.compiler.scopes import exposed
from loopstep.compiler.values import Flow, Judged, Values
from loopstep.convert.registry import kind_of_field
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import listed, nearest
from loopstep.expressions.ast import Reference
from loopstep.source.document import Mapping as SourceMapping
from loopstep.source.document import Value
from loopstep.types.schema import MISSING, Fields, Schema, describe

REQUIRED, UNKNOWN_TARGET = "binding.required_target", "binding.unknown_target"


# -- contracts and payloads --------------------------------------------------------------------------------------


def contract(graph: Graph, node: Node | None) -> Fields | None:
    """The fields that what leads to a node has to bind; None: not to be known."""
    if node is None or node.id in graph.doubled or "input" in node.broken:
        return None
    if node.type is None or (is_end(node) and "outcome" not in node.config):
        return node.input
    if node.input is None and is_end(node) and "output" in graph.plan.broken:
        return None
    return node.type.contract(node, graph.plan.output)


def needs_nothing(arc: Arc) -> bool:
    """Whether left-out bindings say nothing: into `next` all fields keep their values, a failed end needs none."""
    return arc.target is None or turns_back(arc) or ends_failed(arc.target)


def turns_back(arc: Arc) -> bool:
    """Whether an edge leads into `next`, the one entry but `in` that a node, of unknown type too, can have."""
    node = arc.target
    return node is not None and (is_loop(node) or node.type is None) and arc.enters != START


def ends_failed(node: Node | None) -> bool:
    """Whether a node is a failed end, or one whose type or outcome could not be read and fits either (LANGUAGE §10)."""
    if node is None or node.type is not None:
        return node is not None and is_end(node) and node.config.get("outcome") != "succeeded"
    return isinstance(node.at, SourceMapping) and "end" in node.at.entries


def payload(graph: Graph, arc: Arc) -> tuple[str, Fields] | None:
    """(root, fields) of what an edge passes through: the port's output, else the source's input (a join has none)."""
    node = arc.source
    if node is None or node.type is None or node.id in graph.doubled:
        return None
    fields = exposed(node, arc.port)
    if fields is None:
        return None
    if fields or not node.type.passes_input:
        return "output", fields
    return None if "input" in node.broken else ("input", node.input or {})


def source_kind(value: ValueExpr, arc: Arc | None) -> str:
    """The kind of CANVAS §4 of the output field that a value on an edge names: what `convert.from` is when left out."""
    if arc is None or value.convert is None or not isinstance(value.ast, Reference):
        return "value"
    path, source = value.ast.path, arc.source
    if len(path) != 2 or path[0] != "output" or source is None or source.type is None:
        return "value"
    return kind_of_field(source.type.name, str(path[1]), len(source.output or {}))


def passed(source: Fields, target: Fields) -> list[str]:
    """The fields that a pass-through carries; source fields that the target does not declare are left behind."""
    return [name for name in target if name in source]


# -- checks ------------------------------------------------------------------------------------------------------


def bind(
    bindings: Mapping[str, ValueExpr],
    fields: Fields | None,
    at: Value,
    needed: bool,
    judge: Callable[[ValueExpr, Schema | None, str], Judged],
    reporter: Reporter,
) -> dict[str, Judged]:
    """Judges every binding; reports unknown targets and, where they are `needed`, required fields left out."""
    judged = {}
    unknown = []
    for name, value in bindings.items():
        target = None
        if fields is not None:
            target = fields.get(name)
            if target is None:
                unknown.append(name)
        judged[name] = judge(value, target, name)
    if fields is None:
        return judged
    missing = [name for name, schema in fields.items() if name not in bindings and is_needed(schema)] if needed else []
    _unknown_targets(unknown, missing, fields, bindings, at, reporter)
    for name in missing:
        message = f"`{name}` ({describe(fields[name])}) is required and not bound"
        reporter.error(REQUIRED, message, at, f"bind it, as `{name}: {{ref: …}}`")
    return judged


def _unknown_targets(
    unknown: list[str],
    missing: list[str],
    fields: Fields,
    bindings: Mapping[str, ValueExpr],
    at: Value,
    reporter: Reporter,
) -> None:
    """An unknown name may be meant for a field that is missing: then that is one fault, not two."""
    unbound = [one for one in fields if one not in bindings]
    for name in unknown:
        near = nearest(name, missing) or nearest(name, unbound) or nearest(name, fields)
        if near in missing:
            missing.remove(near)
        elif missing and near is None:
            missing.pop(0)
        takes = f"it takes {listed(fields)}" if fields else "it takes no fields"
        hint = f"did you mean `{near}`?" if near else takes
        place = at.at_key(name) if isinstance(at, SourceMapping) and name in at.entries else at
        reporter.error(UNKNOWN_TARGET, f"the target declares no field `{name}`", place, hint)


def is_needed(schema: Schema) -> bool:
    """Whether a target field has to be bound: required, without a default."""
    return schema.required and schema.default is MISSING


def prove(root: str, source: Fields, target: Fields, at: Value, values: Values, flow: tuple[str, str]) -> None:
    """A pass-through of a whole payload; what cannot be proved is reported at the edge, the entry or the end itself."""
    reporter = values.reporter
    for name, schema in target.items():
        found = source.get(name)
        if found is None:
            if is_needed(schema):
                message = f"`{name}` ({describe(schema)}) is required, and `{root}` has no such field to pass through"
                reporter.error(REQUIRED, message, at, f"bind it, as `bindings: {{{name}: {{ref: …}}}}`")
            continue
        if is_unknown(found) or is_unknown(schema):
            continue
        values.check(found, schema, name, at)
        if is_needed(schema) and not found.guaranteed:
            values.absent(name, f"{root}.{name}", at)
        values.flows.append(Flow(*flow, name, describe(schema), f"{root}.{name}", describe(found)))
