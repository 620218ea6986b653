"""A run's timeline, a level at a time: what stands directly inside a region, an item or a pass, long rows folded.

A place in a run is written `node.part` for a branch, `node.part.index` for an item or a pass, `node.part.*` for all
items or passes of a region, one behind the other with `/`: `each.item.3/again.body.*`. "" is the run itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from loopstep.runs.records import COMPLETED, ENDED, FAILED, RUNNING, WAITING, Activation
from loopstep.runtime.token import numbers

Json = dict[str, Any]

FEW = 8  # items or passes that stand in a level one by one; more are one row
EVERY = -1  # index of a place that means all items or passes of a region
WORST_FIRST = (FAILED, RUNNING, WAITING, ENDED, COMPLETED)

_STEP = r"[A-Za-z_][A-Za-z0-9_]{0,62}\.[A-Za-z_][A-Za-z0-9_]{0,62}(\.(0|[1-9][0-9]{0,6}|\*))?"
PLACE = rf"^{_STEP}(/{_STEP})*$"
_LOOP, _BODY = "loop", "body"


class Part(NamedTuple):
    """A region around something. `number`: the item's or pass's, EVERY for all of them, None for a branch."""

    node: str
    part: str
    number: int | None

    def __str__(self) -> str:
        which = "" if self.number is None else ".*" if self.number == EVERY else f".{self.number}"
        return f"{self.node}.{self.part}{which}"


Place = tuple[Part, ...]


def place_of(text: str) -> Place:
    """The place that a text of the form PLACE names."""
    return tuple(_part(each) for each in text.split("/")) if text else ()


def _part(text: str) -> Part:
    node, part, *index = text.split(".")
    return Part(node, part, None if not index else EVERY if index[0] == "*" else int(index[0]))


def text_of(place: Place) -> str:
    """How a place is written."""
    return "/".join(map(str, place))


@dataclass(slots=True)
class Row:
    """One line of a level: an activation, a group (an item, a pass, a branch), or all groups of a region folded.

    `head` is the activation itself, or the loop's own one that began a pass. `counts`: of activations by status, of a
    folded row its groups.
    """

    place: Place
    kind: str
    head: Activation | None = None
    started: str = "~"
    ended: str | None = ""
    counts: Counter[str] = field(default_factory=Counter)
    order: str = ""

    @property
    def folded(self) -> bool:
        return bool(self.place) and self.place[-1].number == EVERY

    @property
    def status(self) -> str:
        return next((each for each in WORST_FIRST if self.counts[each]), COMPLETED)

    def add(self, record: Activation) -> None:
        """Count an activation in."""
        self.counts[record.status] += 1
        self._stretch(record.started_at, record.ended_at)

    def fold(self, group: Row) -> None:
        """Count a group in."""
        self.counts[group.status] += 1
        self._stretch(group.started, group.ended)

    def _stretch(self, started: str, ended: str | None) -> None:
        self.started = min(self.started, started)
        self.ended = None if ended is None or self.ended is None else max(self.ended, ended)


class Structure:
    """A version's structure: which regions are around a node."""

    def __init__(self, structure: Json) -> None:
        self._around = {node: described["enclosing"] for node, described in structure["nodes"].items()}
        self.loops = {part["nodeId"] for around in self._around.values() for part in around if part["kind"] == _LOOP}
        self._kinds = {(part["nodeId"], part["part"]): part["kind"] for each in self._around.values() for part in each}

    def place(self, node: str, path: str) -> Place:
        """The regions, items and passes around an activation, outermost first."""
        index = iter(numbers(path))
        return tuple(
            Part(part["nodeId"], part["part"], None if part["kind"] == "branches" else next(index, None))
            for part in self._around.get(node, ())
        )

    def kind(self, part: Part) -> str:
        """loop, items or branches."""
        return str(self._kinds.get((part.node, part.part), "branches"))

    def of(self, record: Activation) -> Place:
        """Where an activation stands: one of a loop that begins a pass belongs to the pass."""
        place = self.place(record.node, record.path)
        if record.node in self.loops and record.port == _BODY and record.path:
            return (*place, Part(record.node, _BODY, numbers(record.path)[-1]))
        return place


def level(structure: Structure, records: Iterable[Activation], within: Place) -> list[Row]:
    """The rows directly inside a place, in the order of their start; of a whole region by number."""
    if within and within[-1].number == EVERY:
        return _region(structure, records, within)
    rows: dict[Any, Row] = {}
    depth = len(within)
    for record in records:
        place = structure.of(record)
        if place[:depth] != within:
            continue
        if len(place) == depth:
            row = rows[record.id] = Row((), "activation", record, order=record.id)
        else:
            row = _group(rows, structure, place[: depth + 1], record, len(place) == depth + 1)
        row.add(record)
    if within and structure.kind(within[-1]) == _LOOP:
        rows = {key: row for key, row in rows.items() if not _begins(row, within[-1])}
    return _in_order(_folded(list(rows.values())))


def _region(structure: Structure, records: Iterable[Activation], within: Place) -> list[Row]:
    """Every item or pass of one region."""
    outer, region = within[:-1], within[-1]
    rows: dict[Any, Row] = {}
    for record in records:
        place = structure.of(record)
        if len(place) <= len(outer) or place[: len(outer)] != outer:
            continue
        own = place[len(outer)]
        if (own.node, own.part) == (region.node, region.part):
            _group(rows, structure, (*outer, own), record, len(place) == len(within)).add(record)
    for row in rows.values():
        row.order = f"{row.place[-1].number or 0:08d}"
    return sorted(rows.values(), key=lambda row: row.order)


def _group(rows: dict[Any, Row], structure: Structure, place: Place, record: Activation, direct: bool) -> Row:
    row = rows.get(place)
    if row is None:
        row = rows[place] = Row(place, structure.kind(place[-1]))
    if direct and row.kind == _LOOP and record.node == place[-1].node:
        row.head = record
    return row


def _begins(row: Row, part: Part) -> bool:
    """Whether it is the loop's activation that began the pass that one looks into."""
    return row.kind == "activation" and row.head is not None and row.head.node == part.node


def _folded(rows: Sequence[Row]) -> Iterator[Row]:
    regions: dict[Place, list[Row]] = {}
    for row in rows:
        if row.place and row.place[-1].number is not None:
            region = (*row.place[:-1], row.place[-1]._replace(number=EVERY))
            regions.setdefault(region, []).append(row)
        else:
            yield row
    for region, groups in regions.items():
        first = min(group.started for group in groups)
        if len(groups) <= FEW:
            for group in groups:
                number = f"{group.place[-1].number or 0:08d}~{group.place[-1]}"
                group.order = f"{first if group.kind == 'items' else group.started}~{number}"
                yield group
            continue
        row = Row(region, groups[0].kind)
        for group in groups:
            row.fold(group)
        yield row


def _in_order(rows: Iterable[Row]) -> list[Row]:
    found = list(rows)
    for row in found:
        if row.kind == "activation" or "~" not in row.order:
            row.order = f"{row.started}~{text_of(row.place) or row.order}"
    return sorted(found, key=lambda row: row.order)
