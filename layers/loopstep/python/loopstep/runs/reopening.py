"""What a redrive reopens, worked out from the records alone (ARCHITECTURE §3, "Redrive is replay").

    error ─▶ the activation in it ── failed ──────────────▶ reopened, with what follows it
                  │ completed: the plan itself failed the run
                  ▼
             its source, and so on ── left by `failed` or `timed_out` ──▶ reopened, with what follows it

A join that failed is reopened together with what decided it: the failure inside (mode all), the parts that are lost
(any, count), if with those that can arrive then as many come together as it needs. Else the plan itself decided it, and
the search goes on before the region. A join with enough arrivals failed by itself: its race stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from loopstep.runs.items import Item
from loopstep.runs.keys import ACTIVATION
from loopstep.runs.records import FAILED, OPEN, REOPENED
from loopstep.runs.regions import ARRIVAL, RACE, failed_activation

LEFT_BY_FAILURE = ("failed", "timed_out")
_CRASHED = "node.crashed"


class Trace(NamedTuple):
    """An activation as far as a redrive asks. `port` is the one it left through, also once it is reopened."""

    id: str
    status: str
    port: str | None
    edge: str | None
    source: str | None


class Race(NamedTuple):
    """The race of a join: the activation whose failure decided it (mode all), or how many of its parts it needs."""

    join: str
    cause: str | None
    need: int = 0
    total: int = 0


class Coming(NamedTuple):
    """A part's arrival item: what brought it, or what lost it; `crashed`: no node failed, only replies were lost."""

    key: str
    join: str
    source: str | None
    lost_by: str | None
    lost: bool
    slot: bool
    value: bool
    crashed: bool


class Reopening(NamedTuple):
    """`activations` by id; `arrivals` that are no longer counted; `races` by join, with the arrivals and losses that
    stay counted.
    """

    activations: tuple[str, ...] = ()
    arrivals: tuple[Coming, ...] = ()
    races: Mapping[str, tuple[int, int]] = {}


class Records(NamedTuple):
    """The records of a run that decide what is reopened."""

    traces: Mapping[str, Trace]
    races: Mapping[str, Race]
    arrivals: tuple[Coming, ...]


def records_of(items: Iterable[Item]) -> Records:
    """Sorts a run's activation, race and arrival items."""
    traces, races, arrivals = {}, {}, []
    for item in items:
        key = item["sk"]["S"]
        if key.startswith(ACTIVATION):
            trace = _trace(key.removeprefix(ACTIVATION), item)
            traces[trace.id] = trace
        elif key.startswith(RACE):
            join = key.removeprefix(RACE)
            need, total = (int(item[name]["N"]) if name in item else 0 for name in ("need", "total"))
            races[join] = Race(join, failed_activation(item), need, total)
        elif key.startswith(ARRIVAL):
            arrivals.append(_coming(key, item))
    return Records(traces, races, tuple(arrivals))


def find(records: Records, error: str) -> Reopening | None:
    """What is reopened for a run that failed at this activation; None where nothing can be."""
    return _Search(records).found(error)


class _Search:
    def __init__(self, records: Records) -> None:
        self._traces, self._races, self._arrivals = records
        self._parts: dict[str, list[Coming]] = {}
        for each in self._arrivals:
            self._parts.setdefault(each.join, []).append(each)
        self._after: dict[str, list[str]] = {}
        for trace in self._traces.values():
            if trace.source is not None:
                self._after.setdefault(trace.source, []).append(trace.id)

    def found(self, error: str) -> Reopening | None:
        trace = self._traces.get(error)
        if trace is not None and _has_left(trace):
            return Reopening()  # it had completed, only its replies were lost: go on from the recorded token
        roots = self._roots(error, None)
        return None if roots is None else self._with_followers([*roots, *self._begun()])

    def _begun(self) -> list[str]:
        """What a redrive that was interrupted has reopened; what one before left so has no followers but such."""
        return [each.id for each in self._traces.values() if each.status == REOPENED]

    # -- where it failed -----------------------------------------------------------------------------------------

    def _roots(self, activation: str | None, outside: str | None) -> list[str] | None:
        """The activations to begin with, for a failure met at this one; the search ends before `outside`.

        None where the plan itself failed; none at all where something goes on by itself.
        """
        while activation is not None and activation != outside:
            trace = self._traces.get(activation)
            if trace is None:
                return None
            if _is_failure(trace):
                roots = self._of_join(trace) if trace.id in self._races else [trace.id]
                if roots is not None:
                    return roots
            activation = trace.source
        return None

    def _of_join(self, join: Trace) -> list[str] | None:
        """A failed join with what decided it; None where even then it could not come out otherwise."""
        race = self._races[join.id]
        if race.need:
            return self._of_race(join, race)
        if race.cause is None:
            return [join.id]  # of parts that ended without an outcome: they go on
        inside = self._roots(race.cause, join.source)
        if inside is None and join.status != REOPENED:
            return None
        return [join.id, *(inside or ())]

    def _of_race(self, join: Trace, race: Race) -> list[str] | None:
        """A join that takes the first ones, with the failures of all lost parts that have one to reopen."""
        if self._stands(join.id, {}):
            return [join.id]
        found = [self._of_part(each, join) for each in self._of(join.id) if each.lost]
        found += [self._roots(each, join.source) for each in self._uncounted(join)]
        hopeless = sum(roots is None for roots in found)
        if race.total - hopeless < race.need and join.status != REOPENED:
            return None
        return [*dict.fromkeys([join.id, *(root for roots in found for root in roots or ())])]

    def _of_part(self, part: Coming, join: Trace) -> list[str] | None:
        """What a lost part begins again with; nothing where it goes on from its last recorded token."""
        return [] if self._goes_on(part) else self._roots(part.lost_by, join.source)

    def _goes_on(self, part: Coming) -> bool:
        """Whether no node of a lost part failed: what was left last had completed, or there was nothing yet."""
        last = self._traces.get(_root(part.lost_by)) if part.lost_by is not None else None
        return part.value or last is None or (part.crashed and _has_left(last))

    def _stands(self, join: str, dropped: Mapping[str, Coming]) -> bool:
        """Whether a race has all the arrivals that it needs, also without those dropped."""
        race = self._races.get(join)
        return race is not None and 0 < race.need <= self._left_of(join, dropped)[0]

    def _uncounted(self, join: Trace) -> Iterator[str]:
        """Failures that nothing handled in a race's parts, of those that are not counted: they came with the decision.

        A part's nodes follow the fan_out one behind the other, so parts are told apart by the first behind it.
        """
        counted = {self._first(each.lost_by, join.source) for each in self._of(join.id) if each.lost_by is not None}
        fan_outs = {self._traces[each].source for each in (*self._races, *self._parts) if each in self._traces}
        for each in self._followers([join.source] if join.source is not None else []):
            trace = self._traces.get(each)
            if trace is None or trace.status != FAILED or trace.edge is not None or trace.source is None:
                continue
            inside = each != join.id and self._nearest(trace, fan_outs) == join.source
            if inside and self._first(each, join.source) not in counted:
                yield each

    def _nearest(self, trace: Trace, fan_outs: set[str | None]) -> str | None:
        """The fan_out whose region an activation stands in; a join stands where its fan_out does."""
        at = self._traces.get(trace.source or "") if self._is_join(trace) else trace
        activation = at.source if at is not None else None
        while activation is not None and activation not in fan_outs:
            before = self._traces.get(activation)
            if before is not None and self._is_join(before):
                before = self._traces.get(before.source or "")
            activation = before.source if before is not None else None
        return activation

    def _first(self, activation: str | None, fan_out: str | None) -> str | None:
        """The activation on the way to this one that stands first behind the fan_out."""
        while activation is not None:
            trace = self._traces.get(_root(activation))
            if trace is None or trace.source == fan_out:
                return activation
            activation = trace.source
        return None

    def _is_join(self, trace: Trace) -> bool:
        return trace.id in self._races or trace.id in self._parts

    def _of(self, join: str) -> list[Coming]:
        return self._parts.get(join, [])

    # -- and what follows ----------------------------------------------------------------------------------------

    def _with_followers(self, roots: list[str]) -> Reopening:
        opened: dict[str, None] = {}
        dropped: dict[str, Coming] = {}
        fresh = roots
        while fresh:
            opened |= dict.fromkeys(self._followers(fresh))
            gone = [each for each in self._arrivals if each.key not in dropped and self._rests_on(each, opened)]
            dropped |= {each.key: each for each in gone}
            joins = [*self._decided_by(opened), *(each.join for each in gone)]
            fresh = [join for join in joins if join in self._traces and join not in opened]
        touched = {join for join in self._races if join in opened}
        touched |= {each.join for each in dropped.values()} | {*self._decided_by(opened)}
        touched -= {join for join in touched if self._stands(join, dropped)}
        return Reopening(
            tuple(each for each in opened if each in self._traces),
            tuple(dropped.values()),
            {join: self._left_of(join, dropped) for join in sorted(touched)},
        )

    def _decided_by(self, opened: Mapping[str, None]) -> list[str]:
        return [race.join for race in self._races.values() if race.cause is not None and _root(race.cause) in opened]

    def _followers(self, activations: Iterable[str]) -> dict[str, None]:
        """These, and every activation that one of them led to."""
        found: dict[str, None] = {}
        open_ = list(activations)
        while open_:
            activation = open_.pop()
            if activation not in found:
                found[activation] = None
                open_ += self._after.get(activation, ())
        return found

    def _rests_on(self, arrival: Coming, opened: Mapping[str, None]) -> bool:
        if arrival.lost:
            again = arrival.lost_by is not None and _root(arrival.lost_by) in opened
            return again or (arrival.join in opened and self._goes_on(arrival) and not self._stands(arrival.join, {}))
        return arrival.source is not None and _root(arrival.source) in opened

    def _left_of(self, join: str, dropped: Mapping[str, Coming]) -> tuple[int, int]:
        remaining = [each for each in self._of(join) if each.key not in dropped]
        return sum(each.slot for each in remaining), sum(each.lost for each in remaining)


def _is_failure(trace: Trace) -> bool:
    """Whether it left through a port of failure; a failed end leaves through none."""
    return trace.port in LEFT_BY_FAILURE or (trace.status in OPEN and trace.status != REOPENED)


def _has_left(trace: Trace) -> bool:
    """Whether it completed and an edge was taken."""
    return trace.status not in (*OPEN, FAILED) and trace.edge is not None


def _root(source: str) -> str:
    """The activation of a source; a part that began at its fan_out is named `<fan_out's activation>/<part>`."""
    return source.partition("/")[0]


def _trace(activation: str, item: Item) -> Trace:
    status = item["act_status"]["S"]
    port = _text(item, "left") if status == REOPENED else _text(item, "port")
    return Trace(activation, status, port, _text(item, "edge"), _text(item, "source"))


def _coming(key: str, item: Item) -> Coming:
    join = key.removeprefix(ARRIVAL).rpartition("#")[0]
    lost, value = _text(item, "why"), "value" in item
    crashed = lost is not None and json.loads(lost).get("code") == _CRASHED
    source, lost_by = _text(item, "source"), _text(item, "lost_by")
    return Coming(key, join, source, lost_by, lost is not None, "slot" in item, value, crashed)


def _text(item: Item, name: str) -> str | None:
    return item[name]["S"] if name in item else None
