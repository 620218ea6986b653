"""Questions about a directed graph of ids, each answered in one pass: reach, order, cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Edge = tuple[str, str]


def reachable(starts: Iterable[str], successors: Mapping[str, Iterable[str]]) -> set[str]:
    """Every id that can be reached from `starts`, those included."""
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for following in successors.get(waiting.pop(), ()):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return seen


def successors_of(edges: Iterable[Edge]) -> dict[str, list[str]]:
    """The targets of each source, in the order of the edges."""
    following: dict[str, list[str]] = {}
    for source, target in edges:
        following.setdefault(source, []).append(target)
    return following


def topological(ids: Sequence[str], edges: Iterable[Edge]) -> tuple[list[str], list[str]]:
    """(ids in an order in which every edge leads onward, the ids that stand in or behind a cycle)."""
    following: dict[str, list[str]] = {}
    waits_for = dict.fromkeys(ids, 0)
    for source, target in edges:
        following.setdefault(source, []).append(target)
        waits_for[target] += 1
    ordered = [one for one in ids if not waits_for[one]]
    for one in ordered:  # grows while it is walked
        for target in following.get(one, ()):
            waits_for[target] -= 1
            if not waits_for[target]:
                ordered.append(target)
    return ordered, [one for one in ids if waits_for[one]]


def closing_edges(ids: Sequence[str], edges: Sequence[Edge]) -> set[int]:
    """Positions of the edges that close a cycle when all edges are laid in their order (LANGUAGE §10, Places).

    An edge that closes one is taken away again, so what remains has no cycle.
    """
    _, tangled = topological(ids, edges)
    if not tangled:
        return set()
    number = {one: position for position, one in enumerate(tangled)}
    reach = [1 << position for position in range(len(tangled))]  # bit sets: what each id reaches
    closing = set()
    for position, (source, target) in enumerate(edges):
        if source not in number or target not in number:
            continue
        start, goal = number[source], number[target]
        if reach[goal] >> start & 1:
            closing.add(position)
        elif not reach[start] >> goal & 1:
            gained = reach[goal]
            reach = [known | gained if known >> start & 1 else known for known in reach]
    return closing
