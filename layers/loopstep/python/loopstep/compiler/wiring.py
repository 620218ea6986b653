"""What LANGUAGE §8 asks of edges and ports: one default a port, every port wired, no cycle, everything reached."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from loopstep.compiler.graph import closing_edges, successors_of
from loopstep.compiler.model import Node, below
from loopstep.compiler.resolve import START, Arc, Graph, is_end
from loopstep.diagnostics.collector import Reporter, related

SHOWN_CYCLES = 20  # of so many is the whole way shown; each takes a walk through the graph


def check_wiring(graph: Graph, reporter: Reporter) -> tuple[Arc, ...]:
    """Reports what is wired wrongly; comes back with the forward arcs, those that close a cycle taken out.

    Forward is every arc between known ends and ports that does not lead into a loop's `next`.
    """
    _defaults(graph, reporter)
    _unwired(graph, reporter)
    _unreachable(graph, reporter)
    _output_missing(graph, reporter)
    return _without_cycles(graph, reporter)


def by_port(arcs: list[Arc]) -> dict[str, list[Arc]]:
    """The arcs of one node by the port they leave, unknown ports left out."""
    ports: dict[str, list[Arc]] = {}
    for arc in arcs:
        if arc.port is not None:
            ports.setdefault(arc.port, []).append(arc)
    return ports


def _defaults(graph: Graph, reporter: Reporter) -> None:
    stray = [arc for arc in graph.lost if arc.source is None or arc.port is None]
    for node in graph.nodes.values():
        if node.type is None:
            continue
        for port, arcs in by_port(graph.leaving[node.id]).items():
            plain = [arc for arc in arcs if arc.edge.when is None]
            for arc in plain[1:]:
                message = f"port `{port}` of `{node.id}` already has an edge without `when`"
                first = related("the first edge without `when`", plain[0].edge.at)
                hint = "give one of them a `when`: the edge without one is the default"
                reporter.error("edge.ambiguous", message, arc.edge.at, hint, (first,))
            if not plain and not any(_leads_on(arc, node, port, arcs[0]) for arc in stray):
                message = (
                    f"every edge out of port `{port}` of `{node.id}` has a `when`: where none holds, the run fails"
                )
                reporter.warning(
                    "edge.no_default", message, arcs[0].edge.at, "add an edge without `when` as the default"
                )


def _leads_on(stray: Arc, node: Node, port: str, first: Arc) -> bool:
    """Whether an edge that may leave the port is its default, or its first edge."""
    leaves = (stray.source is None or stray.source is node) and stray.port in (None, port)
    return leaves and (stray.edge.when is None or stray.position < first.position)


def _unwired(graph: Graph, reporter: Reporter) -> None:
    if "edges" in graph.plan.broken:
        return
    stray = {arc.port for arc in graph.arcs if arc.source is None}  # they may leave any node
    if None in stray:
        return
    for node in graph.nodes.values():
        for port in unwired(graph, node):
            if port not in stray:
                message = f"port `{port}` of `{node.id}` leads nowhere"
                hint = f"add an edge with `source: {{nodeId: {node.id}, port: {port}}}`"
                reporter.error("graph.unwired_port", message, node.at, hint)


def unwired(graph: Graph, node: Node) -> list[str]:
    """Ports that need an edge and have none, unless an edge of the node leaves by a port that is unknown."""
    if node.type is None or node.id in graph.doubled:
        return []
    wired = {arc.port for arc in graph.leaving[node.id]}
    if None in wired:
        return []
    exits = node.type.exits(node)
    return [name for name in exits.names if name not in wired and name not in exits.exempt]


def _unreachable(graph: Graph, reporter: Reporter) -> None:
    for node in graph.nodes.values():
        if not graph.reaches(node):
            message = f"nothing leads from the entry to `{node.id}`"
            reporter.warning("graph.unreachable", message, node.at, "wire it, or remove it: it is not part of the run")


def _output_missing(graph: Graph, reporter: Reporter) -> None:
    plan = graph.plan
    needed = [name for name, schema in plan.output.items() if schema.required]
    if not needed or not graph.certain or not plan.broken.isdisjoint(("nodes", "edges", "output")):
        return
    ends = [node for node in graph.nodes.values() if node.type is None or (is_end(node) and may_succeed(node))]
    if any(graph.reaches(node) for node in ends) or graph.copies:
        return
    if ends and any(unwired(graph, node) for node in graph.nodes.values() if graph.reaches(node)):
        return  # the port that leads nowhere may be the way to it
    named = ", ".join(f"`{name}`" for name in needed)
    message = f"the plan promises {named}, but the run can reach no succeeded end"
    reporter.error("output.missing", message, below(plan.at, ("output",)), "add an `end` with `outcome: succeeded`")


def may_succeed(end: Node) -> bool:
    """Whether an end succeeds, or has no readable outcome and fits either (LANGUAGE §10)."""
    return bool(end.config.get("outcome", "succeeded") == "succeeded")


def _without_cycles(graph: Graph, reporter: Reporter) -> tuple[Arc, ...]:
    arcs = [arc for arc in graph.arcs if _forward(arc)]
    edges = [_ids(arc) for arc in arcs]
    closing = closing_edges(list(graph.nodes), edges)
    forward = tuple(arc for position, arc in enumerate(arcs) if position not in closing)
    for number, position in enumerate(sorted(closing)):
        source, target = edges[position]
        way = _way(target, source, forward) if number < SHOWN_CYCLES else []
        message = "this edge closes a cycle" + (": " + " → ".join(f"`{one}`" for one in [source, *way]) if way else "")
        others = [related(f"edge to `{_ids(arc)[1]}`", arc.edge.at) for arc in _arcs_along(way, forward)]
        hint = "a plan repeats steps through a `loop`, entered by its port `next`"
        reporter.error("graph.cycle_without_loop", message, arcs[position].edge.at, hint, others)
    return forward


def _forward(arc: Arc) -> bool:
    if not arc.sound or arc.back:
        return False
    return arc.target is not None and (arc.target.type is not None or arc.enters == START)


def _ids(arc: Arc) -> tuple[str, str]:
    assert arc.source is not None
    assert arc.target is not None
    return arc.source.id, arc.target.id


def _way(start: str, goal: str, arcs: tuple[Arc, ...]) -> list[str]:
    """The shortest way from start to goal, both included."""
    following = successors_of(map(_ids, arcs))
    came_from = {start: start}
    waiting = deque([start])
    while waiting and goal not in came_from:
        one = waiting.popleft()
        for other in following.get(one, ()):
            if other not in came_from:
                came_from[other] = one
                waiting.append(other)
    way = [goal]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def _arcs_along(way: list[str], arcs: tuple[Arc, ...]) -> list[Arc]:
    steps = set(pairwise(way))
    return [arc for arc in arcs if _ids(arc) in steps]
