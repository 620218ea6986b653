"""Names to things: node ids, ports, the entry (LANGUAGE §8, §10). What cannot be resolved is reported here, once.

Afterwards no pass looks up a name again: an `Arc` is an edge whose ends are nodes. An end or port that is unknown is
None there; it fits everything (§10).
"""

from __future__ import annotations

from typing import NamedTuple

from loopstep.compiler.graph import reachable, successors_of
from loopstep.compiler.model import Edge, Endpoint, Node, Plan, below
from loopstep.diagnostics.collector import Reporter, related
from loopstep.diagnostics.suggest import listed, nearest
from loopstep.nodes.node_type import END, FAN_OUT, JOIN, LOOP
from loopstep.source.document import Value

START = "in"  # the entry port of a run
_ANY_JOIN = "* join"  # no id has a blank


class Arc(NamedTuple):
    """An edge, resolved. `port` leaves `source`, `enters` is the port at `target`; None: unknown, and reported."""

    position: int  # among the edges of the document
    edge: Edge
    source: Node | None
    port: str | None
    target: Node | None
    enters: str | None

    @property
    def sound(self) -> bool:
        """Whether both ends and ports are known; only such arcs shape the graph."""
        return None not in (self.source, self.port, self.target, self.enters)

    @property
    def back(self) -> bool:
        """Whether it leads into a loop's `next`, the one way a graph may turn back."""
        return self.target is not None and role(self.target) == LOOP and self.enters != START


class Graph(NamedTuple):
    """The plan's nodes and arcs by id, in document order.

    `copies`: nodes without an id of their own (a duplicate, an unreadable one); they are checked for themselves.
    `doubled`: ids that several nodes carry. `reached`: what the entry leads to, in doubt more. `certain`: no unknown
    name leaves open what is reached. `leaving` and `arriving` have an entry for every id. `lost`: the arcs of which an
    end or a port is unknown; nothing is reported that one of them, mended, would make vanish (§10).
    """

    plan: Plan
    nodes: dict[str, Node]
    copies: tuple[Node, ...]
    doubled: frozenset[str]
    arcs: tuple[Arc, ...]
    entry: Node | None
    reached: frozenset[str]
    certain: bool
    leaving: dict[str, list[Arc]]
    arriving: dict[str, list[Arc]]
    position: dict[str, int]  # of a node in the document
    lost: tuple[Arc, ...]

    def reaches(self, node: Node) -> bool:
        """Whether the run can come to the node, as far as names tell."""
        return node.id in self.reached


def role(node: Node) -> str:
    """The node type's role in the graph; "" where the type is unknown."""
    return node.type.role if node.type is not None else ""


def is_fan_out(node: Node) -> bool:
    return role(node) == FAN_OUT


def is_join(node: Node) -> bool:
    return role(node) == JOIN


def is_loop(node: Node) -> bool:
    return role(node) == LOOP


def is_end(node: Node) -> bool:
    return role(node) == END


def resolve(plan: Plan, reporter: Reporter) -> Graph:
    """The graph of a plan; reports duplicate ids, unknown nodes and unknown ports."""
    nodes, copies, doubled = _by_id(plan, reporter)
    unnamed = any(not copy.id for copy in copies) or "nodes" in plan.broken
    finder = _Finder(plan, nodes, doubled, unnamed, _exits(plan), reporter)
    _duplicate_edges(plan, reporter)
    arcs = tuple(finder.arc(position, edge) for position, edge in enumerate(plan.edges))
    entry = finder.entry()
    reached, certain = _reached(plan, nodes, arcs, entry)
    leaving: dict[str, list[Arc]] = {one: [] for one in nodes}
    arriving: dict[str, list[Arc]] = {one: [] for one in nodes}
    for arc in arcs:
        if arc.source is not None:
            leaving[arc.source.id].append(arc)
        if arc.target is not None:
            arriving[arc.target.id].append(arc)
    position = {one: number for number, one in enumerate(nodes)}
    lost = tuple(arc for arc in arcs if not arc.sound)
    return Graph(plan, nodes, copies, doubled, arcs, entry, reached, certain, leaving, arriving, position, lost)


def _by_id(plan: Plan, reporter: Reporter) -> tuple[dict[str, Node], tuple[Node, ...], frozenset[str]]:
    nodes: dict[str, Node] = {}
    copies: list[Node] = []
    doubled = set()
    for node in plan.nodes:
        if node.id and node.id not in nodes:
            nodes[node.id] = node
            continue
        copies.append(node)
        if node.id:
            doubled.add(node.id)
            _duplicate("node", node.id, node.at, nodes[node.id].at, reporter)
    return nodes, tuple(copies), frozenset(doubled)


def _duplicate_edges(plan: Plan, reporter: Reporter) -> None:
    first: dict[str, Edge] = {}
    for edge in plan.edges:
        if edge.id and first.setdefault(edge.id, edge) is not edge:
            _duplicate("edge", edge.id, edge.at, first[edge.id].at, reporter)


def _duplicate(kind: str, name: str, at: Value, first: Value, reporter: Reporter) -> None:
    other = related(f"the first {kind} `{name}`", below(first, ("id",)))
    message = f"two {kind}s have the id `{name}`"
    reporter.error("graph.duplicate_id", message, below(at, ("id",)), f"rename one: {kind} ids are unique", (other,))


def _exits(plan: Plan) -> frozenset[str] | None:
    """Every port by which some node is left; None where that cannot be said of all."""
    names: set[str] = set()
    for node in plan.nodes:
        exits = node.type.exits(node) if node.type is not None else None
        if exits is None or exits.open:
            return None
        names.update(exits.names)
    return frozenset(names) if "nodes" not in plan.broken else None


class _Finder(NamedTuple):
    plan: Plan
    nodes: dict[str, Node]
    doubled: frozenset[str]
    open: bool  # some node's id could not be read, so any name may be its
    ports: frozenset[str] | None  # by which some node is left; None: any
    reporter: Reporter

    def arc(self, position: int, edge: Edge) -> Arc:
        source, target = self.node(edge.source), self.node(edge.target)
        port = self.exit(source, edge.source)
        enters = self.way_in(target, edge.target)
        return Arc(position, edge, source, port, target, enters)

    def node(self, end: Endpoint) -> Node | None:
        found = self.nodes.get(end.node)
        if found is None and end.node and not self.open:
            near = nearest(end.node, self.nodes)
            hint = f"did you mean `{near}`?" if near else "nodes are named by their `id`"
            self.reporter.error("graph.unknown_node", f"no node has the id `{end.node}`", end.node_at, hint)
        return found

    def exit(self, node: Node | None, end: Endpoint) -> str | None:
        if node is None and self.ports is not None and end.port not in self.ports:
            return None  # whatever node was meant
        if node is None or node.type is None or node.id in self.doubled or not end.port:
            return end.port or None
        exits = node.type.exits(node)
        if end.port in exits.names or exits.open:
            return end.port
        message = f"`{node.id}` ({node.type.name}) has no port `{end.port}` to leave by"
        self._unknown_port(message, end, exits.names)
        return None

    def way_in(self, node: Node | None, end: Endpoint) -> str | None:
        if node is None or node.type is None or node.id in self.doubled or not end.port:
            return end.port or None
        if end.port in node.type.entries:
            return end.port
        self._unknown_port(
            f"`{node.id}` ({node.type.name}) has no port `{end.port}` to enter by", end, node.type.entries
        )
        return None

    def entry(self) -> Node | None:
        entry = self.plan.entry
        if entry is None:
            return None
        node = self.node(entry.target)
        if entry.port and entry.port != START:
            self._unknown_port("a run starts at the port `in` of a node", entry.target, (START,))
        return node

    def _unknown_port(self, message: str, end: Endpoint, names: tuple[str, ...]) -> None:
        near = nearest(end.port, names)
        has = f"it has {listed(names)}" if names else "it is an end: nothing leaves it"
        hint = f"did you mean `{near}`?" if near else has
        self.reporter.error("graph.unknown_port", message, end.port_at, hint)


def _reached(
    plan: Plan, nodes: dict[str, Node], arcs: tuple[Arc, ...], entry: Node | None
) -> tuple[frozenset[str], bool]:
    """What the entry leads to. An unknown source may be any node, an unknown target too (§10).

    A fan_out leads to its join even where no part arrives: without items, and where a part fails (§8). A join that
    names none may be any one's, and so may a node of unknown type.
    """
    everything = frozenset(nodes)
    if entry is None or "edges" in plan.broken:
        return everything, False
    starts = [entry.id, *(arc.target.id for arc in arcs if arc.source is None and arc.target is not None)]
    known = [(arc.source.id, arc.target.id) for arc in arcs if arc.source is not None and arc.target is not None]
    for one, node in nodes.items():
        if is_fan_out(node) or node.type is None:
            known.append((one, _ANY_JOIN))
        if is_join(node) and node.config.get("fanOut") in nodes:
            known.append((node.config["fanOut"], one))
        elif is_join(node) or node.type is None:
            known.append((_ANY_JOIN, one))
    reached = everything & reachable(starts, successors_of(known))
    if any(arc.target is None and (arc.source is None or arc.source.id in reached) for arc in arcs):
        return everything, False
    return reached, True
