"""State that nodes touch at the same time (LANGUAGE §8, Parallel state)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loopstep.compiler.regions import Context

MOST_CONFLICTS = 1_000  # of one plan; more say nothing new, and pairs grow with the square of the nodes

Path = tuple[str, ...]


class Touch(NamedTuple):
    """A node reads or writes a state path; `context`: the regions in which that happens."""

    node: str
    context: Context
    path: Path
    writes: bool


class Conflict(NamedTuple):
    """`earlier` and `later` stand in the order of the nodes; they are one node where items of its body collide."""

    earlier: str
    later: str
    path: Path
    both_write: bool


def conflicts(touches: Iterable[Touch], position: dict[str, int]) -> list[Conflict]:
    """Every pair of nodes that can run at once and touch a path that at least one writes, once per pair and path.

    A path and its part are the same path, that of the shorter name.
    """
    found: dict[tuple[str, str, Path], bool] = {}
    for write, other in _collisions(touches):
        earlier, later = sorted((write.node, other.node), key=position.__getitem__)
        key = (earlier, later, min(write.path, other.path, key=len))
        found[key] = found.get(key, False) or other.writes
        if len(found) == MOST_CONFLICTS:
            break
    return [Conflict(*key, both) for key, both in found.items()]


def at_once(one: Context, other: Context) -> bool:
    """Whether what stands in two contexts can run at the same time: in two branches, or for two items of one body."""
    for mine, theirs in zip(one, other, strict=False):
        if mine is not theirs and mine != theirs:
            return mine.node == theirs.node and mine.kind == "branches"
        if mine.kind == "items":
            return True
    return False


def _collisions(touches: Iterable[Touch]) -> Iterator[tuple[Touch, Touch]]:
    """(a write, another touch of the same path at the same time), for each state field that is written in a region."""
    fields: dict[str, dict[Context, list[Touch]]] = {}
    for touch in touches:
        fields.setdefault(touch.path[0], {}).setdefault(touch.context, []).append(touch)
    for by_context in fields.values():
        writing = [(context, [one for one in some if one.writes]) for context, some in by_context.items()]
        indexes = {context: _by_path(some) for context, some in by_context.items()}
        for context, writes in writing:
            for other, index in indexes.items():
                if writes and at_once(context, other):
                    yield from ((write, touch) for write in writes for touch in _same_path(write.path, index))


def _by_path(touches: Iterable[Touch]) -> dict[tuple[Path, bool], list[Touch]]:
    """Touches by (path, False), and by (every beginning of their path, True)."""
    index: dict[tuple[Path, bool], list[Touch]] = {}
    for touch in touches:
        index.setdefault((touch.path, False), []).append(touch)
        for length in range(1, len(touch.path)):
            index.setdefault((touch.path[:length], True), []).append(touch)
    return index


def _same_path(path: Path, index: dict[tuple[Path, bool], list[Touch]]) -> Iterator[Touch]:
    """Touches of the path, of its beginnings and of its parts."""
    for length in range(1, len(path) + 1):
        yield from index.get((path[:length], False), ())
    yield from index.get((path, True), ())
