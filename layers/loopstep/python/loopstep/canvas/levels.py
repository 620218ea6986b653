"""A region that is not series-parallel, level by level (CANVAS §2): each level begins when the one before has ended.

A node that may be skipped is guarded by the choices that led to it. Which ones follows from the graph: a node is active
where some way to it is, and the last condition on that way tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from loopstep.canvas.skeleton import SINK, Skeleton, Way

Took = tuple[int, str]  # (condition, the handle it was left by)
Pairwise = Callable[[int, int], bool]
Guard = frozenset[Took] | None  # active where one of them was taken; None: always

ALWAYS: Guard = None


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes of which one at most runs, each with its guard. `complete`: one of them always does."""

    members: tuple[tuple[int, Guard], ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels of parts that run at once; a part is a sequence of groups."""

    levels: tuple[tuple[tuple[Group, ...], ...], ...]

    def taken(self) -> set[Took]:
        """The choices that guards ask for."""
        return {
            took
            for level in self.levels
            for part in level
            for group in part
            for _, guard in group.members
            for took in guard or ()
        }


def levels_of(
    skeleton: Skeleton,
    nodes: Sequence[int],
    entries: Iterable[Way],
    chooser: int | None,
    apart: Pairwise,
    touch: Pairwise,
) -> Levels:
    """The region's levels: a node stands one below the lowest that leads to it."""
    into: dict[int, list[Took]] = {node: [] for node in nodes}
    for handle, target in entries:
        if target != SINK:
            into[target].append((SINK if chooser is None else chooser, handle))
    for node in nodes:
        for handle, target in skeleton.ways[node]:
            if target in into:
                into[target].append((node, handle))
    guards = _Guards(skeleton, chooser, frozenset(handle for handle, _ in entries))
    level: dict[int, int] = {}
    rows: list[list[int]] = []
    for node in nodes:
        level[node] = max((level[source] + 1 for source, _ in into[node] if source in level), default=0)
        guards.settle(node, into[node])
        if level[node] == len(rows):
            rows.append([])
        rows[level[node]].append(node)
    return Levels(tuple(_parts(row, guards, apart, touch) for row in rows))


class _Guards:
    """The guard of each node that is settled."""

    def __init__(self, skeleton: Skeleton, chooser: int | None, entered: frozenset[str]) -> None:
        self.of: dict[int, Guard] = {} if chooser is None else {chooser: ALWAYS}
        self.handles = {**skeleton.handles, **({} if chooser is None else {chooser: entered})}

    def settle(self, node: int, into: Iterable[Took]) -> None:
        self.of[node] = self.any(self._along(*took) for took in into)

    def _along(self, source: int, handle: str) -> Guard:
        if source == SINK:
            return ALWAYS
        return frozenset(((source, handle),)) if source in self.handles else self.of[source]

    def any(self, guards: Iterable[Guard]) -> Guard:
        """Active where one of them is; all handles of a condition together say no more than that it ran."""
        taken: set[Took] = set()
        for guard in guards:
            if guard is None:
                return ALWAYS
            taken |= guard
        while True:
            by_condition: dict[int, set[str]] = {}
            for condition, handle in taken:
                by_condition.setdefault(condition, set()).add(handle)
            whole = next((one for one, some in by_condition.items() if some >= self.handles[one]), None)
            if whole is None:
                return frozenset(taken)
            guard = self.of[whole]
            if guard is None:
                return ALWAYS
            taken = {took for took in taken if took[0] != whole} | guard


def _parts(row: list[int], guards: _Guards, apart: Pairwise, touch: Pairwise) -> tuple[tuple[Group, ...], ...]:
    """The nodes of a level as parts. Exclusive ones share a group; where they stand in two and share a variable, the
    groups follow each other in one part, since parts run at once.
    """
    groups: list[list[int]] = []
    for node in row:
        home = None
        if guards.of[node] is not None:
            home = next((group for group in groups if all(apart(node, other) for other in group)), None)
        if home is None:
            groups.append([node])
        else:
            home.append(node)
    parts: list[list[list[int]]] = []
    for group in groups:
        meets = [part for part in parts if any(_clash(group, other, apart, touch) for other in part)]
        joined = [each for part in meets for each in part]
        parts = [part for part in parts if part not in meets]
        parts.append([*joined, group])
    return tuple(tuple(_group(group, guards) for group in part) for part in parts)


def _clash(one: list[int], other: list[int], apart: Pairwise, touch: Pairwise) -> bool:
    return any(touch(a, b) and apart(a, b) for a in one for b in other)


def _group(nodes: list[int], guards: _Guards) -> Group:
    members = tuple((node, guards.of[node]) for node in nodes)
    return Group(members, guards.any(guard for _, guard in members) is None)
