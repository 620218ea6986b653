"""Nodes: what all have, and retry and timeout of those that act outside (LANGUAGE §7)."""

from __future__ import annotations

from loopstep.compiler import read
from loopstep.compiler.grammar import MAPPINGS
from loopstep.compiler.model import NOTHING, Node, Retry, below
from loopstep.compiler.parse_config import Inputs, config, input_names
from loopstep.compiler.parse_schema import fields
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.node_type import MUST_DECLARE, NO_OUTPUT, NodeType
from loopstep.source.document import Mapping, Value
from loopstep.types.schema import Fields

_OUTSIDE = frozenset(("retry", "timeout"))
_COMMON = MAPPINGS["node"].names - _OUTSIDE - {"output"}
_EVERYTHING = _COMMON | _OUTSIDE | {"output"} | {t.config_key for t in CATALOG.values()}
_RETRY = MAPPINGS["retry"].names


def _allowed(node_type: NodeType) -> frozenset[str]:
    output = NOTHING if node_type.declares_output == NO_OUTPUT else frozenset(("output",))
    return _COMMON | {node_type.config_key} | output | (_OUTSIDE if node_type.acts_outside else NOTHING)


def _required(node_type: NodeType) -> tuple[str, ...]:
    output = ("output",) if node_type.declares_output == MUST_DECLARE else ()
    return ("id", node_type.config_key, *output)


_ALLOWED = {name: _allowed(node_type) for name, node_type in CATALOG.items()}
_REQUIRED = {name: _required(node_type) for name, node_type in CATALOG.items()}


def node(value: Value, report: Reporter) -> Node:
    """The node; of type None where its type is missing or unknown."""
    mapping = read.mapping(value, "a node", report)
    if mapping is None:
        return Node("", None, "", None, None, (), {}, None, None, value, valid=False, broken=_EVERYTHING)
    entries = mapping.entries
    node_type = _node_type(entries["type"], report) if "type" in entries else None
    meant = _keys(mapping, node_type, report)
    broken = set(meant)
    name = read.identifier(entries["id"], "the node id", report) if "id" in entries else ""
    title = (read.text(entries["title"], "`title`", report) or "") if "title" in entries else ""
    inputs = _contract("input", entries, broken, report)
    names: Inputs = None if "input" in broken else tuple(inputs or ())
    made = Node(
        id=name,
        type=node_type,
        title=title,
        input=inputs,
        output=_contract("output", entries, broken, report) if _may("output", node_type) else None,
        preconditions=_preconditions(entries, inputs or {}, names, broken, report),
        config={},
        retry=_retry(entries, broken, report) if _may("retry", node_type) else None,
        timeout=_timeout(entries, broken, report) if _may("timeout", node_type) else None,
        at=value,
        valid=False,
        broken=frozenset(broken),
    )
    return made if node_type is None else _configured(made, mapping, node_type, names, report)


def _node_type(value: Value, report: Reporter) -> NodeType | None:
    name = read.text(value, "`type`", report)
    if name is None or name in CATALOG:
        return CATALOG[name] if name else None
    near = nearest(name, tuple(CATALOG))
    hint = f"did you mean `{near}`?" if near else "one of " + ", ".join(CATALOG)
    report.error(read.INVALID, f"there is no node type `{name}`", value, hint)
    return None


def _keys(mapping: Mapping, node_type: NodeType | None, report: Reporter) -> frozenset[str]:
    if node_type is None:
        return read.keys(mapping, _EVERYTHING, ("id", "type"), "a node", report)
    what = f"a node of type {node_type.name}"
    return read.keys(mapping, _ALLOWED[node_type.name], _REQUIRED[node_type.name], what, report)


def _may(name: str, node_type: NodeType | None) -> bool:
    """Whether the field belongs to nodes of the type; to one of unknown type all do."""
    return node_type is None or name in _ALLOWED[node_type.name]


def _contract(name: str, entries: dict[str, Value], broken: set[str], report: Reporter) -> Fields | None:
    if name not in entries:
        return None
    found = fields(entries[name], f"`{name}`", report)
    if found is None:
        broken.add(name)
    return found


def _preconditions(
    entries: dict[str, Value], inputs: Fields, names: Inputs, broken: set[str], report: Reporter
) -> tuple[str, ...]:
    """Optional inputs that have to be there at run time."""
    if "preconditions" not in entries:
        return ()
    value = read.sequence(entries["preconditions"], "`preconditions`", report)
    found = input_names(value, "`preconditions`", names, report) if value is not None else None
    if value is None or found is None:
        broken.add("preconditions")
        return ()
    for item in value.items:
        name = getattr(item, "value", None)
        if name in inputs and inputs[name].required:
            message = f"`preconditions` takes optional inputs, `{name}` is required anyway"
            report.error(read.INVALID, message, item, f"drop it here, or `required: true` at `{name}`")
    return found


def _timeout(entries: dict[str, Value], broken: set[str], report: Reporter) -> int | None:
    if "timeout" not in entries:
        return None
    found = read.seconds(entries["timeout"], "`timeout`", report)
    if found is None:
        broken.add("timeout")
    return found


def _retry(entries: dict[str, Value], broken: set[str], report: Reporter) -> Retry | None:
    if "retry" not in entries:
        return None
    mapping = read.mapping(entries["retry"], "`retry`", report, "write it as `{maxAttempts: 3}`")
    if mapping is None:
        broken.add("retry")
        return None
    inner = mapping.entries
    meant = read.keys(mapping, _RETRY, (), "`retry`", report)
    attempts = read.integer(inner["maxAttempts"], "`maxAttempts`", 1, 10, report) if "maxAttempts" in inner else 1
    backoff = read.seconds(inner["backoff"], "`backoff`", report) if "backoff" in inner else 1
    factor = read.number(inner["factor"], "`factor`", 1, 10, report) if "factor" in inner else 2
    most = read.seconds(inner["maxBackoff"], "`maxBackoff`", report) if "maxBackoff" in inner else None
    if most is not None and backoff is not None and "backoff" not in meant and most <= backoff:
        message = f"`maxBackoff` has to be above `backoff`: {most} s is not above {backoff} s"
        report.error(read.INVALID, message, inner["maxBackoff"])
    if attempts is None or backoff is None or factor is None or ("maxBackoff" in inner and most is None):
        broken.add("retry")
        return None
    return Retry(attempts, backoff, factor, most)


def _configured(made: Node, mapping: Mapping, node_type: NodeType, names: Inputs, report: Reporter) -> Node:
    """The node with its config, and the faults between its fields."""
    key = node_type.config_key
    if key not in mapping.entries:
        return made
    hint = f"write `{key}: {{}}`" if not node_type.required else ""
    value = read.mapping(mapping.entries[key], f"`{key}`", report, hint)
    if value is None:
        return made
    found, broken = config(value, node_type, names, report)
    whole = Node(
        made.id, node_type, made.title, made.input, made.output, made.preconditions, found, made.retry, made.timeout,
        made.at, True, made.broken | broken if broken else made.broken,
    )  # fmt: skip
    for problem in node_type.problems(whole):
        if problem.place[-1] not in broken or problem.place[-1] in value.entries:  # else misspelt, and reported
            report.error(problem.code, problem.message, below(whole.at, problem.place), problem.hint)
    return whole
