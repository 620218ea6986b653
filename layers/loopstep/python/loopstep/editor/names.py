"""Where the names of a plan are declared and used: what go to declaration, references and renaming rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from loopstep.compiler.look import View
from loopstep.compiler.model import Assignment, Endpoint, Expr, Node, Template, ValueExpr, below
from loopstep.compiler.resolve import Arc, is_end, is_fan_out
from loopstep.expressions.ast import Ast, Path, Reference, references
from loopstep.expressions.template import Interpolation
from loopstep.nodes import field as kinds
from loopstep.source.document import Mapping, Scalar, Sequence, Span, Value
from loopstep.types.schema import Fields

PLAN_INPUT, PLAN_OUTPUT, STATE, INPUT, OUTPUT, NODE, EDGE, BRANCH = (
    "plan input", "plan output", "state", "input", "output", "node", "edge", "branch",
)  # fmt: skip
ITEMS: Final = "[]"  # a step of a path through the items of an array

_SEGMENT: Final = re.compile(r"[^.\[\]\s]+")


class Name(NamedTuple):
    """What has a name: a field of a contract (`owner`: its node), a node, an edge, a branch (`owner`: the fan_out)."""

    kind: str
    owner: str
    path: tuple[str, ...]

    def inside(self, *path: str) -> Name:
        return self._replace(path=self.path + path)


class Occurrence(NamedTuple):
    """Where a name is written. `declares`: there it gets its meaning. `reference`: the text of the whole reference."""

    name: Name
    span: Span
    declares: bool = False
    reference: str = ""


def occurrences(view: View) -> tuple[Occurrence, ...]:
    """Every place of every name, in document order."""
    return tuple(sorted(_Index(view).all(), key=lambda one: one.span))


def at(found: tuple[Occurrence, ...], line: int, column: int) -> Occurrence | None:
    """The name written at a 1-based place; the end of a name belongs to it."""
    for one in found:
        span = one.span
        if (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column):
            return one
    return None


class _Index:
    def __init__(self, view: View) -> None:
        self.view = view
        self.plan = view.plan

    def all(self) -> Iterator[Occurrence]:
        plan, root = self.plan, self.plan.at
        for kind, key, fields in (
            (PLAN_INPUT, "input", plan.input), (PLAN_OUTPUT, "output", plan.output), (STATE, "state", plan.state),
        ):  # fmt: skip
            yield from self.declared(Name(kind, "", ()), below(root, (key,)), fields)
        for node in plan.nodes:
            yield from self.of_node(node)
        if plan.entry is not None:
            yield from self.endpoint(plan.entry.target)
            target = self.view.graph.entry
            yield from self.bound(plan.entry.bindings, below(plan.entry.at, ("input",)), target, None)
        for arc in self.view.graph.arcs:
            yield from self.of_edge(arc)

    # -- declarations --------------------------------------------------------------------------------------------------

    def declared(self, base: Name, value: Value, fields: Fields | None) -> Iterator[Occurrence]:
        if not isinstance(value, Mapping):
            return
        for key, schema in (fields or {}).items():
            if key not in value.entries:
                continue
            name = base.inside(key)
            yield Occurrence(name, key_span(value, key), True)
            inner, held = value.entries[key], schema
            while held.items is not None and isinstance(inner, Mapping) and "items" in inner.entries:
                inner, held, name = inner.entries["items"], held.items, name.inside(ITEMS)
            if isinstance(inner, Mapping) and "properties" in inner.entries:
                yield from self.declared(name, inner.entries["properties"], held.properties)

    def of_node(self, node: Node) -> Iterator[Occurrence]:
        yield from self.whole(Name(NODE, "", (node.id,)), below(node.at, ("id",)), True)
        yield from self.declared(Name(INPUT, node.id, ()), below(node.at, ("input",)), node.input)
        yield from self.declared(Name(OUTPUT, node.id, ()), below(node.at, ("output",)), node.output)
        yield from self.listed(node, below(node.at, ("preconditions",)))
        if node.type is None:
            return
        for one in node.type.fields:
            value = node.config.get(one.name)
            place = node.place(one.name)
            if one.kind == kinds.CONTEXT:
                yield from self.listed(node, place)
            elif one.kind == kinds.NAMES and isinstance(place, Sequence):
                for item in place.items:
                    if isinstance(item, Scalar):
                        yield from self.whole(Name(BRANCH, node.id, (str(item.value),)), item, True)
            elif one.kind == kinds.MERGE and isinstance(value, dict):
                yield from self.keys(value, place, Name(OUTPUT, node.id, ()))
                yield from self.values(value.values(), node, None)
            elif one.kind == kinds.TEXT and isinstance(value, str) and self.names_a_fan_out(value):
                yield from self.whole(Name(NODE, "", (value,)), place, False)
            else:
                yield from self.read(value, node, None)

    def names_a_fan_out(self, text: str) -> bool:
        node = self.view.graph.nodes.get(text)
        return node is not None and is_fan_out(node)

    def listed(self, node: Node, value: Value) -> Iterator[Occurrence]:
        if not isinstance(value, Sequence):
            return
        for item in value.items:
            if isinstance(item, Scalar) and isinstance(item.value, str):
                yield from self.whole(self.input_of(node, (item.value,)), item, False)

    def whole(self, name: Name, value: Value, declares: bool) -> Iterator[Occurrence]:
        """A scalar that is the name itself."""
        if isinstance(value, Scalar) and isinstance(value.value, str) and value.value == name.path[-1]:
            yield Occurrence(name, value.within(0, len(value.value)).span, declares)

    # -- edges ---------------------------------------------------------------------------------------------------------

    def of_edge(self, arc: Arc) -> Iterator[Occurrence]:
        edge = arc.edge
        yield from self.whole(Name(EDGE, "", (edge.id,)), below(edge.at, ("id",)), True)
        yield from self.endpoint(edge.source)
        if arc.source is not None and is_fan_out(arc.source) and isinstance(edge.source.port_at, Scalar):
            yield from self.whole(Name(BRANCH, arc.source.id, (edge.source.port,)), edge.source.port_at, False)
        yield from self.endpoint(edge.target)
        yield from self.read(edge.when, arc.source, arc)
        yield from self.bound(edge.bindings, below(edge.at, ("bindings",)), arc.target, arc)

    def endpoint(self, end: Endpoint) -> Iterator[Occurrence]:
        yield from self.whole(Name(NODE, "", (end.node,)), end.node_at, False)

    def bound(
        self, bindings: dict[str, ValueExpr] | None, at: Value, target: Node | None, arc: Arc | None
    ) -> Iterator[Occurrence]:
        if bindings is None:
            return
        if target is not None:
            yield from self.keys(bindings, at, self.input_of(target, ()))
        yield from self.values(bindings.values(), arc.source if arc is not None else None, arc)

    def keys(self, bindings: dict[str, ValueExpr], at: Value, base: Name) -> Iterator[Occurrence]:
        if isinstance(at, Mapping):
            for key in bindings:
                if key in at.entries:
                    yield Occurrence(base.inside(key), key_span(at, key))

    def input_of(self, node: Node, path: tuple[str, ...]) -> Name:
        """A field of a node's input; of an end without one the plan's output is that."""
        if node.input is None and is_end(node):
            return Name(PLAN_OUTPUT, "", path)
        return Name(INPUT, node.id, path)

    # -- references ----------------------------------------------------------------------------------------------------

    def values(self, found: object, node: Node | None, arc: Arc | None) -> Iterator[Occurrence]:
        for value in found:  # type: ignore[attr-defined]
            yield from self.read(value, node, arc)

    def read(self, value: object, node: Node | None, arc: Arc | None) -> Iterator[Occurrence]:
        """What a value of a config, a `when` or a binding names."""
        if isinstance(value, ValueExpr) and value.text_at is not None:
            yield from self.named(value.ast, value.text_at, node, arc)
        elif isinstance(value, Expr) and isinstance(value.at, Scalar):
            yield from self.named(value.ast, value.at, node, arc)
        elif isinstance(value, Template) and isinstance(value.at, Scalar):
            for part in value.parts or ():
                if isinstance(part, Interpolation):
                    yield from self.named(part.ast, value.at, node, arc)
        elif isinstance(value, Assignment):
            yield from self.assigned(value)
            yield from self.read(value.value, node, arc)
        elif isinstance(value, tuple):
            yield from self.values(value, node, arc)

    def assigned(self, value: Assignment) -> Iterator[Occurrence]:
        if value.path is None or not isinstance(value.path_at, Scalar):
            return
        begun = 0
        for depth, part in enumerate(value.path, 1):
            span = value.path_at.within(begun, begun + len(part)).span
            yield Occurrence(Name(STATE, "", value.path[:depth]), span, False, "state." + ".".join(value.path[:depth]))
            begun += len(part) + 1

    def named(self, ast: Ast | None, at: Scalar, node: Node | None, arc: Arc | None) -> Iterator[Occurrence]:
        if ast is None or not isinstance(at.value, str):
            return
        within = at.parts()
        for reference in references(ast):
            base = self.base(reference.path, node, arc)
            written = list(_SEGMENT.finditer(at.value, reference.start, reference.end))
            if base is None or len(written) != len(reference.path):
                continue
            name, begins = base
            for depth in range(begins, len(reference.path)):
                step = reference.path[depth]
                name = name.inside(ITEMS if isinstance(step, int) else step)
                if isinstance(step, str):
                    span = within(written[depth].start(), written[depth].end()).span
                    yield Occurrence(name, span, False, at.value[reference.start : written[depth].end()])

    def base(self, path: Path, node: Node | None, arc: Arc | None) -> tuple[Name, int] | None:
        """What a reference begins with, and where its names begin."""
        root = path[0]
        if root == "plan":
            return (Name(PLAN_INPUT, "", ()), 2) if path[1:2] == ("input",) else None
        if root == "state":
            return Name(STATE, "", ()), 1
        if node is None:
            return None
        if root == "input":
            return self.input_of(node, ()), 1
        if root == "output":
            return Name(OUTPUT, node.id, ()), 1
        if root == "item":
            return self.item(node)
        if root == "items":
            return Name(INPUT, node.id, ()), 2 if len(path) > 1 and isinstance(path[1], int) else 1
        if root in ("branches", "winner"):
            return Name(INPUT, node.id, ()), 2
        return None

    def item(self, fan_out: Node) -> tuple[Name, int] | None:
        """The element of a fan_out whose items are one reference."""
        value = fan_out.config.get("items")
        if not isinstance(value, ValueExpr) or not isinstance(value.ast, Reference):
            return None
        found = self.base(value.ast.path, fan_out, None)
        if found is None:
            return None
        name, begins = found
        steps = (ITEMS if isinstance(step, int) else step for step in value.ast.path[begins:])
        return name.inside(*steps, ITEMS), 1


def key_span(mapping: Mapping, key: str) -> Span:
    """Where a name of a mapping is written, without its quotes."""
    start, end = mapping.key_offsets[key]
    if mapping.text.content[start : start + 1] in ("'", '"'):
        start, end = start + 1, end - 1
    return mapping.text.span(start, end)
