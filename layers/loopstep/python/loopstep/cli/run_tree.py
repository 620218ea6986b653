"""A run's activations as a tree: regions, items and passes around what they hold, all in the order of their start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Activation = dict[str, Any]
Key = tuple[str, str, str, int | None]  # kind, node id, part, index

SHOWN_FIRST, SHOWN_LAST = 3, 2  # of the items of one fan_out or the passes of one loop
OPEN = ("running", "waiting")


@dataclass(slots=True)
class Group:
    """What happened in one item, branch or pass. `head`: the loop's own activation that began the pass."""

    key: Key
    head: Activation | None = None
    children: list[Activation | Group] = field(default_factory=list)
    groups: dict[Key, Group] = field(default_factory=dict)

    def activations(self) -> Iterator[Activation]:
        """Everything in it, at any depth."""
        waiting: list[Activation | Group] = [self]
        while waiting:
            each = waiting.pop()
            if isinstance(each, Group):
                waiting += each.children
                if each.head is not None:
                    yield each.head
            else:
                yield each

    @property
    def started(self) -> str:
        return min((each.get("startedAt") or "" for each in self.activations()), default="")

    @property
    def ended(self) -> str | None:
        """When its last activation ended; None while one is open."""
        ends = [each.get("endedAt") for each in self.activations()]
        return max((end for end in ends if end), default=None) if all(ends) else None

    @property
    def status(self) -> str:
        """failed where something in it failed, running or waiting where something is open, else ended where something
        was open when the run ended, else completed.
        """
        found = {each["status"] for each in self.activations()}
        return next((status for status in ("failed", "running", "waiting", "ended") if status in found), "completed")


@dataclass(frozen=True, slots=True)
class Folded:
    """Groups that are not shown one by one."""

    groups: tuple[Group, ...]


def tree(activations: Sequence[Activation]) -> Group:
    """The root: what stands outside every region, and the outermost groups."""
    root = Group(("", "", "", None))
    for each in activations:
        if each.get("enclosing"):
            _group(root, each["enclosing"])
    for each in activations:
        _put(root, each)
    _sort(root)
    return root


def fold(children: Sequence[Activation | Group]) -> list[Activation | Group | Folded]:
    """The children, long rows of items or passes folded: the first and last, and what failed or is open, stay."""
    found: list[Activation | Group | Folded] = []
    numbered = [each for each in children if isinstance(each, Group) and each.key[3] is not None]
    by_region: dict[str, list[Group]] = {}
    for group in numbered:
        by_region.setdefault(group.key[1], []).append(group)
    hidden = {id(group) for row in by_region.values() for group in _dull(row)}
    for each in children:
        if id(each) not in hidden:
            found.append(each)
        elif found and isinstance(found[-1], Folded):
            found[-1] = Folded((*found[-1].groups, each))  # type: ignore[arg-type]  # only groups are hidden
        else:
            found.append(Folded((each,)))  # type: ignore[arg-type]
    return found


def _dull(row: list[Group]) -> list[Group]:
    """Those of a region that nobody has to see; one alone is not worth a line that hides it."""
    if len(row) <= SHOWN_FIRST + SHOWN_LAST + 1:
        return []
    return [group for group in row[SHOWN_FIRST:-SHOWN_LAST] if group.status == "completed"]


def _group(root: Group, enclosing: Sequence[dict[str, Any]]) -> Group:
    group = root
    for part in enclosing:
        key = (part["kind"], part["nodeId"], part["part"], part["index"])
        if key not in group.groups:
            group.groups[key] = Group(key)
            group.children.append(group.groups[key])
        group = group.groups[key]
    return group


def _put(root: Group, activation: Activation) -> None:
    group = _group(root, activation.get("enclosing") or ())
    path = activation.get("path") or []
    own = group.groups.get(("loop", activation["nodeId"], "body", path[-1] if path else None))
    if own is not None and activation.get("port") == "body":
        own.head = activation
    else:
        group.children.append(activation)


def _sort(root: Group) -> None:
    waiting = [root]
    while waiting:
        group = waiting.pop()
        waiting += group.groups.values()
        begun: dict[str, str] = {}
        starts = {id(each): each.started for each in group.groups.values()}
        for each in group.groups.values():
            if each.key[3] is not None:
                begun[each.key[1]] = min(begun.get(each.key[1], "~"), starts[id(each)])
        group.children.sort(key=lambda each: _order(each, begun, starts))


def _order(each: Activation | Group, begun: dict[str, str], starts: dict[int, str]) -> tuple[str, int, str]:
    """By start; the items of one fan_out stand together, by their numbers, where the first of them began."""
    if not isinstance(each, Group):
        return (each.get("startedAt") or "", -1, each.get("endedAt") or "~")
    number = each.key[3]
    if number is None or each.key[0] != "items":
        return (starts[id(each)], -1, "")
    return (begun[each.key[1]], number, "")
