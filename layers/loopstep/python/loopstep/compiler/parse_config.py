"""The config of a node, field by field as its type declares them (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopstep.compiler import read
from loopstep.compiler.grammar import MAPPINGS
from loopstep.compiler.model import Assignment, Template
from loopstep.compiler.parse_values import expression, template, unknown, value_expr, values
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.nodes import field as kinds
from loopstep.nodes.field import Field
from loopstep.nodes.node_type import NodeType
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.types.forms import is_id

RESERVED_BRANCHES = frozenset(("in", "item", "failed", "completed"))  # §2

Inputs = tuple[str, ...] | None  # the node's input fields; None: could not be read


def config(
    value: Mapping, node_type: NodeType, inputs: Inputs, report: Reporter
) -> tuple[dict[str, Any], frozenset[str]]:
    """(parsed fields with the defaults of those left out, names of those that stand there unreadable)."""
    entries, by_name = value.entries, node_type.by_name
    found: dict[str, Any] = {}
    broken = set(read.keys(value, frozenset(by_name), node_type.required, f"`{node_type.config_key}`", report))
    for name, entry in entries.items():
        field = by_name.get(name)
        if field is None:
            continue
        parsed = (
            context(entry, inputs, report)
            if field.kind == kinds.CONTEXT
            else _READERS[field.kind](entry, field, report)
        )
        if parsed is None:
            broken.add(name)
        else:
            found[name] = parsed
    for name, default in node_type.defaults.items():
        if name not in found and name not in broken:
            found[name] = default
    return found, frozenset(broken)


def _value(value: Value, field: Field, report: Reporter) -> Any:
    return value_expr(value, f"`{field.name}`", report)


def _template(value: Value, field: Field, report: Reporter) -> Any:
    return template(value, f"`{field.name}`", report)


def _condition(value: Value, field: Field, report: Reporter) -> Any:
    return expression(value, f"`{field.name}`", report)


def _choice(value: Value, field: Field, report: Reporter) -> Any:
    return read.choice(value, f"`{field.name}`", field.choices, report)


def _flag(value: Value, field: Field, report: Reporter) -> Any:
    return read.flag(value, f"`{field.name}`", report)


def _integer(value: Value, field: Field, report: Reporter) -> Any:
    return read.integer(value, f"`{field.name}`", field.low, field.high, report)


def _number(value: Value, field: Field, report: Reporter) -> Any:
    return read.number(value, f"`{field.name}`", field.low, field.high, report)


def _duration(value: Value, field: Field, report: Reporter) -> Any:
    return read.seconds(value, f"`{field.name}`", report)


def _text(value: Value, field: Field, report: Reporter) -> Any:
    return read.word(value, f"`{field.name}`", report)


def _texts(value: Value, field: Field, report: Reporter) -> Any:
    items = _items(value, field, report)
    if items is None:
        return None
    texts = [read.word(item, f"an item of `{field.name}`", report) for item in items]
    return None if None in texts else tuple(texts)


def _merge(value: Value, field: Field, report: Reporter) -> Any:
    return values(value, f"`{field.name}`", report)


def _items(value: Value, field: Field, report: Reporter) -> list[Value] | None:
    """The items of a list, of one or more where the field says so."""
    found = read.sequence(value, f"`{field.name}`", report)
    if found is not None and not found.items and not field.may_be_empty:
        hint = "leave it out where nothing is to be listed" if field.kind == kinds.TEXTS else ""
        report.error(read.INVALID, f"`{field.name}` has to have one item or more", value, hint)
        return None
    return None if found is None else found.items


def _names(value: Value, field: Field, report: Reporter) -> Any:
    """Branch names: identifiers, none of them reserved, each once."""
    items = _items(value, field, report)
    if items is None:
        return None
    names: list[str] = []
    sound = True
    for item in items:
        name = read.text(item, "a branch name", report)
        fault = "" if name is None else _branch_fault(name, names)
        if fault:
            report.error(read.INVALID, fault, item, "" if name in names else _branch_hint(name))
        if name is None or fault:
            sound = sound and name in names
        else:
            names.append(name)
    return tuple(names) if sound else None


def _branch_hint(name: str | None) -> str:
    if name in RESERVED_BRANCHES:
        return "any other name will do; reserved are " + ", ".join(f"`{one}`" for one in sorted(RESERVED_BRANCHES))
    return f"write {read.IDENTIFIER_FORM}"


def _branch_fault(name: str, before: list[str]) -> str:
    if name in RESERVED_BRANCHES:
        return f"the branch name `{name}` is reserved"
    if name in before:
        return f"the branch `{name}` is named twice"
    return "" if is_id(name) else f"`{name}` is no branch name"


def context(value: Value, inputs: Inputs, report: Reporter) -> tuple[str, ...] | None:
    """The inputs that a model is shown, by name."""
    if isinstance(value, Sequence):
        return input_names(value, "`context`", inputs, report)
    plain = value.value if isinstance(value, Scalar) else None
    if plain == "none":
        return ()
    if plain == "input":
        return inputs
    message = "`context` has to be none, input or a list of inputs"
    report.error(read.INVALID, message, value, _context_hint(plain, inputs))
    return None


def _context_hint(plain: Any, inputs: Inputs) -> str:
    if isinstance(plain, str):
        if plain in (inputs or ()):
            return f"write `context: [{plain}]`"
        near = nearest(plain, ("none", "input"))
        return f"did you mean `{near}`?" if near else ""
    return ""


def input_names(value: Sequence, what: str, inputs: Inputs, report: Reporter) -> tuple[str, ...] | None:
    """A list of names of the node's inputs, each once; None where one is none."""
    names: dict[str, None] = {}
    sound = True
    for item in value.items:
        name = read.text(item, f"an item of {what}", report)
        if name is not None and inputs is not None and name not in inputs:
            near = nearest(name, inputs)
            hint = f"did you mean `{near}`?" if near else ""
            report.error(read.INVALID, f"{what} names `{name}`, which is no input of this node", item, hint)
            name = None
        if name is None:
            sound = False
        else:
            names[name] = None
    return tuple(names) if sound else None


_ASSIGNMENT, _QUESTION = MAPPINGS["assignment"].keys, MAPPINGS["question"].keys


def _assignments(value: Value, field: Field, report: Reporter) -> Any:
    found = read.sequence(value, f"`{field.name}`", report)
    return None if found is None else tuple(_assignment(item, report) for item in found.items)


def _assignment(value: Value, report: Reporter) -> Assignment:
    mapping = read.mapping(value, "an assignment", report, "write it as `{state: path, value: {ref: …}}`")
    if mapping is None:
        return Assignment(None, value, unknown(value), value)
    entries = mapping.entries
    read.keys(mapping, *_ASSIGNMENT, "an assignment", report)
    path_at = entries.get("state", value)
    path = read.word(path_at, "`state`", report) if "state" in entries else None
    assigned = value_expr(entries["value"], "`value`", report) if "value" in entries else unknown(value)
    return Assignment(None if path is None else tuple(path.split(".")), path_at, assigned, value)


def _questions(value: Value, field: Field, report: Reporter) -> Any:
    items = _items(value, field, report)
    return None if items is None else tuple(_question(item, report) for item in items)


def _question(value: Value, report: Reporter) -> Template:
    mapping = read.mapping(value, "a condition", report, "write it as `{expression: …}`")
    if mapping is None:
        return Template("", None, value)
    read.keys(mapping, *_QUESTION, "a condition", report)
    if "expression" not in mapping.entries:
        return Template("", None, value)
    return template(mapping.entries["expression"], "`expression`", report)


_READERS: dict[str, Callable[[Value, Field, Reporter], Any]] = {
    kinds.VALUE: _value,
    kinds.TEMPLATE: _template,
    kinds.CONDITION: _condition,
    kinds.CHOICE: _choice,
    kinds.FLAG: _flag,
    kinds.INTEGER: _integer,
    kinds.NUMBER: _number,
    kinds.DURATION: _duration,
    kinds.TEXT: _text,
    kinds.TEXTS: _texts,
    kinds.NAMES: _names,
    kinds.ASSIGNMENTS: _assignments,
    kinds.MERGE: _merge,
    kinds.QUESTIONS: _questions,
}
