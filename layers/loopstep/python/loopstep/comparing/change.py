"""One difference between two plans, as data; how it is worded for people stands in `cli.diff`."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.types.schema import MISSING

ADDED, REMOVED, CHANGED, RENAMED, MOVED = "added", "removed", "changed", "renamed", "moved"
PLAN, INPUT, OUTPUT, STATE, NODE, EDGE = "plan", "input", "output", "state", "node", "edge"


class Change(NamedTuple):
    """`place` says where: `input.amount`, `nodes.ask.timeout`, `edges.e1.bindings.text`.

    `before` and `after` are JSON data, MISSING on the side that has nothing. `breaks`: why callers break, "" where
    they do not.
    """

    about: str
    action: str
    place: str
    before: Any = MISSING
    after: Any = MISSING
    breaks: str = ""

    def to_json(self) -> dict[str, Any]:
        """`{about, action, place, before?, after?, breaks}`."""
        sides = {"before": self.before, "after": self.after}
        given = {name: value for name, value in sides.items() if value is not MISSING}
        return {"about": self.about, "action": self.action, "place": self.place, **given, "breaks": self.breaks}


class Comparison(NamedTuple):
    """Every difference: contracts first, then nodes, edges, state and the rest."""

    changes: tuple[Change, ...]

    @property
    def breaking(self) -> tuple[Change, ...]:
        """Those that break callers."""
        return tuple(change for change in self.changes if change.breaks)
