"""What a place of a plan may read and what it takes, for editors and `loopstep symbols`: the compiler's own answers.

Places are paths from the root of the document, as ("graph", "edges", 3, "bindings", "x", "ref"). Faults are no matter
here: whatever can be read of a broken plan is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from loopstep.compiler.bindings import contract
from loopstep.compiler.check import scopes_of
from loopstep.compiler.limits import MAX_EDGES, MAX_NODES
from loopstep.compiler.model import Assignment, Node, Plan, is_unknown
from loopstep.compiler.parse import parse
from loopstep.compiler.regions import Regions, find_regions
from loopstep.compiler.resolve import Arc, Graph, resolve
from loopstep.compiler.scopes import Scopes
from loopstep.compiler.wiring import check_wiring
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import sparingly
from loopstep.expressions.ast import Path, Reference, path_text
from loopstep.expressions.scope import Resolved, Scope
from loopstep.nodes.field import Field
from loopstep.source.document import Value
from loopstep.types.schema import Fields, Schema

Steps = tuple[str | int, ...]

DEEPEST = 5  # names of a reference that are listed
MOST = 1_000  # symbols of a place that are listed


class View(NamedTuple):
    """A plan with its graph, its regions and the scopes of its places."""

    plan: Plan
    graph: Graph
    regions: Regions
    scopes: Scopes

    def node(self, steps: Steps) -> Node | None:
        """The node that a place belongs to."""
        if steps[:2] != ("graph", "nodes") or len(steps) < 3:
            return None
        return _item(self.plan.nodes, steps[2])

    def arc(self, steps: Steps) -> Arc | None:
        """The edge that a place belongs to."""
        if steps[:2] != ("graph", "edges") or len(steps) < 3:
            return None
        return _item(self.graph.arcs, steps[2])


class Symbol(NamedTuple):
    """A reference that a place may read. `schema` None: of unknown type. `present`: sure to be there."""

    path: Path
    schema: Schema | None
    present: bool
    secret: bool

    @property
    def text(self) -> str:
        return path_text(self.path)


def look(root: Value | None) -> View | None:
    """The plan of a document as far as it can be read; None where it is no plan or too large for one."""
    if root is None:
        return None
    unheard = Reporter()
    with sparingly():
        plan = parse(root, unheard)
        if plan is None or len(plan.nodes) > MAX_NODES or len(plan.edges) > MAX_EDGES:
            return None
        graph = resolve(plan, unheard)
        regions = find_regions(graph, check_wiring(graph, unheard), unheard)
        return View(plan, graph, regions, scopes_of(graph, regions))


def scope_at(view: View, steps: Steps) -> Scope | None:
    """What the expressions of a place may read; None where the language has none."""
    if steps[:2] == ("graph", "entry"):
        return view.scopes.entry()
    arc, node = view.arc(steps), view.node(steps)
    if arc is not None:
        return view.scopes.edge(arc)
    one = config_field(node, steps)
    return view.scopes.config(node, one.reads) if node is not None and one is not None else None


def config_field(node: Node | None, steps: Steps) -> Field | None:
    """The config field of the node that a place stands in."""
    if node is None or node.type is None or len(steps) < 5 or steps[3] != node.type.config_key:
        return None
    return node.type.by_name.get(str(steps[4]))


def targets_at(view: View, steps: Steps) -> Fields | None:
    """The fields that a map of values (`bindings`, `input` of the entry, `merge`) may bind; None: not to be known."""
    if steps[:3] == ("graph", "entry", "input"):
        return contract(view.graph, view.graph.entry)
    arc, node = view.arc(steps), view.node(steps)
    if arc is not None and steps[3:4] == ("bindings",):
        return contract(view.graph, arc.target)
    one = config_field(node, steps)
    if node is not None and one is not None and one.kind == "merge":
        return node.output or {}
    return None


def target_at(view: View, steps: Steps) -> Schema | None:
    """The type that a value of a place is for: that of the field bound, of a config field, of the state assigned."""
    for depth in (3, 4, 5):
        fields = targets_at(view, steps[:depth])
        if fields is not None and len(steps) > depth:
            return _known(fields.get(str(steps[depth])))
    node = view.node(steps)
    one = config_field(node, steps)
    if node is None or one is None:
        return None
    if one.kind == "assignments" and len(steps) > 5 and isinstance(steps[5], int):
        return _assigned(view, node, one, steps[5])
    return _known(one.schema)


def _assigned(view: View, node: Node, one: Field, position: int) -> Schema | None:
    assignments: tuple[Assignment, ...] = node.config.get(one.name, ())
    assignment = _item(assignments, position)
    if assignment is None or not assignment.path:
        return None
    found = Schema("object", properties=view.plan.state)
    for name in assignment.path:
        inner = (found.properties or {}).get(name)
        if inner is None:
            return None
        found = inner
    return _known(found)


def _known(schema: Schema | None) -> Schema | None:
    return None if schema is None or is_unknown(schema) else schema


def symbols(scope: Scope) -> list[Symbol]:
    """Every reference that a scope may read, roots in the language's order; nested fields behind what holds them."""
    found: list[Symbol] = []
    for name, root in scope.roots.items():
        if root is None:
            found.append(Symbol((name,), None, True, False))
        elif isinstance(root, Schema):
            for path in _paths((name,), root):
                if len(found) >= MOST:
                    return found
                if (symbol := symbol_of(scope, path)) is not None:
                    found.append(symbol)
    return found


def symbol_of(scope: Scope, path: Path) -> Symbol | None:
    """The reference with its type and presence; None where it is no value there."""
    resolved = scope.resolve(Reference(path, 0, 0))
    if not isinstance(resolved, Resolved):
        return None
    return Symbol(path, resolved.schema, resolved.present, resolved.secret)


def _paths(path: Path, schema: Schema) -> Iterator[Path]:
    yield path
    inner = schema
    if path == ("items",) and schema.items is not None:  # `items.f` is the array of the field f
        inner = schema.items
    if inner.properties is None or len(path) >= DEEPEST:
        return
    for name, field in inner.properties.items():
        if path == ("items",):
            yield (*path, name)
        else:
            yield from _paths((*path, name), field)


_T = TypeVar("_T")


def _item(items: Sequence[_T], position: object) -> _T | None:
    return items[position] if isinstance(position, int) and 0 <= position < len(items) else None
