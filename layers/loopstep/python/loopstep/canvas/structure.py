"""From the skeleton to a structure that a plan can say (CANVAS §2): sequences, parallel parts, choices; and levels
where the graph is not series-parallel.

A node that every path passes cuts its region in two. Between two cuts, what hangs together is a part: parts that
begin at once run in parallel, those that a condition chooses among are alternatives. What neither cuts nor falls apart
runs level by level, as the seed's engine runs everything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from loopstep.canvas.levels import Levels, Pairwise, levels_of
from loopstep.canvas.skeleton import SINK, Skeleton, Way

DEEPEST = 60  # regions inside regions; what lies deeper runs level by level


@dataclass(frozen=True, slots=True)
class Parallel:
    """Parts that run at once; all of them end."""

    parts: tuple[Sequential, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Behind a condition: the handles that lead into a part; a handle that is in none leads on."""

    parts: tuple[tuple[frozenset[str], Sequential], ...]


Sequential = tuple["int | Parallel | Alternatives | Levels", ...]


def structure_of(skeleton: Skeleton, apart: Pairwise, touch: Pairwise) -> Sequential:
    """The whole run. `apart`: two nodes are exclusive; `touch`: they share a variable that one of them writes."""
    entries: list[Way] = [("", start) for start in skeleton.starts]
    return _Finder(skeleton, apart, touch).region(skeleton.order, entries, None, 0)


@dataclass(frozen=True, slots=True)
class _Finder:
    skeleton: Skeleton
    apart: Pairwise
    touch: Pairwise

    def region(self, nodes: Sequence[int], entries: Iterable[Way], chooser: int | None, depth: int) -> Sequential:
        """What lies between two cuts. `nodes` in order; `chooser`: the condition whose handles the entries are."""
        inside = set(nodes)
        ways = self._entries(entries, inside, chooser)
        if not nodes:
            return ()
        cuts = self._cuts(nodes, ways)
        if cuts:
            return self._sequence(nodes, ways, chooser, cuts, depth)
        if depth < DEEPEST:
            parts = self._parts(nodes)
            if chooser is not None:
                return self._alternatives(parts, ways, chooser, nodes, depth)
            if len(parts) > 1:
                each = (self.region(part, [way for way in ways if way[1] in part], None, depth + 1) for part in parts)
                return (Parallel(tuple(each)),)
        return (levels_of(self.skeleton, nodes, ways, chooser, self.apart, self.touch),)

    def _entries(self, entries: Iterable[Way], inside: set[int], chooser: int | None) -> list[Way]:
        """Ways past the region say nothing beside one into it: what comes behind waits for that."""
        ways = [(handle, target if target in inside else SINK) for handle, target in entries]
        into = {handle for handle, target in ways if target != SINK}
        past = [way for way in ways if way[1] == SINK and way[0] not in into] if chooser is not None else []
        return [*(way for way in ways if way[1] != SINK), *dict.fromkeys(past)]

    def _cuts(self, nodes: Sequence[int], ways: Iterable[Way]) -> list[int]:
        """The nodes that every path through the region passes."""
        end = len(nodes)
        place = {node: position for position, node in enumerate(nodes)}
        furthest = max((place.get(target, end) for _, target in ways), default=0)
        cuts = []
        for position, node in enumerate(nodes):
            if furthest == position:
                cuts.append(node)
            furthest = max(furthest, *(place.get(target, end) for _, target in self.skeleton.ways[node]))
        return cuts

    def _sequence(
        self, nodes: Sequence[int], ways: list[Way], chooser: int | None, cuts: list[int], depth: int
    ) -> Sequential:
        found: list[int | Parallel | Alternatives | Levels] = []
        place = {node: position for position, node in enumerate(nodes)}
        begin = 0
        for cut in [*cuts, None]:
            finish = len(nodes) if cut is None else place[cut]
            found += self.region(nodes[begin:finish], ways, chooser, depth)
            if cut is not None:
                found.append(cut)
                ways, begin = list(self.skeleton.ways[cut]), finish + 1
                chooser = cut if cut in self.skeleton.handles else None
        return tuple(found)

    def _parts(self, nodes: Sequence[int]) -> list[list[int]]:
        """The nodes that hang together, in order."""
        inside = set(nodes)
        links = [(node, target) for node in nodes for _, target in self.skeleton.ways[node] if target in inside]
        return [[node for node in nodes if node in part] for part in _joined(nodes, links)]

    def _alternatives(
        self, parts: list[list[int]], ways: list[Way], chooser: int, nodes: Sequence[int], depth: int
    ) -> Sequential:
        """Parts that a handle leads into together are one alternative."""
        part_of = {node: number for number, part in enumerate(parts) for node in part}
        links = [(handle, part_of[target]) for handle, target in ways if target != SINK]
        ends: list[str | int] = [*dict.fromkeys(handle for handle, _ in links), *range(len(parts))]
        found = []
        for group in _joined(ends, links):
            handles = frozenset(one for one in group if isinstance(one, str))
            inner = [node for node in nodes if part_of[node] in group]
            into = [way for way in ways if way[0] in handles]
            if len(handles) == 1:
                found.append((handles, self.region(inner, [("", target) for _, target in into], None, depth + 1)))
            elif len(inner) == len(nodes) and len(into) == len(ways):
                return (levels_of(self.skeleton, nodes, ways, chooser, self.apart, self.touch),)
            else:
                found.append((handles, self.region(inner, into, chooser, depth + 1)))
        return (Alternatives(tuple(found)),)


Item = TypeVar("Item", bound=Hashable)


def _joined(items: Iterable[Item], links: Iterable[tuple[Item, Item]]) -> list[set[Item]]:
    """The items that links hold together, each set at the place of its first item."""
    beside: dict[Item, list[Item]] = {item: [] for item in items}
    for one, other in links:
        beside[one].append(other)
        beside[other].append(one)
    found = []
    seen: set[Item] = set()
    for item in beside:
        if item in seen:
            continue
        group, waiting = {item}, [item]
        while waiting:
            for other in beside[waiting.pop()]:
                if other not in group:
                    group.add(other)
                    waiting.append(other)
        seen |= group
        found.append(group)
    return found
