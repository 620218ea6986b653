"""Definite assignment: which optional state is sure to be there (LANGUAGE §7, set_variable).

Facts are bits of an int, one per assigned state path; -1 stands for "everything", where nothing can be said against
it (unreachable nodes, after what could not be read). Facts meet by `&`. Whatever overwrites a path takes away what
was known of its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

EVERYTHING = -1
NOTHING = 0


class Write(NamedTuple):
    """What an assignment does to the facts on its node's `completed` port.

    `source`: whether what it assigns is present: True, False, or the state path on whose presence that depends.
    `parts`: paths below `path` that are sure to be there in what is assigned. `path` None: it could not be read, so
    it may assign anything.
    """

    path: str | None
    source: bool | str
    parts: tuple[str, ...] = ()


class Link(NamedTuple):
    """A way from one node to another; `commits`: by the port behind the node's assignments."""

    key: int  # position of the arc
    source: str
    target: str
    commits: bool = False
    part: str = ""  # of the fan_out that the target joins: the part it comes from


class Meeting(NamedTuple):
    """A join: `fan_out`, whether all its parts arrive and bring what they assigned, and the nodes between."""

    fan_out: str
    brings: bool
    inside: tuple[str, ...]


class Paths:
    """The assigned state paths, numbered; the beginnings of a path count as assigned with it."""

    def __init__(self, paths: Iterable[str]) -> None:
        numbers: dict[str, int] = {}
        for path in paths:
            for beginning in beginnings(path):
                numbers.setdefault(beginning, len(numbers))
        self.numbers: Mapping[str, int] = numbers
        self._below: dict[str, int] = {}
        for path in numbers:
            for beginning in beginnings(path)[:-1]:
                self._below[beginning] = self._below.get(beginning, 0) | 1 << numbers[path]

    def given(self, path: str) -> int:
        """The facts that an assignment of the path gives: it and its beginnings are there."""
        facts = 0
        for beginning in beginnings(path):
            if beginning in self.numbers:
                facts |= 1 << self.numbers[beginning]
        return facts

    def below(self, path: str) -> int:
        """The facts about parts of the path."""
        return self._below.get(path, 0)

    def holds(self, facts: int, path: str) -> bool:
        """Whether the facts say that the path is there; one that nothing assigns is only in "everything"."""
        number = self.numbers.get(path)
        return facts < 0 if number is None else bool(facts >> number & 1)

    def overlap(self) -> bool:
        """Whether some path is a part of another, so that an assignment can take facts away."""
        return bool(self._below)


def beginnings(path: str) -> list[str]:
    """`a.b.c` → `a`, `a.b`, `a.b.c`."""
    names = path.split(".")
    return [".".join(names[: length + 1]) for length in range(len(names))]


class Facts(NamedTuple):
    """What is sure to be there: when a node starts (`at`), and on the edge at a position (`along`)."""

    paths: Paths
    at: Mapping[str, int]
    along: Mapping[int, int]


def definite(
    order: Sequence[str],
    entry: str | None,
    links: Sequence[Link],
    back: Sequence[Link],
    writes: Mapping[str, Sequence[Write]],
    meetings: Mapping[str, Meeting],
    open_nodes: frozenset[str] = frozenset(),
) -> Facts:
    """The facts at every node of `order` and along every link.

    `links` lead onward in `order` (those with target "" nowhere), `back` into loops. `open_nodes`: there and after them
    anything may be assigned. Without an
    overlap of paths, facts only grow along a way, so what comes back into a loop takes nothing away and one pass
    tells all; with it, passes go on until nothing changes.
    """
    paths = Paths(write.path for some in writes.values() for write in some if write.path is not None)
    run = _Pass(paths, entry, _by_target(links), writes, meetings, open_nodes)
    if not paths.overlap():
        run.walk(order, {}, {})
        return Facts(paths, run.at, run.along(links, back))
    back_to, came_back = _by_target(back), {link.key: EVERYTHING for link in back}
    while True:
        run.walk(order, back_to, came_back)
        along = run.along(links, back)
        again = {link.key: along[link.key] for link in back}
        if again == came_back:
            return Facts(paths, run.at, along)
        came_back = again


def _by_target(links: Iterable[Link]) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = {}
    for link in links:
        found.setdefault(link.target, []).append(link)
    return found


def _killed(paths: Paths, writes: Mapping[str, Sequence[Write]], meetings: Mapping[str, Meeting]) -> dict[str, int]:
    """By join: the facts that something inside its region may take away."""
    if not paths.overlap():
        return dict.fromkeys(meetings, 0)
    takes = {node: _taken(paths, some) for node, some in writes.items()}
    killed = {}
    for join, meeting in meetings.items():
        killed[join] = 0
        for node in meeting.inside:
            killed[join] |= takes.get(node, 0)
    return killed


def _taken(paths: Paths, writes: Sequence[Write]) -> int:
    taken = 0
    for write in writes:
        taken |= 0 if write.path is None else paths.below(write.path)
    return taken


class _Pass:
    def __init__(
        self,
        paths: Paths,
        entry: str | None,
        arriving: dict[str, list[Link]],
        writes: Mapping[str, Sequence[Write]],
        meetings: Mapping[str, Meeting],
        open_nodes: frozenset[str],
    ) -> None:
        self.paths = paths
        self.entry = entry
        self.arriving = arriving
        self.writes = writes
        self.meetings = meetings
        self.open_nodes = open_nodes
        self.killed = _killed(paths, writes, meetings)
        self.at: dict[str, int] = {}
        self.after: dict[str, int] = {}

    def walk(self, order: Sequence[str], back_to: dict[str, list[Link]], came_back: Mapping[int, int]) -> None:
        self.at, self.after = {}, {}
        for node in order:
            facts = self._start(node)
            for link in back_to.get(node, ()):
                facts &= came_back[link.key]
            self.at[node] = facts
            if node in self.writes:
                self.after[node] = self._commit(self.writes[node], facts)

    def along(self, links: Sequence[Link], back: Sequence[Link]) -> dict[int, int]:
        return {link.key: self._on(link) for some in (links, back) for link in some}

    def _on(self, link: Link) -> int:
        if link.source in self.open_nodes:
            return EVERYTHING
        if link.commits and link.source in self.after:
            return self.after[link.source]
        meeting = self.meetings.get(link.source)
        if meeting is None or link.commits or meeting.fan_out not in self.at:
            return self.at[link.source]
        return self.at[meeting.fan_out] & ~self.killed[link.source]  # a join that failed brings nothing

    def _start(self, node: str) -> int:
        if node == self.entry:
            return NOTHING
        if node in self.open_nodes:
            return EVERYTHING
        arrivals = self.arriving.get(node, [])
        meeting = self.meetings.get(node)
        if meeting is not None and meeting.fan_out in self.at:
            return self._meet(node, meeting, arrivals)
        facts = EVERYTHING
        for link in arrivals:
            facts &= self._on(link)
        return facts

    def _meet(self, join: str, meeting: Meeting, arrivals: Sequence[Link]) -> int:
        """Behind a join stands what stood before its fan_out and, where all parts arrive, what they assigned."""
        before = self.at[meeting.fan_out]
        brought: dict[str, int] = {}
        for link in arrivals:
            brought[link.part] = brought.get(link.part, EVERYTHING) & self._on(link)
        if not meeting.brings:
            return before & ~self.killed[join]
        kept, gained = before, 0
        for facts in brought.values():
            kept &= facts
            gained |= facts & ~before
        return kept | gained

    def _commit(self, writes: Sequence[Write], old: int) -> int:
        """All assignments read the old snapshot and are committed as one."""
        new = old
        for write in writes:
            if write.path is None:
                return EVERYTHING
            present = write.source if isinstance(write.source, bool) else self.paths.holds(old, write.source)
            if present:
                new = new & ~self.paths.below(write.path) | self.paths.given(write.path)
                for part in write.parts:
                    new |= self.paths.given(part)
            else:
                new &= ~self.paths.below(write.path)
        return new
