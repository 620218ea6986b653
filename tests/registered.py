"""A registry as the compiler sees it, from a table: for tests of the compiler, which knows no store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loopstep.compiler.pins import Pinned


class Registered(NamedTuple):
    """What is registered by kind and id; with `anything` also everything else, as version 1."""

    entries: Mapping[tuple[str, str], Pinned] = {}
    anything: bool = False

    def find(self, kind: str, id: str) -> Pinned | None:
        found = self.entries.get((kind, id))
        return found or (Pinned(1) if self.anything else None)

    def all(self, kind: str, label: str) -> dict[str, int]:
        found = {
            id: pinned.version
            for (own, id), pinned in self.entries.items()
            if own == kind and label in ("", pinned.label)
        }
        return found or ({"any": 1} if self.anything else {})

    def ids(self, kind: str) -> list[str]:
        return [id for own, id in self.entries if own == kind]


EVERYTHING = Registered(anything=True)
