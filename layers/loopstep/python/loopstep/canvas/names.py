"""Ids and field names that the lowering makes up: none of them taken, all of them readable."""

from __future__ import annotations

from collections.abc import Iterable

from loopstep.types.forms import LONGEST_NAME, is_id

RESERVED_BRANCHES = frozenset(("in", "item", "failed", "completed"))  # LANGUAGE §2


class Names:
    """Gives out names, each once."""

    __slots__ = ("_taken",)

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def make(self, base: str, ending: str = "") -> str:
        """`base` + `ending`, the base cut where that is too long. While it is taken `_` is appended; where there is no
        room for that, a number.
        """
        whole = base[: LONGEST_NAME - len(ending)] + ending
        name, number = whole, 1
        while name in self._taken:
            number += 1
            name = whole + "_" * (number - 1)
            if len(name) > LONGEST_NAME:
                tail = f"_{number}{ending}"
                name = base[: LONGEST_NAME - len(tail)] + tail
        self._taken.add(name)
        return name


def plan_ids(ids: list[str]) -> list[str]:
    """The plan's id for each of a list: its own where that is one, else `n_<index>` (CANVAS §1)."""
    names = Names(one for one in ids if is_id(one))
    return [one if is_id(one) else names.make(f"n_{index}") for index, one in enumerate(ids)]
