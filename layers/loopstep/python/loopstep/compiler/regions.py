"""Which regions every node stands in: parts of fan_outs, bodies of loops (LANGUAGE §8, Regions).

One walk in the order of the graph. An edge carries a *context*: the regions around its source, one more where it
leaves by a port into a part, one less behind the join. A node stands in the context that its edges agree on; where
they do not, the edges that differ from the node's home leave (or enter) a part, and are `graph.region_escape`.
A context is None where an unknown name leaves it open: it fits everything, and nothing is reported about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loopstep.compiler.graph import reachable, successors_of, topological
from loopstep.compiler.model import Node
from loopstep.compiler.pairs import pair
from loopstep.compiler.program import Enclosing
from loopstep.compiler.resolve import Arc, Graph, is_end, is_fan_out, is_loop
from loopstep.compiler.wiring import may_succeed
from loopstep.diagnostics.collector import Reporter, related

Context = tuple[Enclosing, ...]
OUTSIDE: Context = ()
ANYWHERE = "* any"  # no id has a blank
ITEM = "item"  # the part of a fan_out over items; no branch can be named so (LANGUAGE §2)


class Regions(NamedTuple):
    """`joins`: fan_out id → id of the join that names it, `fan_outs` the other way round.

    `order`: every id, in an order in which forward arcs lead onward. `forward` and `back` (into a loop's `next`): the
    arcs that stay within what they may. `enclosing`: by node id, outermost first, None where unknown.
    """

    joins: dict[str, str]
    fan_outs: dict[str, str]
    order: tuple[str, ...]
    forward: tuple[Arc, ...]
    back: tuple[Arc, ...]
    enclosing: dict[str, Context | None]
    parts: dict[tuple[str, str], Enclosing]  # by node and port, those that `part` has made

    def behind(self, node: Node, port: str | None) -> Context | None:
        """The context of what leaves the node by a port."""
        around = self.enclosing[node.id]
        if around is None or port is None or node.type is None:
            return None
        if port in node.type.parts(node) and (node.id in self.joins or is_loop(node)):
            return (*around, self.part(node, port))
        return None if is_fan_out(node) and port not in node.type.exits(node).names else around

    def part(self, node: Node, port: str) -> Enclosing:
        """The one object that stands for a part; contexts share them."""
        made = self.parts.get((node.id, port))
        if made is None:
            kind = "loop" if is_loop(node) else "items" if port == ITEM else "branches"
            made = self.parts[node.id, port] = Enclosing(kind, node.id, port)
        return made


def find_regions(graph: Graph, forward: tuple[Arc, ...], reporter: Reporter) -> Regions:
    """Pairs fan_outs with joins and says where every node stands; reports what breaks a region."""
    joins, fan_outs = pair(graph, reporter)
    order = _order(graph, forward, fan_outs)
    back = tuple(arc for arc in graph.arcs if arc.sound and arc.back)
    walk = _Walk(graph, Regions(joins, fan_outs, tuple(order), (), (), {}, {}), forward, back, reporter)
    for one in order:
        walk.visit(graph.nodes[one])
    walk.turn_back()
    return Regions(
        joins,
        fan_outs,
        tuple(order),
        tuple(arc for arc in forward if arc.position not in walk.strayed),
        tuple(arc for arc in back if arc.position not in walk.strayed),
        walk.regions.enclosing,
        walk.regions.parts,
    )


def _order(graph: Graph, forward: tuple[Arc, ...], fan_outs: dict[str, str]) -> list[str]:
    """A join comes behind its fan_out even where no edge leads there, if that is possible at all."""
    edges = [(arc.source.id, arc.target.id) for arc in forward if arc.source and arc.target]
    ids = list(graph.nodes)
    order, tangled = topological(ids, [*edges, *((fan_out, join) for join, fan_out in fan_outs.items())])
    return topological(ids, edges)[0] if tangled else order


# -- the walk ----------------------------------------------------------------------------------------------------


class _Walk:
    def __init__(
        self, graph: Graph, regions: Regions, forward: tuple[Arc, ...], back: tuple[Arc, ...], reporter: Reporter
    ) -> None:
        self.graph = graph
        self.regions = regions
        self.forward = forward
        self.back = back
        self.reporter = reporter
        self.strayed: set[int] = set()  # positions of arcs
        self.left: set[str] = set()  # fan_outs and loops whose parts an edge leaves where it must not
        self.arriving: dict[str, list[Arc]] = {}
        self.onward: dict[str, list[str]] | None = None
        self.perhaps: dict[str, list[str]] | None = None
        for arc in forward:
            if arc.source is None or arc.target is None:
                continue
            if self.graph.reaches(arc.source) or not self.graph.reaches(arc.target):
                self.arriving.setdefault(arc.target.id, []).append(arc)

    def visit(self, node: Node) -> None:
        """Settles where a node stands; all nodes before it are settled."""
        arcs = self.arriving.get(node.id, [])
        contexts = [self._context(arc) for arc in arcs]
        enclosing = self.regions.enclosing
        if is_end(node):
            enclosing[node.id] = self._end(node, arcs, contexts)
        elif node.id in self.regions.fan_outs:
            enclosing[node.id] = self._join(node, arcs, contexts)
        else:
            enclosing[node.id] = self._settle(node, arcs, contexts)

    def turn_back(self) -> None:
        """Edges into `next` come from the loop's own body."""
        for arc in self.back:
            if arc.source is None or arc.target is None or not self.graph.reaches(arc.source):
                continue
            context, expected = self._context(arc), self.regions.behind(arc.target, "body")
            if context is not None and expected is not None and context != expected:
                self._stray(arc, context, expected, f"only the body of `{arc.target.id}` leads back into its `next`")

    def _context(self, arc: Arc) -> Context | None:
        return self.regions.behind(arc.source, arc.port) if arc.source is not None else None

    def _start(self, node: Node) -> Context | None:
        """A node without arrivals: outside everything if it is the entry, else it could be wired anywhere."""
        entry = self.graph.entry
        if entry is not None:
            reached = self.graph.certain and self.graph.reaches(node)
            only_back = reached and all(arc.sound and arc.back for arc in self.graph.arriving[node.id])
            return OUTSIDE if node is entry or only_back else None
        return OUTSIDE if len([one for one in self.graph.nodes if one not in self.arriving]) == 1 else None

    def _settle(self, node: Node, arcs: list[Arc], contexts: list[Context | None]) -> Context | None:
        known = [context for context in contexts if context is not None]
        if node is self.graph.entry:
            known.insert(0, OUTSIDE)
        if not known:
            return self._start(node) if not contexts else None
        if all(context == known[0] for context in known):
            return known[0]
        if node.type is None and not self.graph.leaving[node.id]:
            return None  # it may be a failed end, which parts share
        home = self._home(node, known)
        if home is None:
            return None
        if node is self.graph.entry and home:
            self._start_inside(node, f"it stands inside {_name(home[-1])}")
        for arc, context in zip(arcs, contexts, strict=True):
            if context is not None and context != home:
                self._stray(arc, context, home, _why(node, context, home))
        return home

    def _home(self, node: Node, contexts: list[Context]) -> Context | None:
        """Inside the innermost region whose end the node still reaches; else outside most; else the first's.

        None where lost edges leave open what it reaches, and that decides.
        """
        ends = {self._end_of(context[-1]) for context in contexts if context}
        ahead = ends & self._ahead(node)
        perhaps = ends & self._perhaps_ahead(node, ends) - ahead if self.graph.lost else set()
        homes = {self._home_before(ahead | some, contexts) for some in (set(), perhaps, *({one} for one in perhaps))}
        return homes.pop() if len(homes) == 1 else None

    def _home_before(self, ahead: set[str], contexts: list[Context]) -> Context:
        inside = [context for context in contexts if not context or self._end_of(context[-1]) in ahead]
        if inside:
            return next(one for one in inside if not any(_within(other, one) for other in inside))
        return next(one for one in contexts if not any(_within(one, other) for other in contexts))

    def _ahead(self, node: Node) -> set[str]:
        """What the node can reach, the `next` of loops as places of their own."""
        if self.onward is None:
            self.onward = successors_of(_ways(self.forward, self.back))
        return reachable([node.id], self.onward)

    def _perhaps_ahead(self, node: Node, everything: set[str]) -> set[str]:
        """What the node reaches where lost edges lead wherever they can."""
        if self.perhaps is None:
            anyway = [arc for arc in self.graph.arcs if arc.target is None or not arc.target.type or not arc.sound]
            self.perhaps = successors_of([*_ways(self.forward, self.back), *_ways(anyway, anyway)])
        starts = [node.id, *(arc.target.id if arc.target else ANYWHERE for arc in self.graph.lost if not arc.source)]
        found = reachable(starts, self.perhaps)
        return everything if ANYWHERE in found else found

    def _end_of(self, part: Enclosing) -> str:
        """Where a part ends: at the join, at the loop's `next`."""
        return self.regions.joins.get(part.node, _next_of(part.node))

    def _join(self, node: Node, arcs: list[Arc], contexts: list[Context | None]) -> Context | None:
        fan_out = self.regions.fan_outs[node.id]
        if node is self.graph.entry:
            self._start_inside(node, f"only the parts of `{fan_out}` arrive there")
        around = self.regions.enclosing.get(fan_out)
        if around is None and not self._never_opened(node, fan_out):
            return None
        wrong = [
            (arc, context)
            for arc, context in zip(arcs, contexts, strict=True)
            if context is not None and not (context and context[-1].node == fan_out and context[:-1] == around)
        ]
        if len(wrong) == len(arcs) and fan_out in self.left:
            return None  # its parts went elsewhere, which has been reported
        for arc, context in wrong:
            self._stray(
                arc, context, around or OUTSIDE, f"only the parts of `{fan_out}` arrive at its join `{node.id}`"
            )
        return around

    def _never_opened(self, join: Node, fan_out: str) -> bool:
        """Whether the run comes to a join and never to its fan_out."""
        return self.graph.certain and self.graph.reaches(join) and fan_out not in self.graph.reached

    def _end(self, node: Node, arcs: list[Arc], contexts: list[Context | None]) -> Context | None:
        known = [context for context in contexts if context is not None]
        inside = [(arc, context) for arc, context in zip(arcs, contexts, strict=True) if context]
        if inside and node.config.get("outcome") is not None and may_succeed(node):
            arc, context = inside[0]
            message = f"the succeeded end `{node.id}` stands inside {_name(context[-1])}, where a run cannot end"
            hint = "lead the edge to the region's end, or to an end with `outcome: failed`"
            way = related(f"this edge leads there from `{arc.edge.source.node}`", arc.edge.at)
            self.reporter.error("graph.end_in_region", message, node.at, hint, (way,))
            return OUTSIDE
        return _common(known) if known else self._start(node) if not contexts else None

    def _start_inside(self, node: Node, why: str) -> None:
        assert self.graph.plan.entry is not None
        message = f"a run cannot start at `{node.id}`: {why}"
        self.reporter.error("graph.region_escape", message, self.graph.plan.entry.at, "start before the region")

    def _stray(self, arc: Arc, context: Context, home: Context, why: str) -> None:
        self.strayed.add(arc.position)
        self.left.update(part.node for part in context[len(_common([context, home])) :])
        where = f"this edge comes out of {_name(context[-1])}" if context else "this edge comes from outside"
        hint = "a part is left through its join, a loop's body through `next`; only failed ends may be shared"
        self.reporter.error("graph.region_escape", f"{where}: {why}", arc.edge.at, hint)


def _ways(arcs: Iterable[Arc], back: Iterable[Arc]) -> Iterator[tuple[str, str]]:
    """From node to node; an unknown target may be anywhere."""
    for arc in arcs:
        if arc.source is not None:
            yield arc.source.id, arc.target.id if arc.target is not None else ANYWHERE
    for arc in back:
        if arc.source is not None and arc.target is not None:
            yield arc.source.id, _next_of(arc.target.id)


def _next_of(loop: str) -> str:
    return f"{loop} next"  # no id has a blank


def _within(inner: Context, outer: Context) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _common(contexts: Iterable[Context]) -> Context:
    """The regions that all contexts share."""
    first, *others = contexts
    for other in others:
        length = 0
        while length < min(len(first), len(other)) and first[length] == other[length]:
            length += 1
        first = first[:length]
    return first


def _name(part: Enclosing) -> str:
    if part.kind == "loop":
        return f"the body of `{part.node}`"
    return f"the items of `{part.node}`" if part.kind == "items" else f"branch `{part.part}` of `{part.node}`"


def _why(node: Node, context: Context, home: Context) -> str:
    if not home or _within(context, home):
        return f"`{node.id}` stands outside"
    return f"`{node.id}` belongs to {_name(home[-1])}"
