"""The state facts of a graph: its set_variable nodes and joins as `flow` wants them."""

from __future__ import annotations

from loopstep.compiler.assign import state_writes
from loopstep.compiler.flow import Facts, Link, Meeting, Write, definite
from loopstep.compiler.model import Assignment, Node
from loopstep.compiler.regions import ITEM, Regions
from loopstep.compiler.resolve import Arc, Graph, is_join
from loopstep.compiler.scopes import Scopes
from loopstep.nodes.field import ASSIGNMENTS, OWN_INPUT

COMMITS = "completed"  # the port behind which assignments count, and what a join brought


def state_facts(graph: Graph, regions: Regions, scopes: Scopes) -> Facts:
    """What definite assignment proves, for every node and every edge whose source is known."""
    plan = graph.plan
    state = None if "state" in plan.broken else plan.state
    writes: dict[str, list[Write]] = {}
    unread = set()
    for node in graph.nodes.values():
        if node.type is None or node.id in graph.doubled:
            unread.add(node.id)
        elif any(one.kind == ASSIGNMENTS for one in node.type.fields):
            writes[node.id] = state_writes(_assignments(node), state, scopes.config(node, OWN_INPUT))
    unread.update(one for one, node in graph.nodes.items() if is_join(node) and one not in regions.fan_outs)
    meetings = _meetings(graph, regions)
    unread.update(one for one in _awaited(graph, regions) if meetings[one].brings)
    onward = {arc.position for arc in regions.forward}
    backward = {arc.position for arc in regions.back}
    links: list[Link] = []
    back: list[Link] = []
    for arc in graph.arcs:
        if arc.source is None or arc.port is None:
            continue
        shapes = arc.position in onward or arc.position in backward
        leads = shapes and arc.target is not None and (graph.reaches(arc.source) or not graph.reaches(arc.target))
        (back if leads and arc.position in backward else links).append(_link(arc, regions, leads))
    entry = graph.entry.id if graph.entry is not None else None
    return definite(regions.order, entry, links, back, writes, meetings, frozenset(unread))


def _assignments(node: Node) -> tuple[Assignment, ...] | None:
    assert node.type is not None
    for one in node.type.fields:
        if one.kind == ASSIGNMENTS:
            found: tuple[Assignment, ...] | None = node.config.get(one.name)
            return found
    return None


def _link(arc: Arc, regions: Regions, leads: bool) -> Link:
    """`leads` False: the edge knows what its source makes sure, but brings it nowhere."""
    assert arc.source is not None
    target = arc.target.id if leads and arc.target is not None else ""
    context = regions.behind(arc.source, arc.port) if target in regions.fan_outs else None
    part = context[-1].part if context else f"any {arc.position}"  # unknown: one of its own
    return Link(arc.position, arc.source.id, target, arc.port == COMMITS, part)


def _awaited(graph: Graph, regions: Regions) -> set[str]:
    """The joins at which a lost edge may arrive, and bring what its part assigned."""
    found: set[str] = set()
    for arc in graph.lost:
        if arc.target is not None:
            found.add(arc.target.id)
            continue
        context = regions.behind(arc.source, arc.port) if arc.source is not None else None
        if context is None:
            return set(regions.fan_outs)
        if context:
            found.add(regions.joins.get(context[-1].node, ""))
    return found & regions.fan_outs.keys()


def _meetings(graph: Graph, regions: Regions) -> dict[str, Meeting]:
    """Every join that ends a region, with the nodes inside; an unpaired one lets through whatever comes."""
    inside: dict[str, list[str]] = {fan_out: [] for fan_out in regions.joins}
    for one, context in regions.enclosing.items():
        for part in context or ():
            if part.node in inside:
                inside[part.node].append(one)
    meetings = {}
    for join, fan_out in regions.fan_outs.items():
        node, opener = graph.nodes[join], graph.nodes[fan_out]
        assert is_join(node) and opener.type is not None
        brings = node.config.get("mode", "all") == "all" and ITEM not in opener.type.parts(opener)
        meetings[join] = Meeting(fan_out, brings, tuple(inside[fan_out]))
    return meetings
