"""From checked parts to a Program: what every node's function is told, every edge and region resolved.

Only plans without faults come here. Loop counters become positions of the path, pass-throughs become explicit trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from loopstep.compiler.bindings import contract, needs_nothing, passed, payload, source_kind
from loopstep.compiler.check import Checked
from loopstep.compiler.model import Expr, Node, Template, ValueExpr
from loopstep.compiler.pins import Pins
from loopstep.compiler.program import ENTRY, Exit, FanOut, Program, Retry, Step
from loopstep.compiler.regions import ITEM, Context, Regions
from loopstep.compiler.resolve import Arc, Graph, is_end, is_loop
from loopstep.expressions.template import compile_parts
from loopstep.expressions.to_jsonata import Condition, condition
from loopstep.expressions.tree import Tree, convert_tree, default_tree, literal_tree, map_references, to_tree
from loopstep.nodes.fan_out import MAX_INLINE_ITEMS
from loopstep.nodes.node_type import fields_json
from loopstep.types.schema import MISSING, Fields


def build(graph: Graph, regions: Regions, checked: Checked, pins: Mapping[str, Pins]) -> Program:
    """The Program of a plan without errors: its reachable nodes in document order. `pins` by node."""
    assert graph.entry is not None
    reached = [node for node in graph.nodes.values() if graph.reaches(node)]
    steps = {node.id: _step(graph, regions, checked, node, pins.get(node.id)) for node in reached}
    fan_outs = {
        name: _fan_out(graph.nodes[name], graph.nodes[regions.joins[name]]) for name in steps if name in regions.joins
    }
    return Program(graph.entry.id, graph.plan.timeout, steps, fan_outs)


def _step(graph: Graph, regions: Regions, checked: Checked, node: Node, pins: Pins | None) -> Step:
    assert node.type is not None
    wait = node.type.wait(node)
    return Step(
        id=node.id,
        type=node.type.name,
        line=node.at.span.line,
        spec=_spec(graph, regions, node, wait) | ({"pins": pins} if pins else {}),
        exits=_exits(graph, regions, checked, node),
        enclosing=regions.enclosing[node.id] or (),
        retry=Retry(node.retry.max_attempts, node.retry.backoff, node.retry.factor, node.retry.max_backoff)
        if node.retry
        else None,
        timeout=node.timeout,
        wait=wait,
        pauses=node.type.pauses,
        counts=node.type.counts,
        fail_code=node.config.get("code") if is_end(node) else None,
    )


def _fan_out(node: Node, join: Node) -> FanOut:
    assert node.type is not None
    parts = node.type.parts(node)
    return FanOut(
        node=node.id,
        join=join.id,
        kind="items" if parts == (ITEM,) else "branches",
        parts=parts,
        mode=join.config["mode"],
        needed=join.config.get("count", 0) if parts == (ITEM,) else 0,
        max_items=node.config["maxItems"],
        distributed=parts == (ITEM,) and node.config["maxItems"] > MAX_INLINE_ITEMS,
        max_concurrency=node.config["maxConcurrency"],
    )


def _exits(graph: Graph, regions: Regions, checked: Checked, node: Node) -> dict[str, tuple[Exit, ...]]:
    """By wired port, in the order of the catalog; the edge without `when` last, wherever it stands (LANGUAGE §8)."""
    assert node.type is not None
    exits = {}
    for port in node.type.exits(node).names:
        arcs = [arc for arc in graph.leaving[node.id] if arc.port == port]
        if arcs:
            arcs.sort(key=lambda arc: arc.edge.when is None)
            exits[port] = tuple(
                Exit(arc.edge.id, arc.edge.target.node, _condition(graph, regions, checked, arc)) for arc in arcs
            )
    return exits


def _condition(graph: Graph, regions: Regions, checked: Checked, arc: Arc) -> Condition | None:
    typed = checked.conditions.get(arc.position)
    if typed is None:
        return None
    assert arc.source is not None
    made = condition(typed)
    counters = Counters(graph, regions.behind(arc.source, arc.port) or ())
    return Condition(made.jsonata, tuple(counters.resolved(operand) for operand in made.operands), made.residual)


# -- specs -------------------------------------------------------------------------------------------------------


def _spec(graph: Graph, regions: Regions, node: Node, wait: int | None) -> dict[str, Any]:
    assert node.type is not None
    around = regions.enclosing[node.id] or ()
    spec: dict[str, Any] = {"id": node.id}
    fields = contract(graph, node) or {}
    if fields:
        spec["input"] = fields_json(fields)
    if node.preconditions:
        spec["pre"] = list(node.preconditions)
    arriving = _arriving(graph, regions, node, fields)
    if arriving:
        spec["in"] = arriving
    if is_loop(node):
        back = [arc.edge.id for arc in graph.arriving[node.id] if arc.back]
        if back:
            spec["next"] = back
        spec["depth"] = sum(part.kind != "branches" for part in around)
    attempts = node.retry.max_attempts if node.retry else 1
    if attempts > 1:
        spec["max"] = attempts
    if wait is not None:
        spec["wait"] = wait
    if node.timeout is not None:
        spec["timeout"] = node.timeout
    asked = regions.behind(node, "body") if is_loop(node) else around
    lower = _Lower(graph.plan.output, graph.plan.state, Counters(graph, around), Counters(graph, asked or ()))
    return {**spec, **node.type.spec(node, lower)}


def _arriving(graph: Graph, regions: Regions, node: Node, fields: Fields) -> dict[str, dict[str, Tree]]:
    """By arriving edge: the tree of each field of the input; edges that bind nothing because they need not left out."""
    arriving: dict[str, dict[str, Tree]] = {}
    entry = graph.plan.entry
    if entry is not None and node is graph.entry:
        if entry.bindings is not None:
            outside = Counters(graph, ())
            arriving[ENTRY] = {name: outside.value(value, "value") for name, value in entry.bindings.items()}
        else:
            arriving[ENTRY] = {name: ["ref", "plan", "input", name] for name in passed(graph.plan.input, fields)}
    for arc in graph.arriving[node.id]:
        if arc.source is None or not graph.reaches(arc.source):
            continue
        if arc.edge.bindings is not None:
            counters = Counters(graph, regions.behind(arc.source, arc.port) or ())
            bound = arc.edge.bindings.items()
            arriving[arc.edge.id] = {name: counters.value(value, source_kind(value, arc)) for name, value in bound}
        elif not needs_nothing(arc):
            source = payload(graph, arc)
            assert source is not None
            arriving[arc.edge.id] = {name: ["ref", source[0], name] for name in passed(source[1], fields)}
    return arriving


class Counters(NamedTuple):
    """Resolves `loop.*` in trees: `context` are the regions around whatever the path at run time belongs to."""

    graph: Graph
    context: Context

    def value(self, value: ValueExpr, kind: str) -> Tree:
        """The tree of a ValueExpr; `kind` is its conversion's, where it names none."""
        if value.form == "value":
            return literal_tree(value.literal)
        tree = self.resolved(to_tree(value.ast))
        if value.convert is not None:
            made = value.convert
            tree = convert_tree(tree, made.to, made.source_kind or kind, made.mode, made.top_k, made.or_absent)
        return tree if value.default is MISSING else default_tree(tree, value.default)

    def resolved(self, tree: Tree) -> Tree:
        """The tree with loop counters as positions of the path, and `maxIterations` as its number."""
        if not any(part.kind == "loop" for part in self.context):
            return tree
        return map_references(tree, self._counter)

    def _counter(self, ref: list[Any]) -> Tree:
        if ref[1] != "loop":
            return ref
        adding = [part for part in self.context if part.kind != "branches"]
        loops = [number for number, part in enumerate(adding) if part.kind == "loop"]
        number = loops[-1 - ref.count("parent")]
        if ref[-1] == "maxIterations":
            return self.graph.nodes[adding[number].node].config["maxIterations"]
        return ["path", number, 1 if ref[-1] == "iteration" else 0]


class _Lower(NamedTuple):
    """What a node type's `spec` lowers its config with; a `while` has its own counters."""

    plan_output: Fields
    plan_state: Fields
    own: Counters
    asked: Counters

    def value(self, value: ValueExpr) -> Tree:
        return self.own.value(value, "value")

    def expr(self, expr: Expr) -> Tree:
        return self.asked.resolved(to_tree(expr.ast))

    def template(self, template: Template, keep: bool) -> list[Any]:
        parts = compile_parts(template.parts, keep)
        return [part if isinstance(part, str) else {**part, "e": self.own.resolved(part["e"])} for part in parts]
