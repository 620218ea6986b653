"""A plan's graph as what is to be drawn: nodes in nested boxes, and edges between them.

describe_graph's JSON ─▶ Chart ─▶ layout.lay_out ─▶ Picture ─▶ svg
                            └──▶ mermaid
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Place = tuple[tuple[str, str], ...]  # (node id, part) of the regions around something, outermost first
OUTSIDE: Place = ()
START = ""  # the id of the mark where a run begins; no node has it

QUIET_PORTS = ("failed", "timed_out")  # ways that a picture draws aside


@dataclass(frozen=True, slots=True)
class Node:
    """One step. `look` names its colour: step, outside, waits, control, succeeded, failed."""

    id: str
    type: str
    title: str
    look: str
    place: Place


@dataclass(frozen=True, slots=True)
class Edge:
    """One way. `when` is "" without a condition; `default`: the port has conditions, and this is what else stands."""

    id: str
    source: str
    port: str
    target: str
    enters: str
    when: str
    default: bool

    @property
    def quiet(self) -> bool:
        """Whether it is the way of a failure."""
        return self.port in QUIET_PORTS

    @property
    def back(self) -> bool:
        """Whether it closes a loop."""
        return self.enters != "in"


@dataclass(frozen=True, slots=True)
class Chart:
    """`boxes`: the title of each region by its place, outer ones before inner ones. `entry` is None without one."""

    name: str
    title: str
    nodes: dict[str, Node]
    edges: tuple[Edge, ...]
    entry: str | None
    boxes: dict[Place, str] = field(default_factory=dict)

    def describe(self) -> str:
        """What is to be seen, for those who cannot see it."""
        parts = [f"{len(self.nodes)} nodes, {len(self.edges)} edges"]
        if self.entry is not None:
            parts.append(f"starts at {self.entry}")
        return f"Flow graph of the plan {self.name}: {'; '.join(parts)}."


def chart_of(graph: dict[str, Any], name: str = "") -> Chart:
    """The chart of a graph as `services.describe_graph` describes it; `name` where it has none of its own.

    Edges whose ends are not nodes are left out.
    """
    nodes = {each["id"]: _node(each) for each in graph["nodes"]}
    known = [e for e in graph["edges"] if e["source"]["nodeId"] in nodes and e["target"]["nodeId"] in nodes]
    entry = (graph.get("entry") or {}).get("nodeId")
    titles = {(each["nodeId"], each["part"]): each["title"] for each in graph.get("regions", ())}
    boxes = {
        place: titles.get(place[-1], " ".join(place[-1]))
        for place in sorted({part for node in nodes.values() for part in _beginnings(node.place)}, key=len)
    }
    return Chart(
        graph.get("name") or name,
        graph.get("title", ""),
        nodes,
        tuple(_edges(known)),
        entry if entry in nodes else None,
        _in_order(boxes, nodes),
    )


def _node(each: dict[str, Any]) -> Node:
    place = tuple((region["nodeId"], region["part"]) for region in each.get("enclosing", ()))
    return Node(each["id"], each["type"], each.get("title", ""), each.get("look", "step"), place)


def _edges(known: list[dict[str, Any]]) -> Iterator[Edge]:
    asked = {(e["source"]["nodeId"], e["source"]["port"]) for e in known if e.get("when")}
    for each in known:
        source, target, when = each["source"], each["target"], each.get("when", "")
        default = not when and (source["nodeId"], source["port"]) in asked
        yield Edge(each["id"], source["nodeId"], source["port"], target["nodeId"], target["port"], when, default)


def _beginnings(place: Place) -> Iterator[Place]:
    for length in range(1, len(place) + 1):
        yield place[:length]


def _in_order(boxes: dict[Place, str], nodes: dict[str, Node]) -> dict[Place, str]:
    """Outer boxes first, then in the order in which the nodes in them stand."""
    first: dict[Place, int] = {}
    for index, node in enumerate(nodes.values()):
        for place in _beginnings(node.place):
            first.setdefault(place, index)
    return {place: boxes[place] for place in sorted(boxes, key=lambda each: (len(each), first[each]))}
