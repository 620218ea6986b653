"""A plan's parts as a tree for an editor's outline: contracts with their fields, nodes, edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loopstep.compiler.look import View
from loopstep.compiler.model import below
from loopstep.source.document import Mapping, Scalar, Span, Value
from loopstep.types.schema import Fields, describe

SECTION, FIELD, NODE, EDGE = "section", "field", "node", "edge"


class Entry(NamedTuple):
    """`span` is the whole part, `name_span` inside it the name."""

    name: str
    detail: str
    kind: str
    span: Span
    name_span: Span
    children: tuple[Entry, ...] = ()


def outline(view: View) -> list[Entry]:
    """The sections of the document, in its order."""
    plan = view.plan
    found: list[Entry] = []
    for name, fields in (("input", plan.input), ("output", plan.output), ("state", plan.state)):
        found += _section(plan.at, name, tuple(_fields(below(plan.at, (name,)), fields)))
    graph = below(plan.at, ("graph",))
    nodes = tuple(
        Entry(node.id or "(no id)", node.type.name if node.type else "", NODE, node.at.span, _id(node.at))
        for node in plan.nodes
    )
    edges = tuple(
        Entry(
            edge.id or "(no id)",
            f"{edge.source.node}.{edge.source.port} → {edge.target.node}.{edge.target.port}",
            EDGE,
            edge.at.span,
            _id(edge.at),
        )
        for edge in plan.edges
    )
    for name, children in (("nodes", nodes), ("edges", edges)):
        found += _section(graph, name, children)
    return sorted(found, key=lambda entry: entry.span)


def _section(holder: Value, name: str, children: tuple[Entry, ...]) -> Iterator[Entry]:
    if isinstance(holder, Mapping) and name in holder.entries:
        key, value = holder.key_spans[name], holder.entries[name].span
        span = Span(key.line, key.column, *max(key[2:], value[2:]))
        yield Entry(name, "", SECTION, span, key, children)


def _fields(value: Value, fields: Fields) -> Iterator[Entry]:
    if not isinstance(value, Mapping):
        return
    keys = value.key_spans
    for name, schema in fields.items():
        end = value.entries[name].span[2:]
        span = Span(keys[name].line, keys[name].column, *max(keys[name][2:], end))
        yield Entry(name, describe(schema), FIELD, span, keys[name])


def _id(value: Value) -> Span:
    name = below(value, ("id",))
    return name.span if isinstance(name, Scalar) else Span(*value.span[:2], *value.span[:2])
