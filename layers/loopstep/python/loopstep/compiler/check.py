"""The types of a whole plan: every value against its target, every reference in its scope (LANGUAGE §4–§8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from loopstep.compiler.assign import check_assignments
from loopstep.compiler.bindings import (
    bind,
    contract,
    ends_failed,
    needs_nothing,
    passed,
    payload,
    prove,
    source_kind,
    turns_back,
)
from loopstep.compiler.elements import ANY, element_of
from loopstep.compiler.facts import state_facts
from loopstep.compiler.model import Assignment, Expr, Node, Template, ValueExpr, below
from loopstep.compiler.parallel import Touch
from loopstep.compiler.regions import Regions
from loopstep.compiler.resolve import Arc, Graph, is_end, is_fan_out
from loopstep.compiler.scopes import Scopes
from loopstep.compiler.touches import Touches
from loopstep.compiler.values import Flow, Judged, Values
from loopstep.diagnostics.collector import Reporter
from loopstep.expressions.ast import Reference
from loopstep.expressions.check import Typed
from loopstep.expressions.scope import Scope
from loopstep.nodes import field as kinds
from loopstep.nodes.field import Field
from loopstep.types.schema import MISSING, Fields, Schema, describe

Judge = Callable[[ValueExpr, Schema | None, str], Judged]


class Checked(NamedTuple):
    """`conditions`: the typed `when` of each arc by its position; `touches`: who reads and writes state inside regions;
    `flows`: every value on its way, the entry's first, then those of the edges, then of the nodes; `items`: the
    schema of what each fan_out's `items` names, None where unknown.
    """

    conditions: dict[int, Typed]
    touches: tuple[Touch, ...]
    flows: tuple[Flow, ...]
    items: dict[str, Schema | None]


def check(graph: Graph, regions: Regions, reporter: Reporter) -> Checked:
    """Checks the entry, every node and every edge."""
    checker = _Checker(graph, regions, reporter)
    checker.scopes.facts = state_facts(graph, regions, checker.scopes)
    checker.entry()
    for node in graph.nodes.values():
        checker.node(node)
    for copy in graph.copies:
        checker.node(copy)
    for arc in graph.arcs:
        checker.edge(arc)
    rank = {arc.edge.id: arc.position for arc in graph.arcs} | {"entry": -1}
    flows = sorted(checker.values.flows, key=lambda flow: rank.get(flow.place, len(rank)))
    return Checked(checker.conditions, checker.touches.found, tuple(flows), checker.listed)


def scopes_of(graph: Graph, regions: Regions) -> Scopes:
    """What each place of a plan may read, with what definite assignment proves; nothing is checked or reported."""
    checker = _Checker(graph, regions, Reporter())
    checker.scopes.facts = state_facts(graph, regions, checker.scopes)
    return checker.scopes


class _Checker:
    """Judges place by place; what a later place asks about an earlier one is judged when asked, once."""

    def __init__(self, graph: Graph, regions: Regions, reporter: Reporter) -> None:
        self.graph = graph
        self.regions = regions
        self.reporter = reporter
        self.values = Values(reporter)
        self.scopes = Scopes(graph, regions, self.item, self.brings)
        self.touches = Touches(graph, regions)
        self.conditions: dict[int, Typed] = {}
        self.bound: dict[int, dict[str, bool] | None] = {}  # by edge: which target fields it brings for sure
        self.items: dict[str, Schema | None] = {}  # by fan_out: of an element
        self.listed: dict[str, Schema | None] = {}  # by fan_out: of the array
        self.arrivals: dict[str, dict[str, list[dict[str, bool]]]] = {}  # by join and part
        self.readers: dict[str, Callable[[Node, Field, Any, Scope], Iterable[Reference]]] = {
            kinds.VALUE: self._value,
            kinds.TEMPLATE: self._template,
            kinds.QUESTIONS: self._questions,
            kinds.CONDITION: self._condition,
            kinds.ASSIGNMENTS: self._assignments,
            kinds.MERGE: self._merge,
        }

    # -- entry and edges ---------------------------------------------------------------------------------------------

    def entry(self) -> None:
        """What the entry brings to its node."""
        entry, plan, node = self.graph.plan.entry, self.graph.plan, self.graph.entry
        if entry is None or not entry.valid:
            return
        fields = contract(self.graph, node)
        if entry.bindings is not None:
            judge = self._judge(self.scopes.entry(), "entry", entry.node, True)
            bind(entry.bindings, fields, below(entry.at, ("input",)), True, judge, self.reporter)
        elif fields is not None and "input" not in plan.broken and not ends_failed(node):
            prove("plan.input", plan.input, fields, entry.at, self.values, ("entry", entry.node))

    def edge(self, arc: Arc) -> None:
        """The `when` of an edge, its bindings or its pass-through."""
        scope = self.scopes.edge(arc)
        if arc.edge.when is not None:
            typed = self.values.condition(arc.edge.when, scope)
            if typed is not None:
                self.conditions[arc.position] = typed
                self.touches.edge(arc, typed.refs, arc.edge.when.at)
        if arc.position not in self.bound:
            self.bound[arc.position] = self._bind(arc, scope)

    def _bind(self, arc: Arc, scope: Scope) -> dict[str, bool] | None:
        """Which fields of the target the edge is sure to bring; None: not to be known."""
        edge, target = arc.edge, arc.target
        if not edge.valid:
            return None
        fields = contract(self.graph, target)
        if edge.bindings is None:
            return self._pass_through(arc, fields)
        needed = target is not None and not turns_back(arc)
        judge = self._judge(scope, edge.id, edge.target.node, needed, arc)
        judged = bind(edge.bindings, fields, below(edge.at, ("bindings",)), needed, judge, self.reporter)
        for name, one in judged.items():
            self.touches.edge(arc, one.refs, edge.bindings[name].text_at)
        return {name: one.present for name, one in judged.items()}

    def _pass_through(self, arc: Arc, fields: Fields | None) -> dict[str, bool] | None:
        if needs_nothing(arc):
            return {}
        source = payload(self.graph, arc)
        if source is None or fields is None:
            return None
        root, given = source
        prove(root, given, fields, arc.edge.at, self.values, (arc.edge.id, arc.edge.target.node))
        return {name: given[name].guaranteed for name in passed(given, fields)}

    # -- nodes -------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> None:
        """Everything in a node's config that is typed, and a succeeded end's own input against the plan's output."""
        if node.type is None:
            return
        for one in node.type.fields:
            reader = self.readers.get(one.kind)
            if reader is not None and one.name in node.config:
                scope = self.scopes.config(node, one.reads)
                self.touches.reads(node, reader(node, one, node.config[one.name], scope))
        if is_end(node):
            self._end(node)

    def _value(self, node: Node, one: Field, value: ValueExpr, scope: Scope) -> Iterable[Reference]:
        judged = self._judge(scope, f"{node.id}.{one.name}", node.id, True)(value, one.schema, one.name)
        if is_fan_out(node):
            self.listed[node.id] = judged.schema
        return judged.refs

    def _template(self, node: Node, one: Field, value: Template, scope: Scope) -> Iterable[Reference]:
        return self.values.template(value, scope, node.config.get("missing") == "keep")

    def _questions(self, node: Node, one: Field, value: tuple[Template, ...], scope: Scope) -> Iterable[Reference]:
        return [ref for question in value for ref in self._template(node, one, question, scope)]

    def _condition(self, node: Node, one: Field, value: Expr, scope: Scope) -> Iterable[Reference]:
        typed = self.values.condition(value, scope)
        return typed.refs if typed is not None else ()

    def _assignments(self, node: Node, one: Field, value: tuple[Assignment, ...], scope: Scope) -> Iterable[Reference]:
        state = None if "state" in self.graph.plan.broken else self.graph.plan.state
        judge = self._judge(scope, f"{node.id}.{one.name}", node.id, False)
        judged = check_assignments(value, state, judge, self.reporter)
        self.touches.writes(node, value)
        return [ref for some in judged for ref in some.refs]

    def _merge(self, node: Node, one: Field, value: dict[str, ValueExpr], scope: Scope) -> Iterable[Reference]:
        fields = None if "output" in node.broken else node.output or {}
        judge = self._judge(scope, f"{node.id}.{one.name}", node.id, True)
        judged = bind(value, fields, node.place(one.name), one.name not in node.broken, judge, self.reporter)
        return [ref for some in judged.values() for ref in some.refs]

    def _end(self, node: Node) -> None:
        """A succeeded end's input is the plan's output: its own is checked against that, at the node (LANGUAGE §7)."""
        plan = self.graph.plan
        if node.config.get("outcome") != "succeeded" or node.input is None or "output" in plan.broken:
            return
        prove("input", node.input, plan.output, node.at, self.values, (f"{node.id}.output", node.id))
        for name in node.input:
            if name not in plan.output:
                message = f"the input of `{node.id}` is the plan's output, which declares no field `{name}`"
                hint = f"declare `{name}` in the plan's `output`, or drop it here"
                self.reporter.error("binding.unknown_target", message, node.at, hint)

    # -- what scopes ask ---------------------------------------------------------------------------------------------

    def item(self, fan_out: Node) -> Schema | None:
        """The element of a fan_out's items; None: of unknown type."""
        if fan_out.id not in self.items:
            value = fan_out.config.get("items")
            self.items[fan_out.id] = self._element(fan_out, value) if value is not None else None
        return self.items[fan_out.id]

    def _element(self, fan_out: Node, value: ValueExpr) -> Schema | None:
        if value.form == "value":
            return element_of(value.literal)
        unheard = Values(Reporter())  # the config itself is judged, and reported, in its own place
        judged = unheard.judge(value, None, self.scopes.config(fan_out, kinds.OWN_INPUT), "items", False)
        if judged.schema is None or judged.schema.type != "array":
            return None
        return (judged.schema.items or ANY)._replace(required=True)

    def brings(self, join: Node, name: str, part: str | None) -> bool:
        """Whether every edge into a join, of one part or of all, binds the field from a present source."""
        if join.id not in self.arrivals:
            self.arrivals[join.id] = self._arrivals(join)
        by_part = self.arrivals[join.id]
        bound = by_part.get(part, ()) if part is not None else [one for some in by_part.values() for one in some]
        return all(one.get(name, False) for one in bound)

    def _arrivals(self, join: Node) -> dict[str, list[dict[str, bool]]]:
        """By part, what each arriving edge brings for sure; edges of which that is not to be known left out."""
        by_part: dict[str, list[dict[str, bool]]] = {}
        for arc in self.graph.arriving[join.id]:
            context = self.regions.behind(arc.source, arc.port) if arc.source is not None else None
            if arc.position not in self.bound:
                self.bound[arc.position] = self._bind(arc, self.scopes.edge(arc))
            bound = self.bound[arc.position]
            if bound is not None and context:
                by_part.setdefault(context[-1].part, []).append(bound)
        return by_part

    # -- judging -----------------------------------------------------------------------------------------------------

    def _judge(self, scope: Scope, place: str, node: str, needed: bool, arc: Arc | None = None) -> Judge:
        def judge(value: ValueExpr, target: Schema | None, name: str) -> Judged:
            judged = self.values.judge(value, target, scope, name, needed, source_kind(value, arc))
            if target is not None:
                source = value.text if value.form != "value" else "value"
                shown = describe(judged.schema) if judged.schema is not None else "unknown"
                conversion = value.convert.to if value.convert is not None else ""
                given = value.literal if value.form == "value" else MISSING
                flow = Flow(place, node, name, describe(target), source, shown, conversion, given, value.default)
                self.values.flows.append(flow._replace(field=target, refs=judged.refs))
            return judged

        return judge
