"""What each place of a plan may read (LANGUAGE §5): a node's config, the edges leaving a port, a merge, a `while`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loopstep.compiler.flow import EVERYTHING, Facts, Paths
from loopstep.compiler.model import Node
from loopstep.compiler.regions import ITEM, Context, Regions
from loopstep.compiler.resolve import Arc, Graph, is_fan_out, is_loop
from loopstep.expressions.scope import Scope, Unavailable, error_root, loop_root, plan_root, record
from loopstep.nodes.field import ARRIVALS, WHILE
from loopstep.types.schema import Fields, Schema

Root = Schema | Unavailable | None
Roots = dict[str, Root]

NO_OUTPUT = Unavailable("output.* is read on the edges leaving a port that exposes output, and nowhere else")
NO_ERROR = Unavailable("error.* is read on the edges leaving a `failed` port")
NO_LOOP = Unavailable("loop.* is read inside a loop's body, on the edges leaving `body` and in its `while`")
NO_ITEM = Unavailable("item is read in the bindings of the edge leaving a fan_out's `item` port")
NO_ARRIVALS = Unavailable("it is read in the `merge` of the join that ends the region")
NO_WINNER = Unavailable("winner.* is read in the `merge` of a join with mode any")
NO_INPUT = Unavailable("input.* is read in a node's own config and on the edges leaving it")
JOIN_INPUT = Unavailable("a join has no input of its own: each arrival brings one, read in `merge`")


class Proven(frozenset[str]):
    """The state paths that definite assignment proves, as `Scope.present` asks for them.

    It answers from the facts and never lists them: they hold the beginnings of every path, so nobody has to look for
    one. This keeps a chain of a thousand assignments linear.
    """

    paths: Paths
    facts: int

    @classmethod
    def by(cls, paths: Paths, facts: int) -> Proven:
        made = cls()
        made.paths, made.facts = paths, facts
        return made

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and text.startswith("state.") and self.paths.holds(self.facts, text[6:])

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __bool__(self) -> bool:
        return self.facts != 0


NOTHING_PROVEN: frozenset[str] = frozenset()


class Scopes:
    """Makes the Scope of each place. `item` tells the element's schema of a fan_out (None: unknown).

    `brought` tells for a join, a field and a part (None: all of them) whether every arrival brings the field.
    Before `facts` are known, state counts as its declaration says.
    """

    def __init__(
        self,
        graph: Graph,
        regions: Regions,
        item: Callable[[Node], Schema | None],
        brought: Callable[[Node, str, str | None], bool],
    ) -> None:
        self.graph = graph
        self.regions = regions
        self.item = item
        self.brought = brought
        self.facts: Facts | None = None
        self._loops: dict[int, Schema] = {}
        plan = graph.plan
        self._common: Roots = {
            "plan": None if "input" in plan.broken else plan_root(plan.input),
            "state": None if "state" in plan.broken else record(plan.state),
            "input": NO_INPUT,
            "output": NO_OUTPUT,
            "error": NO_ERROR,
            "loop": NO_LOOP,
            "item": NO_ITEM,
            "items": NO_ARRIVALS,
            "branches": NO_ARRIVALS,
            "winner": NO_ARRIVALS,
        }

    def entry(self) -> Scope:
        """The entry's bindings: nothing has happened yet."""
        return Scope(self._common, NOTHING_PROVEN)

    def config(self, node: Node, reads: str) -> Scope:
        """A config field of the node that reads what its declaration says (`nodes.field`)."""
        roots = {**self._common, "input": input_root(node), "loop": self._counters(node, reads)}
        if reads == ARRIVALS:
            roots.update(self._arrivals(node))
        return Scope(roots, self._proven_at(node))

    def edge(self, arc: Arc) -> Scope:
        """The `when` and the bindings of an edge."""
        roots = dict(self._common)
        source = arc.source
        if source is None or source.type is None or source.id in self.graph.doubled:
            roots |= {"input": None, "output": None, "error": None, "loop": None, "item": None}
            if source is not None and source.id not in self.graph.doubled:
                roots["input"] = input_root(source)
            return Scope(roots, self._proven_along(arc))
        roots["input"] = input_root(source)
        roots["output"] = output_root(source, arc.port)
        roots["error"] = None if arc.port is None else error_root() if arc.port == "failed" else NO_ERROR
        roots["loop"] = self._loop(self.regions.behind(source, arc.port))
        if is_fan_out(source) and arc.port in (ITEM, None):
            roots["item"] = self.item(source)
        elif is_fan_out(source) and arc.port not in source.type.exits(source).names:
            roots["item"] = None  # its ports could not be read
        return Scope(roots, self._proven_along(arc))

    # -- state -------------------------------------------------------------------------------------------------------

    def _proven_at(self, node: Node) -> frozenset[str]:
        if self.facts is None:
            return NOTHING_PROVEN
        own = self.graph.nodes.get(node.id) is node
        return Proven.by(self.facts.paths, self.facts.at[node.id] if own else EVERYTHING)

    def _proven_along(self, arc: Arc) -> frozenset[str]:
        if self.facts is None:
            return NOTHING_PROVEN
        return Proven.by(self.facts.paths, self.facts.along.get(arc.position, EVERYTHING))

    # -- loops -------------------------------------------------------------------------------------------------------

    def _counters(self, node: Node, reads: str) -> Root:
        if self.graph.nodes.get(node.id) is not node:
            return None
        if reads == WHILE and is_loop(node):
            return self._loop(self.regions.behind(node, "body"))
        return self._loop(self.regions.enclosing[node.id])

    def _loop(self, context: Context | None) -> Root:
        if context is None:
            return None
        depth = sum(part.kind == "loop" for part in context)
        if not depth:
            return NO_LOOP
        if depth not in self._loops:
            self._loops[depth] = loop_root(depth)
        return self._loops[depth]

    # -- merges ------------------------------------------------------------------------------------------------------

    def _arrivals(self, join: Node) -> Roots:
        """`items`, `branches`, `winner` of a join; of unknown type where it ends no region."""
        name = self.regions.fan_outs.get(join.id)
        if name is None or self.graph.nodes.get(join.id) is not join:
            return {"items": None, "branches": None, "winner": None}
        fan_out = self.graph.nodes[name]
        assert fan_out.type is not None
        if fan_out.type.exits(fan_out).open:
            return {"items": None, "branches": None, "winner": None}
        parts = fan_out.type.parts(fan_out)
        mode = join.config.get("mode")
        anyone = self._brought(join, None)
        roots: Roots = {"items": Schema("array", required=True, items=anyone), "winner": NO_WINNER}
        if parts == (ITEM,):
            roots["branches"] = record({})
        else:
            roots["branches"] = record({part: self._branch(join, part, mode) for part in parts})
        if mode is None or "mode" in join.broken:
            roots["winner"] = None
        elif mode == "any":
            first = {"index": _INTEGER} if parts == (ITEM,) else {"branch": Schema("string", required=True, enum=parts)}
            roots["winner"] = record({**first, "result": anyone})
        return roots

    def _branch(self, join: Node, part: str, mode: str | None) -> Schema:
        """What a branch brought: sure to be there only where all arrive."""
        brought = self._brought(join, part)
        sure = mode in ("all", None)
        return Schema("object", required=sure, properties=brought.properties)

    def _brought(self, join: Node, part: str | None) -> Schema:
        """One arrival: the join's input, with what every edge brings as required."""
        if "input" in join.broken:
            return Schema("unknown", required=True)
        fields: Fields = {}
        for name, schema in (join.input or {}).items():
            sure = not schema.guaranteed and self.brought(join, name, part)
            fields[name] = schema._replace(required=True) if sure else schema
        return record(fields)


_INTEGER = Schema("integer", required=True)


def input_root(node: Node) -> Root:
    """The activation's input, on a node's own config and its edges."""
    if node.type is not None and not node.type.passes_input:
        return JOIN_INPUT
    if "input" in node.broken:
        return None
    if node.input is None and node.type is None:
        return None
    return record(node.input or {})


def output_root(node: Node, port: str | None) -> Root:
    """The output that a port exposes."""
    fields = exposed(node, port)
    if fields is None:
        return None
    return record(fields) if fields is not NOTHING_EXPOSED else NO_OUTPUT


NOTHING_EXPOSED: Fields = {}


def exposed(node: Node, port: str | None) -> Fields | None:
    """The fields that a port exposes, NOTHING_EXPOSED where it exposes no output; None: not to be known."""
    if node.type is None or port is None:
        return None
    if port in ("failed", "timed_out"):
        return NOTHING_EXPOSED
    outputs = node.type.outputs(node)
    return None if outputs is None else outputs.get(port, NOTHING_EXPOSED)
