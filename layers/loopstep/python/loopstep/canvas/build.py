"""From the structure to the plan's graph: nodes, edges, and which canvas node each of them is for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loopstep.canvas.graph import Graph
from loopstep.canvas.levels import Group, Guard, Levels, Took
from loopstep.canvas.model import Canvas, Json
from loopstep.canvas.names import RESERVED_BRANCHES, Names
from loopstep.canvas.node_types import FILES, LISTED, RUN_ID
from loopstep.canvas.steps import Stepper
from loopstep.canvas.structure import Alternatives, Parallel, Sequential

MOST_TESTS = 16  # of recorded choices in one `when`: with the longest names that stays below 4,096 characters


class End(NamedTuple):
    """A way on: the plan node and port it leaves by (node "": the entry), its condition, and the canvas node (and
    handle) that it comes from, -1 where that is none.
    """

    node: str
    port: str
    when: str = ""
    source: int = -1
    handle: str = ""


Ways = dict[str, list[End]]  # by handle of the condition in front, "" where there is none


class Builder:
    """Lays the plan's nodes and edges; what a method takes as ends leads into what it lays, what it gives leads on.

    `origins`: by position of the plan's node (and edge), the canvas node it is for, -1 where that is none.
    """

    def __init__(self, canvas: Canvas, graph: Graph, stepper: Stepper, ids: Names, state: Names) -> None:
        self.canvas, self.stepper, self.ids, self.state = canvas, stepper, ids, state
        self.nodes: list[Json] = []
        self.edges: list[Json] = []
        self.node_origins: list[int] = []
        self.edge_origins: list[int] = []
        self.entry: Json = {}
        self.choices: dict[int, str] = {}  # by condition, the state field that its choice is recorded in
        self.choice_fields: Json = {}
        self._recorded: set[Took] = set()
        self._edge_ids = Names(edge.plan_id for edge in canvas.edges)
        self._own_ids = {(edge.source, edge.handle, edge.target): edge.plan_id for edge in canvas.edges}
        self._graph = graph

    def lay(self, structure: Sequential) -> list[End]:
        """The whole structure, from the entry."""
        self._note(structure)
        return _all(self._sequence(structure, {"": [End("", "in")]}))

    def finish(self, ends: list[End], bindings: Json) -> None:
        """The list of files and the succeeded end, which carry the name of the one output node where that is all."""
        files, end, title, origin = self._ending()
        self._node({"id": files, "type": "list_files", "listFiles": {}}, origin)
        self._connect(ends, files, origin, None)
        self._node({"id": end, "type": "end", **title, "end": {"outcome": "succeeded"}}, origin)
        brought = {**bindings, FILES: {"ref": f"output.{LISTED}"}, RUN_ID: {"ref": "plan.run.id"}}
        self._connect([End(files, "completed")], end, origin, brought)

    def _ending(self) -> tuple[str, str, Json, int]:
        """Ids of the list of files and of the end, the end's title, and the output node they are for."""
        leaves = [node for node in self.canvas.nodes if not self._graph.leaving[node.index]]
        outputs = [node for node in self.canvas.nodes if node.type.delivers]
        if len(outputs) != 1 or leaves != outputs:
            return self.ids.make("files"), self.ids.make("end"), {}, -1
        (only,) = outputs
        files = self.ids.make(only.plan_id, "_files")
        if self.stepper.is_step(only):
            return files, self.ids.make(only.plan_id, "_end"), {}, only.index
        return files, only.plan_id, {"title": only.title} if only.title else {}, only.index

    # -- recorded choices --------------------------------------------------------------------------------------------

    def _note(self, structure: Sequential) -> None:
        """Which choices guards ask for: those are recorded in state, where the condition is left."""
        for levels in _levels_in(structure):
            self._recorded |= levels.taken()
        for condition in sorted({condition for condition, _ in self._recorded}):
            name = self.state.make(self.canvas.nodes[condition].plan_id, "_branch")
            taken = sorted(handle for one, handle in self._recorded if one == condition)
            self.choices[condition] = name
            self.choice_fields[name] = {"type": "string", "enum": taken}

    def _record(self, condition: int, handle: str, ends: list[End]) -> list[End]:
        if (condition, handle) not in self._recorded:
            return ends
        made = self.ids.make(self.canvas.nodes[condition].plan_id, f"_took_{handle}")
        assigned = {"state": self.choices[condition], "value": {"value": handle}}
        self._node({"id": made, "type": "set_variable", "setVariable": {"assignments": [assigned]}}, condition)
        self._connect(ends, made, -1, None)
        return [End(made, "completed", "", condition, handle)]

    def _whens(self, guard: Guard) -> list[str]:
        """The conditions under which a node is active, over the recorded choices; usually one."""
        by_condition: dict[int, list[str]] = {}
        for condition, handle in sorted(guard or ()):
            by_condition.setdefault(condition, []).append(handle)
        tests = []
        for condition, handles in by_condition.items():
            name = f"state.{self.choices[condition]}"
            listed = ", ".join(f"'{handle}'" for handle in handles)
            tests.append(f"{name} != null && {name} " + (f"== {listed}" if len(handles) == 1 else f"in [{listed}]"))
        parts = [tests[start : start + MOST_TESTS] for start in range(0, len(tests), MOST_TESTS)]
        return [part[0] if len(part) == 1 else " || ".join(f"({test})" for test in part) for part in parts]

    # -- structure ---------------------------------------------------------------------------------------------------

    def _sequence(self, structure: Sequential, ways: Ways) -> Ways:
        for item in structure:
            if isinstance(item, int):
                ways = self._canvas_node(item, _all(ways))
            elif isinstance(item, Parallel):
                ways = {"": self._parallel(item, _all(ways))}
            elif isinstance(item, Alternatives):
                ways = {"": self._alternatives(item, ways)}
            else:
                ways = {"": self._levels(item, _all(ways))}
        return ways

    def _canvas_node(self, index: int, ends: list[End]) -> Ways:
        """The steps of a canvas node."""
        steps = self.stepper.steps(self.canvas.nodes[index])
        first, *others = steps.nodes
        self._node(first, index)
        self._connect(ends, first["id"], index, steps.bindings)
        last = first["id"]
        for made, bindings in zip(others, steps.links, strict=True):
            self._node(made, index)
            self._connect([End(last, "completed")], made["id"], index, bindings)
            last = made["id"]
        return {
            handle: self._record(index, handle, [End(last, port, "", index, handle)])
            for handle, port in steps.exits.items()
        }

    def _alternatives(self, alternatives: Alternatives, ways: Ways) -> list[End]:
        left = dict(ways)
        ends: list[End] = []
        for handles, part in alternatives.parts:
            into = {handle: left.pop(handle) for handle in sorted(handles)}
            ends += _all(self._sequence(part, into if len(into) > 1 else {"": _all(into)}))
        return [*ends, *_all(left)]

    def _parallel(self, parallel: Parallel, ends: list[End]) -> list[End]:
        fork, ways = self._fork(ends, "fork", [_first(part) for part in parallel.parts])
        arriving = [end for part, way in zip(parallel.parts, ways, strict=True) for end in self._ends(part, way)]
        return self._join(fork, arriving)

    def _ends(self, part: Sequential, way: End) -> list[End]:
        return _all(self._sequence(part, {"": [way]}))

    def _levels(self, levels: Levels, ends: list[End]) -> list[End]:
        for level in levels.levels:
            if len(level) == 1:
                ends = self._groups(level[0], ends)
                continue
            fork, ways = self._fork(ends, "level", [part[0].members[0][0] for part in level])
            arriving = [end for part, way in zip(level, ways, strict=True) for end in self._groups(part, [way])]
            ends = self._join(fork, arriving)
        return ends

    def _groups(self, groups: Iterable[Group], ends: list[End]) -> list[End]:
        for group in groups:
            ends = self._group(group, ends)
        return ends

    def _group(self, group: Group, ends: list[End]) -> list[End]:
        """One node that always runs, or those of which one may, behind a `pass` that asks the recorded choices."""
        first, guard = group.members[0]
        if guard is None:
            return _all(self._canvas_node(first, ends))
        asks = self.ids.make(self.canvas.nodes[first].plan_id, "_if")
        self._node({"id": asks, "type": "pass", "pass": {}}, first)
        self._connect(ends, asks, -1, None)
        leaving: list[End] = []
        for number, (node, wanted) in enumerate(group.members, 1):
            sure = group.complete and number == len(group.members)
            whens = [""] if sure else self._whens(wanted)
            leaving += _all(self._canvas_node(node, [End(asks, "completed", when) for when in whens]))
        return leaving if group.complete else [*leaving, End(asks, "completed")]

    def _fork(self, ends: list[End], what: str, firsts: list[int]) -> tuple[str, list[End]]:
        """A fan_out with a branch for each part, named by its first node."""
        sources = {end.source for end in ends}
        source = next((end.source for end in ends if end.source >= 0), -1)
        base = self.canvas.nodes[source].plan_id if source >= 0 else "" if ends[0].node else "start"
        fork = self.ids.make(f"{base}_{what}" if base else what)
        names = Names(RESERVED_BRANCHES)
        branches = [names.make(self.canvas.nodes[first].plan_id) for first in firsts]
        self._node({"id": fork, "type": "fan_out", "fanOut": {"branches": branches}}, source)
        self._connect(ends, fork, -1, None)
        alone = ends[0] if len(sources) == 1 and source >= 0 else End("", "")
        return fork, [End(fork, branch, "", alone.source, alone.handle) for branch in branches]

    def _join(self, fork: str, ends: list[End]) -> list[End]:
        join = self.ids.make(fork, "_join")
        self._node({"id": join, "type": "join", "join": {"fanOut": fork}}, self.node_origins[-1])
        self._connect(ends, join, -1, None)
        return [End(join, "completed")]

    # -- nodes and edges ---------------------------------------------------------------------------------------------

    def _node(self, node: Json, origin: int) -> None:
        self.nodes.append(node)
        self.node_origins.append(origin)

    def _connect(self, ends: list[End], target: str, canvas_node: int, bindings: Json | None) -> None:
        """Edges into a plan node's `in`; one that stands for an edge of the canvas keeps its id."""
        for end in ends:
            if not end.node:
                self.entry = {"nodeId": target, "port": "in", **({} if bindings is None else {"input": bindings})}
                continue
            own = self._own_ids.pop((end.source, end.handle, canvas_node), None)
            edge: Json = {
                "id": own or self._edge_ids.make(f"{end.node}_to_{target}"),
                "source": {"nodeId": end.node, "port": end.port},
                "target": {"nodeId": target, "port": "in"},
            }
            if end.when:
                edge["when"] = end.when
            if bindings is not None:
                edge["bindings"] = bindings
            self.edges.append(edge)
            self.edge_origins.append(canvas_node if canvas_node >= 0 else end.source)


def _all(ways: Ways) -> list[End]:
    """All ways on, whichever handle they come from."""
    return [end for ends in ways.values() for end in ends]


def _first(structure: Sequential) -> int:
    """The canvas node that a part begins with."""
    item = structure[0]
    if isinstance(item, int):
        return item
    if isinstance(item, Levels):
        return item.levels[0][0][0].members[0][0]
    return _first(item.parts[0] if isinstance(item, Parallel) else item.parts[0][1])


def _levels_in(structure: Sequential) -> Iterable[Levels]:
    for item in structure:
        if isinstance(item, Levels):
            yield item
        elif isinstance(item, Parallel):
            for part in item.parts:
                yield from _levels_in(part)
        elif isinstance(item, Alternatives):
            for _, part in item.parts:
                yield from _levels_in(part)
