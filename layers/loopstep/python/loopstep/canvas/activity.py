"""Which nodes of a canvas can be active in one run: a condition takes exactly one of its handles (CANVAS §2, §3.6)."""

from __future__ import annotations

from loopstep.canvas.graph import Graph
from loopstep.canvas.model import Canvas

Spot = tuple[int, str]  # (node, ""), or a condition as left by a handle


class Activity:
    """Tells exclusive nodes apart. Answers are kept: a pair that was searched in vain need not be searched again."""

    def __init__(self, canvas: Canvas, graph: Graph) -> None:
        self._graph = graph
        self._choices = any(node.type.branches for node in canvas.nodes)
        self._never: set[tuple[Spot, Spot]] = set()

    def exclusive(self, one: int, other: int) -> bool:
        """Whether no run activates both: every two ways to them part at a condition.

        Two ways are walked back at once, always the one that is further ahead, so that where both come through a
        condition they meet there, and by the handles they left it by.
        """
        if not self._choices:
            return False
        start = self._pair((one, ""), (other, ""))
        seen = {start}
        waiting = [start]
        while waiting:
            pair = waiting.pop()
            if pair in self._never:
                continue
            following = self._back(pair)
            if following is None:
                return False
            for each in following:
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
        self._never |= seen
        return True

    def _pair(self, one: Spot, other: Spot) -> tuple[Spot, Spot]:
        """The one further ahead last."""
        ahead = (self._graph.position[one[0]], one[1]) > (self._graph.position[other[0]], other[1])
        return (other, one) if ahead else (one, other)

    def _back(self, pair: tuple[Spot, Spot]) -> list[tuple[Spot, Spot]] | None:
        """The pairs one step back; None where both ways have come to one beginning, or to two starts."""
        near, far = pair
        if near == far:
            return None
        if near[0] == far[0]:  # one condition
            return [] if near[1] and far[1] else None
        if far[1]:
            return [self._pair(near, (far[0], ""))]
        sources = self._sources(far[0])
        if sources:
            return [self._pair(near, source) for source in sources]
        others = self._sources(near[0]) if not near[1] else [(near[0], "")]
        return [self._pair(other, far) for other in others] if others else None

    def _sources(self, node: int) -> list[Spot]:
        return [(edge.source, edge.handle) for edge in self._graph.arriving[node]]
