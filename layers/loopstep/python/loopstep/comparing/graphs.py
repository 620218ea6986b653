"""Nodes and edges of two plans: what is new, what is gone, what has another name, and what is another in which part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopstep.comparing.change import ADDED, CHANGED, EDGE, MOVED, NODE, REMOVED, RENAMED, Change
from loopstep.comparing.contracts import sent
from loopstep.comparing.said import edge_said, node_said
from loopstep.compiler.model import Edge, Node, Plan
from loopstep.types.schema import MISSING, TYPES

Names = dict[str, str]  # the newer name of what has another name, by the older one


def compare_nodes(before: Plan, after: Plan) -> tuple[list[Change], Names]:
    """The changes, and the nodes that have another name: the same in everything, one gone and one new."""
    old, new = ({node.id: node for node in plan.nodes} for plan in (before, after))
    renamed = _renamed({id: node_said(node) for id, node in old.items()}, {id: node_said(n) for id, n in new.items()})
    changes = []
    for id, node in old.items():
        name = renamed.get(id, id)
        if id in renamed:
            changes.append(Change(NODE, RENAMED, f"nodes.{id}", id, name))
        if name in new:
            changes += _node(f"nodes.{name}", node, new[name], renamed)
        else:
            changes.append(Change(NODE, REMOVED, f"nodes.{id}", node_said(node)))
    known = {renamed.get(id, id) for id in old}
    changes += [Change(NODE, ADDED, f"nodes.{id}", after=node_said(new[id])) for id in new if id not in known]
    return changes, renamed


def compare_edges(before: Plan, after: Plan, nodes: Names) -> list[Change]:
    """The changes; `nodes` says which have another name."""
    old, new = {edge.id: edge_said(edge) for edge in before.edges}, {edge.id: edge_said(edge) for edge in after.edges}
    for edge in old.values():
        for end in ("source", "target"):
            edge[end] = {**edge[end], "nodeId": nodes.get(edge[end]["nodeId"], edge[end]["nodeId"])}
    renamed = _renamed(old, new)
    changes = []
    for id, edge in old.items():
        name = renamed.get(id, id)
        if id in renamed:
            changes.append(Change(EDGE, RENAMED, f"edges.{id}", id, name))
        if name in new:
            changes += _parts(EDGE, f"edges.{name}", edge, new[name])
        else:
            changes.append(Change(EDGE, REMOVED, f"edges.{id}", edge))
    known = {renamed.get(id, id) for id in old}
    changes += [Change(EDGE, ADDED, f"edges.{id}", after=new[id]) for id in new if id not in known]
    return changes + list(_order(before.edges, after.edges, nodes, renamed))


def _node(place: str, old: Node, new: Node, renamed: Names) -> Iterator[Change]:
    before, after = _pointing(node_said(old), renamed), node_said(new)
    if old.title != new.title:
        yield Change(NODE, CHANGED, f"{place}.title", old.title, new.title)
    answered = [node.type is not None and node.type.wait(node) is not None for node in (old, new)]
    if all(answered) and old.output and new.output:
        yield from sent(NODE, f"{place}.output", old.output, new.output)
        before, after = ({name: part for name, part in side.items() if name != "output"} for side in (before, after))
    yield from _parts(NODE, place, before, after)


def _pointing(node: dict[str, Any], renamed: Names) -> dict[str, Any]:
    """The node with the fan_out that a join closes under its newer name."""
    if not isinstance(node.get("join"), dict) or node["join"].get("fanOut") not in renamed:
        return node
    return {**node, "join": {**node["join"], "fanOut": renamed[node["join"]["fanOut"]]}}


def _parts(about: str, place: str, old: Any, new: Any) -> Iterator[Change]:
    """Down maps to what is another; a list is one part."""
    if old == new and _kinds(old) == _kinds(new):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping) and not _is_value(old) and not _is_value(new):
        for name in dict.fromkeys((*old, *new)):
            sides = [side.get(name, MISSING) for side in (old, new)]
            if MISSING in sides:
                yield Change(about, ADDED if sides[0] is MISSING else REMOVED, f"{place}.{name}", *sides)
            else:
                yield from _parts(about, f"{place}.{name}", *sides)
    else:
        yield Change(about, CHANGED, place, old, new)


def _is_value(part: Mapping[str, Any]) -> bool:
    """Whether a map is one part: a ValueExpr, an expression, a Schema."""
    return bool(part.keys() & {"value", "expr"}) or part.get("type") in TYPES


def _kinds(part: Any) -> Any:
    """What tells `1` from `true` and from `1.0`, which Python takes for equal."""
    if isinstance(part, Mapping):
        return {name: _kinds(each) for name, each in part.items()}
    return [_kinds(each) for each in part] if isinstance(part, list) else isinstance(part, bool)


def _renamed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Names:
    """Gone ids whose part stands, in everything the same, under exactly one new id."""
    gone = {id: part for id, part in old.items() if id not in new}
    fresh = {id: part for id, part in new.items() if id not in old}
    found: Names = {}
    for id, part in gone.items():
        same = [name for name, other in fresh.items() if part == other and _kinds(part) == _kinds(other)]
        twins = [other for other in gone.values() if other == part]
        if len(same) == 1 and len(twins) == 1:
            found[id] = same[0]
    return found


def _order(old: list[Edge], new: list[Edge], nodes: Names, edges: Names) -> Iterator[Change]:
    """Of the conditions of one port the first that holds is taken, so their order means something."""
    ports: dict[tuple[str, str], list[str]] = {}
    for edge in old:
        if edge.when is not None:
            source = (nodes.get(edge.source.node, edge.source.node), edge.source.port)
            ports.setdefault(source, []).append(edges.get(edge.id, edge.id))
    now: dict[tuple[str, str], list[str]] = {}
    for edge in new:
        if edge.when is not None:
            now.setdefault((edge.source.node, edge.source.port), []).append(edge.id)
    for (node, port), ids in ports.items():
        after = [id for id in now.get((node, port), []) if id in ids]
        before = [id for id in ids if id in after]
        if before != after:
            yield Change(EDGE, MOVED, f"nodes.{node}.{port}", before, after)
