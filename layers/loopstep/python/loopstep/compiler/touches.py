"""Who reads and writes which state path, inside regions where nodes can run at once (LANGUAGE §8, Parallel state)."""

from __future__ import annotations

from collections.abc import Iterable

from loopstep.compiler.assign import declared
from loopstep.compiler.model import Assignment, Node
from loopstep.compiler.parallel import Path, Touch
from loopstep.compiler.regions import OUTSIDE, Context, Regions
from loopstep.compiler.resolve import Arc, Graph
from loopstep.expressions.ast import Reference
from loopstep.source.document import Value


class Touches:
    """Collects touches: of a node's config, and of the edges that belong to it. Only of nodes that can run."""

    def __init__(self, graph: Graph, regions: Regions) -> None:
        self.graph = graph
        self.regions = regions
        self._found: dict[tuple[str, Context, Path, bool], Touch] = {}

    @property
    def found(self) -> tuple[Touch, ...]:
        """Each node and path once for reading and once for writing, by its own config where that touches it."""
        return tuple(self._found.values())

    def reads(self, node: Node, refs: Iterable[Reference]) -> None:
        """What a node's config reads."""
        self._read(node, self._around(node), refs)

    def writes(self, node: Node, assignments: Iterable[Assignment]) -> None:
        """What a node assigns."""
        around = self._around(node)
        if _alone(around):
            return
        for assignment in assignments:
            path = assignment.path
            if path is not None and self._declared(path):
                self._add(Touch(node.id, around, path, True))

    def edge(self, arc: Arc, refs: Iterable[Reference], at: Value | None) -> None:
        """What an edge reads: it belongs to the node it leaves, and to the first node of a part that it opens.

        `at` is the text that the references stand in.
        """
        if arc.source is None:
            return
        around = self._around(arc.source)
        self._read(arc.source, around, refs, arc.edge.id, at)
        inside = self.regions.behind(arc.source, arc.port) or OUTSIDE
        if len(inside) > len(around) and arc.target is not None and arc.target.id not in self.regions.fan_outs:
            self._read(arc.target, inside, refs, arc.edge.id, at)

    def _around(self, node: Node) -> Context:
        if not self.graph.reaches(node) or self.graph.nodes.get(node.id) is not node:
            return OUTSIDE
        return self.regions.enclosing[node.id] or OUTSIDE

    def _read(
        self, node: Node, around: Context, refs: Iterable[Reference], edge: str = "", at: Value | None = None
    ) -> None:
        if _alone(around):
            return
        for ref in refs:
            names = tuple(step for step in ref.path[1:] if isinstance(step, str))
            if ref.path[0] == "state" and names and self._declared(names):
                self._add(Touch(node.id, around, names, False, edge, at, ref))

    def _add(self, touch: Touch) -> None:
        known = self._found.setdefault(touch[:4], touch)
        if known.edge and not touch.edge:
            self._found[touch[:4]] = touch

    def _declared(self, path: tuple[str, ...]) -> bool:
        return declared(path, self.graph.plan.state)[1] == len(path)


def _alone(around: Context) -> bool:
    """Whether nothing can run at the same time: no region but loops."""
    return all(part.kind == "loop" for part in around)
