"""The graph that the plan's structure follows: nodes that become steps, and where every path ends (CANVAS §2).

An output node that only delivers is no step; a path ends at a leaf, at a handle without an edge, and at such an output.
Edges that another path makes superfluous are left out, since what waits for the later waits for the earlier too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loopstep.canvas.document import OTHERWISE
from loopstep.canvas.graph import Graph
from loopstep.canvas.model import Canvas, CanvasNode
from loopstep.source.document import Sequence

SINK = -1  # where every path ends

Way = tuple[str, int]  # (handle, "" but for conditions; target)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """`order`: the steps, topological. `ways`: what leaves each, at least one way. `handles`: of each condition, all
    that it can be left by. `starts`: the steps that begin at once.
    """

    order: tuple[int, ...]
    starts: tuple[int, ...]
    ways: dict[int, tuple[Way, ...]]
    handles: dict[int, frozenset[str]]


def skeleton_of(canvas: Canvas, graph: Graph, steps: set[int]) -> Skeleton:
    """`steps`: the nodes that are steps; of the others, nothing comes behind one."""
    order = tuple(node for node in graph.order if node in steps)
    ways: dict[int, tuple[Way, ...]] = {}
    handles: dict[int, frozenset[str]] = {}
    onward: dict[int, int] = {}  # by node: what it reaches without a choice, itself included
    for node in reversed(order):
        found: dict[Way, None] = {}
        for edge in graph.leaving[node]:
            found[edge.handle, edge.target if edge.target in steps else SINK] = None
        if canvas.nodes[node].type.branches:
            handles[node] = frozenset(_handles(canvas.nodes[node], {handle for handle, _ in found}))
            wired = {handle for handle, _ in found}
            found |= {(handle, SINK): None for handle in sorted(handles[node] - wired)}
        ways[node] = tuple(_needed(found or {("", SINK): None}, onward))
        onward[node] = 1 << node
        if node not in handles:
            for _, target in ways[node]:
                onward[node] |= onward.get(target, 0)
    starts = tuple(node for node in order if not graph.arriving[node])
    return Skeleton(order, starts, ways, handles)


def _handles(node: CanvasNode, wired: set[str]) -> list[str]:
    """`branch_i` for every condition; `otherwise` only where it is wired, else it fails the run."""
    conditions = node.value("conditions")
    count = len(conditions.items) if isinstance(conditions, Sequence) else 0
    return [*(f"branch_{i}" for i in range(count)), *((OTHERWISE,) if OTHERWISE in wired else ())]


def _needed(ways: Iterable[Way], onward: dict[int, int]) -> Iterable[Way]:
    """The ways without those whose target another one by the same handle is sure to come to."""
    listed = list(ways)
    for handle, target in listed:
        others = [other for by, other in listed if by == handle and other != target and other != SINK]
        if target == SINK and others:
            continue
        if target != SINK and any(onward[other] >> target & 1 for other in others):
            continue
        yield handle, target
