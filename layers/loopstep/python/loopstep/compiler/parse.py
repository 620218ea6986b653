"""From a document to a Plan: every part read, every fault reported that one place alone decides (LANGUAGE §2–§8).

A part that cannot be read is reported once and stands as unknown, so no later pass reports it again (see `model`).
"""

from __future__ import annotations

from loopstep.compiler import grammar, read
from loopstep.compiler.limits import DEFAULT_TIMEOUT
from loopstep.compiler.model import Plan
from loopstep.compiler.parse_graph import graph
from loopstep.compiler.parse_schema import fields
from loopstep.diagnostics.collector import Reporter
from loopstep.source.document import Mapping, Scalar, Value
from loopstep.types.schema import MISSING, Fields

API_VERSION, KIND = grammar.API_VERSION, grammar.PLAN_KIND

_PLAN, _METADATA = grammar.MAPPINGS["plan"].names, grammar.MAPPINGS["metadata"].names
_REQUIRED = grammar.MAPPINGS["plan"].required
_CANVAS = "`loopstep import` lowers a canvas to a plan, `publish` and `run` take it as it is; a plan has `apiVersion`"
_NO_GRAPH = grammar.MAPPINGS["graph"].names


def parse(root: Value, report: Reporter) -> Plan | None:
    """The Plan; None where the document is no map. Faults go to `report`."""
    mapping = read.mapping(root, "a plan", report)
    if mapping is None:
        return None
    entries = mapping.entries
    if "nodes" in entries and not {"apiVersion", "kind", "graph"} & entries.keys():
        report.error(read.MISSING_FIELD, "this is no plan but looks like a canvas", root, _CANVAS)
        return None
    broken = set(read.keys(mapping, _PLAN, _REQUIRED, "the plan", report))
    _version(entries, report)
    name, title, description = _metadata(entries["metadata"], report) if "metadata" in entries else ("", "", "")
    timeout = read.seconds(entries["timeout"], "`timeout`", report) if "timeout" in entries else None
    inputs = _contract("input", entries, broken, report)
    output = _contract("output", entries, broken, report)
    state = _state(entries, broken, report)
    if "graph" in entries:
        entry, nodes, edges, unread = graph(entries["graph"], report)
    else:
        entry, nodes, edges, unread = None, [], [], _NO_GRAPH
    return Plan(
        name, title, description, timeout or DEFAULT_TIMEOUT, inputs, output, state, entry, nodes, edges, root,
        frozenset(broken | unread),
    )  # fmt: skip


def _version(entries: dict[str, Value], report: Reporter) -> None:
    for name, wanted, code in (("apiVersion", API_VERSION, "document.version"), ("kind", KIND, read.INVALID)):
        value = entries.get(name)
        if value is not None and (not isinstance(value, Scalar) or value.value != wanted):
            found = f"`{value.value}`" if isinstance(value, Scalar) and value.value else read.shape(value)
            report.error(code, f"`{name}` has to be `{wanted}`, here is {found}", value, f"write `{name}: {wanted}`")


def _metadata(value: Value, report: Reporter) -> tuple[str, str, str]:
    mapping = read.mapping(value, "`metadata`", report)
    if mapping is None:
        return "", "", ""
    read.keys(mapping, _METADATA, (), "`metadata`", report)
    entries = mapping.entries
    name = read.identifier(entries["name"], "the plan name", report) if "name" in entries else ""
    title, description = (
        (read.text(entries[key], f"`{key}`", report) or "") if key in entries else ""
        for key in ("title", "description")
    )
    return name, title, description


def _contract(name: str, entries: dict[str, Value], broken: set[str], report: Reporter) -> Fields:
    found = fields(entries[name], f"`{name}`", report) if name in entries else {}
    if found is None:
        broken.add(name)
    return found or {}


def _state(entries: dict[str, Value], broken: set[str], report: Reporter) -> Fields:
    """The state's contract holds from the first moment, so what is required has a default (§7)."""
    found = _contract("state", entries, broken, report)
    declared = entries.get("state")
    for name, schema in found.items():
        if schema.required and schema.default is MISSING and isinstance(declared, Mapping):
            hint = "give it a `default`, or drop `required`: then it is absent until it is assigned"
            report.error(
                "state.needs_default",
                f"the state field `{name}` is required, but has no default",
                declared.entries[name],
                hint,
            )
    return found
