"""The one "did you mean" of the product."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Final

PATIENCE: Final = (
    1_000_000  # cells of the tables that suggestions may fill, for one document: about a third of a second
)
MOST_LISTED: Final = 30  # names that a hint lists

_LEFT: ContextVar[list[int] | None] = ContextVar("left", default=None)


@contextmanager
def sparingly() -> Iterator[None]:
    """All suggestions inside share one PATIENCE; when it is used up the rest of the faults go without.

    A document can have faults by the ten thousand and as many names that each of them is near to. Inside of another
    the outer one counts; without any, each suggestion has its own.
    """
    if _LEFT.get() is not None:
        yield
        return
    begun = _LEFT.set([PATIENCE])
    try:
        yield
    finally:
        _LEFT.reset(begun)


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to `name`, or None where none is close enough to be meant.

    Distance is that of optimal string alignment (insert, delete, replace, swap neighbours), where letters that differ
    in case only cost nothing; at most one edit for every three characters, at least one for names of two or more. Of
    equally close candidates the first in order of distance with case, then of the alphabet, so the answer never
    depends on the order they are given in. None too where comparing would take more than PATIENCE.
    """
    folded = name.casefold()
    limit = max(len(name) // 3, 1 if len(name) > 1 else 0)
    best: tuple[int, int, str] | None = None
    left = _LEFT.get() or [PATIENCE]
    for candidate in candidates:
        left[0] -= 1
        if left[0] <= 0:
            return None
        if abs(len(candidate) - len(name)) > limit or candidate == name:
            continue
        other = candidate.casefold()
        left[0] -= len(folded) * len(other)
        away = _distance(folded, other, limit) if left[0] > 0 else None
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


def listed(names: Iterable[str]) -> str:
    """The first names, each in backquotes; a mark where there are more."""
    shown = [f"`{name}`" for name in islice(names, MOST_LISTED + 1)]
    return ", ".join(shown[:MOST_LISTED]) + (", …" if len(shown) > MOST_LISTED else "")


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
