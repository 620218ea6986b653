"""A trigger's document: an event pattern, and a typed mapping from the event to the plan's input, checked and compiled.

    pattern: {source: [shop], detail-type: [order.paid]}
    input: {order: {ref: event.detail.id}, note: {value: paid}}

`event` has `id`, `source`, `detailType`, `time`, `account`, `region`, `resources`, and `detail`, of unknown type: what
is in it is checked when it comes.
"""

from __future__ import annotations

import json
from typing import Any

from loopstep.compiler import read
from loopstep.compiler.bindings import bind
from loopstep.compiler.model import ValueExpr
from loopstep.compiler.parse_values import values
from loopstep.compiler.values import Judged, Values
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import sparingly
from loopstep.expressions.scope import Scope, record
from loopstep.expressions.tree import Tree, convert_tree, default_tree, literal_tree, to_tree
from loopstep.plans.records import PlanVersion
from loopstep.plans.store import PlanStore
from loopstep.services.read_plan import find_version
from loopstep.services.refusals import Unfit
from loopstep.source.document import Mapping, Sequence, Value, plain
from loopstep.source.load import load
from loopstep.types.schema import MISSING, UNKNOWN_TYPE, Fields, Schema
from loopstep.types.text import json_text

_FIELDS = frozenset(("pattern", "input", "version", "enabled"))
_TEXT = Schema("string", required=True)
EVENT = record(
    {
        "id": _TEXT,
        "source": _TEXT,
        "detailType": _TEXT,
        "time": _TEXT,
        "account": _TEXT,
        "region": _TEXT,
        "resources": Schema("array", required=True, items=_TEXT),
        "detail": Schema(UNKNOWN_TYPE, required=True),
    }
)


def read_trigger(plans: PlanStore, plan: str, document: bytes) -> dict[str, Any]:
    """`{pattern, mapping, trees, version, enabled}`, the first three as JSON texts.

    Raises Unfit `trigger.invalid` with diagnostics, Unknown `plan.unknown`, `plan.version_unknown`.
    """
    report = Reporter()
    with sparingly():
        root, faults = load(document)
        for fault in faults:
            report.fault(fault)
        mapping = read.mapping(root, "a trigger", report) if root is not None else None
        found = _read(plans, plan, mapping, report) if mapping is not None else None
    if found is None or report.has_errors:
        diagnostics = [each.to_json() for each in report.sorted()]
        raise Unfit("trigger.invalid", "The trigger has errors.", diagnostics=diagnostics)
    return found


def _read(plans: PlanStore, plan: str, mapping: Mapping, report: Reporter) -> dict[str, Any] | None:
    read.keys(mapping, _FIELDS, ["pattern"], "a trigger", report)
    entries = mapping.entries
    number = read.integer(entries["version"], "`version`", 1, 999_999, report) if "version" in entries else None
    enabled = read.flag(entries["enabled"], "`enabled`", report) if "enabled" in entries else True
    if "pattern" in entries:
        _check_pattern(entries["pattern"], report)
    bound = values(entries["input"], "`input`", report) if "input" in entries else {}
    if report.has_errors or bound is None:
        return None
    version = find_version(plans, plan, number)
    _judge(bound, _contract(plans, version), entries.get("input", mapping), report)
    return {
        "pattern": json_text(plain(entries["pattern"])),
        "mapping": json_text(plain(entries["input"]) if "input" in entries else {}),
        "trees": json.dumps({} if report.has_errors else {name: _tree(value) for name, value in bound.items()}),
        "version": number,
        "enabled": enabled,
    }


def _contract(plans: PlanStore, version: PlanVersion) -> Fields:
    declared = json.loads(plans.text(version, "input"))
    return {field: Schema.from_json(schema) for field, schema in declared.items()}


def _judge(bound: dict[str, ValueExpr], fields: Fields, at: Value, report: Reporter) -> None:
    judging, scope = Values(report), Scope({"event": EVENT})

    def judge(value: ValueExpr, target: Schema | None, name: str) -> Judged:
        return judging.judge(value, target, scope, name, True)

    bind(bound, fields, at, True, judge, report)


def _tree(value: ValueExpr) -> Tree:
    if value.form == "value":
        return literal_tree(value.literal)
    tree = to_tree(value.ast)
    if value.convert is not None:
        made = value.convert
        tree = convert_tree(tree, made.to, made.source_kind or "value", made.mode, made.top_k, made.or_absent)
    return tree if value.default is MISSING else default_tree(tree, value.default)


def _check_pattern(value: Value, report: Reporter) -> None:
    """What every pattern has; EventBridge checks the rest. An empty one would match everything."""
    pattern = read.mapping(value, "`pattern`", report)
    if pattern is None:
        return
    if not pattern.entries:
        read.wrong(value, "`pattern`", "a map with at least one field", report)
    for name, entry in pattern.entries.items():
        if isinstance(entry, Mapping):
            _check_pattern(entry, report)
        elif not isinstance(entry, Sequence) or not entry.items:
            read.wrong(entry, f"`{name}`", "a list of what matches, or a map", report, f"write `{name}: […]`")
