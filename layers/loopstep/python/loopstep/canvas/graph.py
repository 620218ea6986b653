"""The graph of a canvas: order, cycles, and which nodes come before which (CANVAS §2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from loopstep.canvas.model import Canvas, CanvasEdge
from loopstep.compiler.graph import closing_edges, topological
from loopstep.diagnostics.collector import Reporter


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by index. `order`: by level (the longest way from a start), then as in the document. `before` and `after`:
    bit sets of all nodes that lead to one, and that it leads to.
    """

    leaving: tuple[tuple[CanvasEdge, ...], ...]
    arriving: tuple[tuple[CanvasEdge, ...], ...]
    order: tuple[int, ...]
    position: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    def ordered(self, one: int, other: int) -> bool:
        """Whether one of two nodes leads to the other, so that they never run at once."""
        return bool((self.before[one] | self.after[one]) >> other & 1)


def report_cycles(canvas: Canvas, report: Reporter) -> bool:
    """canvas.cycle at every edge that closes one when the edges are laid in their order; whether there is one."""
    ids = [str(node.index) for node in canvas.nodes]
    closing = closing_edges(ids, [(str(edge.source), str(edge.target)) for edge in canvas.edges])
    for position in sorted(closing):
        edge = canvas.edges[position]
        source, target = canvas.nodes[edge.source].id, canvas.nodes[edge.target].id
        message = f"this edge leads from `{source}` back to `{target}`: in a cycle nothing comes first"
        report.error("canvas.cycle", message, edge.at, "take one edge of the cycle away")
    return bool(closing)


def graph_of(canvas: Canvas) -> Graph:
    """The graph of a canvas without cycles."""
    count = len(canvas.nodes)
    leaving: list[list[CanvasEdge]] = [[] for _ in range(count)]
    arriving: list[list[CanvasEdge]] = [[] for _ in range(count)]
    for edge in canvas.edges:
        leaving[edge.source].append(edge)
        arriving[edge.target].append(edge)
    ids = [str(index) for index in range(count)]
    ordered, _ = topological(ids, [(str(edge.source), str(edge.target)) for edge in canvas.edges])
    level, position = [0] * count, [0] * count
    before, after = [0] * count, [0] * count
    for node in map(int, ordered):
        for edge in arriving[node]:
            before[node] |= before[edge.source] | 1 << edge.source
            level[node] = max(level[node], level[edge.source] + 1)
    order = tuple(sorted(range(count), key=lambda node: (level[node], node)))
    for place, node in enumerate(order):
        position[node] = place
    for node in reversed(order):
        for edge in leaving[node]:
            after[node] |= after[edge.target] | 1 << edge.target
    return Graph(
        tuple(map(tuple, leaving)), tuple(map(tuple, arriving)), order, tuple(position), tuple(before), tuple(after)
    )


def predecessors(canvas: Canvas, node: int) -> list[int]:
    """The reachable predecessors: reverse breadth-first over the edges, nearest first, each once (CANVAS §2).

    What comes behind the node is none, even where a cycle leads back to it.
    """
    arriving: dict[int, list[int]] = {}
    leaving: dict[int, list[int]] = {}
    for edge in canvas.edges:
        arriving.setdefault(edge.target, []).append(edge.source)
        leaving.setdefault(edge.source, []).append(edge.target)
    behind = set(_breadth_first(node, leaving))
    return [one for one in _breadth_first(node, arriving) if one not in behind and one != node]


def _breadth_first(start: int, ways: dict[int, list[int]]) -> Iterator[int]:
    seen = {start}
    waiting = deque([start])
    while waiting:
        for one in ways.get(waiting.popleft(), ()):
            if one not in seen:
                seen.add(one)
                waiting.append(one)
                yield one


def members(bits: int) -> Iterator[int]:
    """The nodes of a bit set, by index."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
