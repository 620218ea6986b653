"""What is said of the place under the pointer: type and origin of a name, what a field, a type or a function is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from loopstep.compiler import grammar
from loopstep.compiler.look import View, scope_at, symbol_of, target_at
from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.editor import names
from loopstep.editor.analysis import Analysis, steps_of
from loopstep.editor.items import told_type
from loopstep.editor.names import Name, Occurrence
from loopstep.editor.places import under
from loopstep.editor.shapes import NOTHING, Shape, shape_at
from loopstep.expressions.functions import FUNCTIONS
from loopstep.expressions.parse import parse_ref
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.node_type import NodeType
from loopstep.source.document import Mapping, Scalar, Span, Value
from loopstep.types.schema import MISSING, Schema, describe
from loopstep.types.text import json_text

_CALL: Final = re.compile(r"\b(" + "|".join(FUNCTIONS) + r")\s*\(")
_ROOT: Final = re.compile(r"(?<![\w.])(" + "|".join(grammar.ROOTS) + r")\b")
_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.\w+|\[\d+\])+")
_TEXTS: Final = (grammar.EXPRESSION, grammar.CONDITION, grammar.REFERENCE, grammar.TEMPLATE)

_WHAT: Final = {
    names.PLAN_INPUT: "the plan's input",
    names.PLAN_OUTPUT: "the plan's output",
    names.STATE: "the plan's state",
}


class Hover(NamedTuple):
    """Markdown, and the place that it is about."""

    text: str
    span: Span


def hover(analysis: Analysis, line: int, column: int) -> Hover | None:
    """What is to be said at a 1-based place."""
    view = analysis.view
    if view is None:
        return None
    found, place = analysis.occurrences, under(analysis.root, line, column)
    told = _told(view, place.value, place.key, found, line, column) if place is not None else None
    faults = [each for each in analysis.diagnostics if _covers(each, line, column)]
    if told is None and not faults:
        return None
    span = told.span if told is not None else _span(faults[0])
    codes = dict.fromkeys(each.code for each in faults)
    parts = [*([told.text] if told is not None else []), *map(code_text, codes)]
    return Hover("\n\n---\n\n".join(parts), span)


def code_text(code: str) -> str:
    """What a diagnostic code means."""
    return f"**{code}**: {CODES[code].title}. {CODES[code].page.why}"


def _told(
    view: View, value: Value, key: str | None, found: tuple[Occurrence, ...], line: int, column: int
) -> Hover | None:
    steps = steps_of(value)
    occurrence = names.at(found, line, column)
    if occurrence is not None and (text := _named(view, occurrence, steps)):
        return Hover(text, occurrence.span)
    if key is not None and isinstance(value, Mapping):
        shape = shape_at((*steps, key))
        text = _field(key, shape)
        return Hover(text, names.key_span(value, key)) if text else None
    if isinstance(value, Scalar):
        return _scalar(view, value, shape_at(steps), line, column)
    return None


# -- names -------------------------------------------------------------------------------------------------------------


def _named(view: View, one: Occurrence, steps: tuple[str | int, ...]) -> str:
    name = one.name
    if name.kind == names.NODE:
        node = view.graph.nodes.get(name.path[-1])
        return _node(name.path[-1], node.type, node.title) if node is not None and node.type is not None else ""
    if name.kind == names.EDGE:
        arc = next((arc for arc in view.graph.arcs if arc.edge.id == name.path[-1]), None)
        return "" if arc is None else f"edge `{arc.edge.id}`: {_ends(arc.edge.source)} → {_ends(arc.edge.target)}"
    if name.kind == names.BRANCH:
        return f"branch `{name.path[-1]}` of the fan_out `{name.owner}`"
    return _reference(view, one, steps) if one.reference else _declaration(view, one, steps)


def _ends(end: object) -> str:
    return f"`{getattr(end, 'node', '')}.{getattr(end, 'port', '')}`"


def _node(name: str, node_type: NodeType, title: str) -> str:
    text = f"node `{name}`: **{node_type.name}**" + (f", {title}" if title else "")
    return f"{text}\n\n{node_type.summary}\n\nExit ports: {node_type.ports}."


def _reference(view: View, one: Occurrence, steps: tuple[str | int, ...]) -> str:
    """A reference as its place sees it: type, presence, where it comes from."""
    scope, (reference, _) = scope_at(view, steps), parse_ref(one.reference)
    symbol = symbol_of(scope, reference.path) if scope is not None and reference is not None else None
    schema = declared_schema(view, one.name)
    if symbol is None:
        return _declaration(view, one, steps)
    told = f"`{one.reference}`: **{told_type(symbol)}**\n\nFrom {_origin(one.name)}."
    if schema is not None and schema.description:
        told += f" {schema.description}"
    target = target_at(view, steps) if steps[-1:] in (("ref",), ("expr",)) else None
    return told + (f"\n\nIt goes to **{describe(target)}**." if target is not None else "")


def _declaration(view: View, one: Occurrence, steps: tuple[str | int, ...]) -> str:
    schema = declared_schema(view, one.name)
    if schema is None:
        return ""
    presence = "required" if schema.required else "optional"
    if schema.default is not MISSING:
        presence += ", secret default" if schema.secret else f", default `{json_text(schema.default)}`"
    text = f"`{'.'.join(one.name.path)}`: **{describe(schema)}**, {presence}\n\nA field of {_origin(one.name)}."
    return text + (f" {schema.description}" if schema.description else "")


def _origin(name: Name) -> str:
    if name.kind in _WHAT:
        return _WHAT[name.kind]
    return f"the {name.kind} of `{name.owner}`"


def declared_schema(view: View, name: Name) -> Schema | None:
    """What a field of a contract is declared as."""
    plan = view.plan
    node = view.graph.nodes.get(name.owner)
    if name.kind == names.PLAN_INPUT:
        fields = plan.input
    elif name.kind == names.PLAN_OUTPUT:
        fields = plan.output
    elif name.kind == names.STATE:
        fields = plan.state
    elif node is None or node.type is None:
        return None
    elif name.kind == names.INPUT:
        fields = node.type.contract(node, plan.output)
    else:
        fields = {key: one for port in (node.type.outputs(node) or {}).values() for key, one in port.items()}
    schema: Schema | None = Schema("object", properties=fields)
    for step in name.path:
        if schema is None:
            return None
        schema = schema.items if step == names.ITEMS else (schema.properties or {}).get(step)
    return schema


# -- fields and values -------------------------------------------------------------------------------------------------


def _field(name: str, shape: Shape) -> str:
    if shape.holds == "config" and shape.node_type is not None:
        return f"`{name}`: {shape.node_type.summary}\n\nExit ports: {shape.node_type.ports}."
    if shape is NOTHING or not shape.summary:
        return ""
    required = (shape.part or shape.one) is not None and (shape.part or shape.one).required  # type: ignore[union-attr]
    lines = [f"`{name}`: {shape.summary}{' **Required.**' if required else ''}", *_choices(shape)]
    return "\n\n".join(lines)


def _choices(shape: Shape) -> Iterator[str]:
    one = shape.one
    if one is not None and one.choices:
        yield "One of " + ", ".join(f"`{choice}`" for choice in one.choices) + "."
    if one is not None and isinstance(one.default, (str, int, float)):
        yield f"Default: `{json_text(one.default)}`."


def _scalar(view: View, value: Scalar, shape: Shape, line: int, column: int) -> Hover | None:
    text = value.value if isinstance(value.value, str) else ""
    if shape.holds == grammar.NODE_TYPE and text in CATALOG:
        node_type = CATALOG[text]
        exposes = "" if node_type.exposes == "–" else f"\n\nOutput: {node_type.exposes}."
        notes = "".join(f"\n\n{note}" for note in node_type.notes)
        return Hover(
            f"**{text}**: {node_type.summary}\n\nExit ports: {node_type.ports}.{exposes}{_unlinked(notes)}", value.span
        )
    if shape.holds in (grammar.TYPE, grammar.TARGET) and text in grammar.TYPES:
        return Hover(f"**{text}**: {grammar.TYPES[text]}", value.span)
    if shape.holds in _TEXTS:
        return _word(value, text, line, column) or _other(view, value, text, line, column)
    target = target_at(view, steps_of(value)) if shape.holds == grammar.LITERAL else None
    if target is not None:
        return Hover(f"A literal of type **{describe(target)}**.", value.span)
    return Hover(shape.summary, value.span) if shape.summary else None


def _word(value: Scalar, text: str, line: int, column: int) -> Hover | None:
    """A function or a root inside an expression."""
    within = value.parts()
    for match in (*_CALL.finditer(text), *_ROOT.finditer(text)):
        span = within(match.start(1), match.end(1)).span
        if (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column):
            word = match[1]
            if word in FUNCTIONS:
                function = FUNCTIONS[word]
                return Hover(f"`{function.usage}`: **{function.result}**\n\n{grammar.FUNCTIONS[word]}", span)
            return Hover(f"`{word}`: {grammar.ROOTS[word]}", span)
    return None


def _other(view: View, value: Scalar, text: str, line: int, column: int) -> Hover | None:
    """A reference to what no document declares, as `plan.name` and `loop.index`, or its first words."""
    scope, within = scope_at(view, steps_of(value)), value.parts()
    for match in _PATH.finditer(text):
        span = within(match.start(), match.end()).span
        if scope is not None and (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column):
            reference, _ = parse_ref(match[0])
            symbol = symbol_of(scope, reference.path) if reference is not None else None
            if symbol is not None:
                told = grammar.ROOTS[str(symbol.path[0])]
                return Hover(f"`{symbol.text}`: **{told_type(symbol)}**\n\n{told}", span)
    return None


def _unlinked(text: str) -> str:
    """Notes without their links, which lead from the docs' own folder."""
    return re.sub(r"\[([^\]]+)\]\([^)\s]+\)", r"\1", text)


def _covers(each: Diagnostic, line: int, column: int) -> bool:
    return (each.line, each.column) <= (line, column) <= (each.end_line, each.end_column)


def _span(each: Diagnostic) -> Span:
    return Span(each.line, each.column, each.end_line, each.end_column)
