"""Fan_outs and the joins that name them (LANGUAGE §8, Regions)."""

from __future__ import annotations

from loopstep.compiler.model import Node
from loopstep.compiler.resolve import Graph, is_fan_out, is_join
from loopstep.diagnostics.collector import Reporter, related
from loopstep.diagnostics.diagnostic import Related
from loopstep.diagnostics.suggest import nearest


def pair(graph: Graph, reporter: Reporter) -> tuple[dict[str, str], dict[str, str]]:
    """(join by fan_out, fan_out by join); reports joins without a fan_out and fan_outs without a join."""
    joins: dict[str, str] = {}
    fan_outs: dict[str, str] = {}
    open_ends = bool(graph.copies) or "nodes" in graph.plan.broken
    unnamed = any(not copy.id for copy in graph.copies) or "nodes" in graph.plan.broken  # any name may be theirs
    for node in graph.nodes.values():
        open_ends = open_ends or node.type is None
        if not is_join(node):
            continue
        name: str | None = node.config.get("fanOut")
        named = graph.nodes.get(name) if name is not None else None
        if name is not None and named is not None and is_fan_out(named) and name not in joins:
            joins[name], fan_outs[node.id] = node.id, name
            continue
        open_ends = True
        known = not unnamed if named is None else named.type is not None and named.id not in graph.doubled
        if name is not None and known:
            _unpaired(graph, node, name, joins.get(name), reporter)
    for node in graph.nodes.values():
        if is_fan_out(node) and node.id not in joins and not open_ends:
            message = f"no join names the fan_out `{node.id}`: its region never ends"
            reporter.error("graph.region_escape", message, node.at, f"add a `join` with `fanOut: {node.id}`")
    return joins, fan_outs


def _unpaired(graph: Graph, join: Node, name: str, other: str | None, reporter: Reporter) -> None:
    first: tuple[Related, ...] = ()
    if other is not None:
        message, hint = f"the join `{other}` already ends the region of `{name}`", "a fan_out has exactly one join"
        first = (related("the first join", graph.nodes[other].at),)
    else:
        candidates = [one for one, node in graph.nodes.items() if is_fan_out(node)]
        near = nearest(name, candidates) or (candidates[0] if len(candidates) == 1 else None)
        named = graph.nodes.get(name)
        what = "there is no such node" if named is None or named.type is None else f"it is of type {named.type.name}"
        message = f"`fanOut` has to name a fan_out, and `{name}` is none: {what}"
        hint = f"did you mean `{near}`?" if near else "name the fan_out whose parts arrive here"
    reporter.error("graph.join_unpaired", message, join.place("fanOut"), hint, first)
