"""State that nodes touch at the same time (LANGUAGE §8, Parallel state)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loopstep.compiler.program import Enclosing
from loopstep.compiler.regions import Context
from loopstep.expressions.ast import Reference
from loopstep.source.document import Value

MOST_CONFLICTS = 1_000  # of one plan; more say nothing new, and pairs grow with the square of the nodes

Path = tuple[str, ...]


class Touch(NamedTuple):
    """A node reads or writes a state path; `context`: the regions in which that happens.

    `edge`: the edge that reads it for the node, "" where the node's own config does; `at` and `ref`: where it stands.
    """

    node: str
    context: Context
    path: Path
    writes: bool
    edge: str = ""
    at: Value | None = None
    ref: Reference | None = None


class Conflict(NamedTuple):
    """`earlier` and `later` stand in the order of the nodes; they are of one node where items of its body collide.

    `part`: of what lies around the earlier one, where the two part: its branch, or the body that runs for each item.
    """

    earlier: Touch
    later: Touch
    path: Path
    both_write: bool
    part: Enclosing


def conflicts(touches: Iterable[Touch], position: dict[str, int]) -> list[Conflict]:
    """Every pair of nodes that can run at once and touch a path that at least one writes, once per pair and path.

    A path and its part are the same path, that of the shorter name.
    """
    found: dict[tuple[str, str, Path], Conflict] = {}
    for write, other in _collisions(touches):
        earlier, later = sorted((write, other), key=lambda touch: position[touch.node])
        path = min(write.path, other.path, key=len)
        key = (earlier.node, later.node, path)
        known = found.get(key)
        if known is not None:
            earlier, later = _plainer(known.earlier, earlier), _plainer(known.later, later)
        part = parting(earlier.context, later.context)
        assert part is not None, "they collide"
        both = other.writes or (known is not None and known.both_write)
        found[key] = Conflict(earlier, later, path, both, part)
        if len(found) == MOST_CONFLICTS:
            break
    return list(found.values())


def _plainer(one: Touch, other: Touch) -> Touch:
    """The touch of the node's own config rather than one on an edge, and else the first."""
    return other if one.edge and not other.edge else one


def at_once(one: Context, other: Context) -> bool:
    """Whether what stands in two contexts can run at the same time: in two branches, or for two items of one body."""
    return parting(one, other) is not None


def parting(one: Context, other: Context) -> Enclosing | None:
    """Of the first context, the branch or the body of items by which the two can run at the same time."""
    for mine, theirs in zip(one, other, strict=False):
        if mine is not theirs and mine != theirs:
            return mine if mine.node == theirs.node and mine.kind == "branches" else None
        if mine.kind == "items":
            return mine
    return None


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
