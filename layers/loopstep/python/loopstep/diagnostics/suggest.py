"""The one "did you mean" of the product."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to `name`, or None where none is close enough to be meant.

    Distance is that of optimal string alignment (insert, delete, replace, swap neighbours), where letters that differ
    in case only cost nothing; at most one edit for every three characters, at least one for names of two or more. Of
    equally close candidates the first in order of distance with case, then of the alphabet, so the answer never
    depends on the order they are given in.
    """
    folded = name.casefold()
    limit = max(len(name) // 3, 1 if len(name) > 1 else 0)
    best: tuple[int, int, str] | None = None
    for candidate in candidates:
        if abs(len(candidate) - len(name)) > limit or candidate == name:
            continue
        away = _distance(folded, candidate.casefold(), limit)
        if away is None:
            continue
        rank = (away, sum(a != b for a, b in zip(name, candidate, strict=False)), candidate)
        if best is None or rank < best:
            best = rank
    return best[2] if best else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`did you mean "x"?`, or "" where nothing is near."""
    found = nearest(name, candidates)
    return f'did you mean "{found}"?' if found is not None else ""


def _distance(left: str, right: str, limit: int) -> int | None:
    """The optimal string alignment distance, None where it exceeds `limit`."""
    before: list[int] = []
    above = list(range(len(right) + 1))
    for row, a in enumerate(left, 1):
        here = [row]
        for column, b in enumerate(right, 1):
            cost = min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (a != b))
            if row > 1 and column > 1 and a == right[column - 2] and left[row - 2] == b:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        if min(here) > limit:
            return None
        before, above = above, here
    return above[-1] if above[-1] <= limit else None
