"""What a redrive reopens, worked out from the records alone (ARCHITECTURE §3, "Redrive is replay").

    error ─▶ the activation in it ── failed ──────────────▶ reopened, with what follows it
                  │ completed: the plan itself failed the run
                  ▼
             its source, and so on ── left by `failed` or `timed_out` ──▶ reopened, with what follows it

A join that failed is reopened together with what decided it: the failure inside (mode all), the parts that are lost
(any, count). Where those were failed by the plan itself, the search goes on before the region.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loopstep.runs.items import Item
from loopstep.runs.keys import ACTIVATION
from loopstep.runs.records import FAILED, OPEN, REOPENED
from loopstep.runs.regions import ARRIVAL, RACE, failed_activation

LEFT_BY_FAILURE = ("failed", "timed_out")


class Trace(NamedTuple):
    """An activation as far as a redrive asks. `port` is the one it left through, also once it is reopened."""

    id: str
    status: str
    port: str | None
    edge: str | None
    source: str | None


class Race(NamedTuple):
    """The race of a join: its counts, and the activation whose failure decided it (mode all)."""

    join: str
    cause: str | None


class Coming(NamedTuple):
    """A part's arrival item: what brought it, or what lost it."""

    key: str
    join: str
    source: str | None
    lost_by: str | None
    lost: bool
    slot: bool
    value: bool


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
            races[join] = Race(join, failed_activation(item))
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
        if trace is not None and trace.status not in (*OPEN, FAILED) and trace.edge is not None:
            return Reopening()  # it had completed, only its replies were lost: go on from the recorded token
        roots = self._roots(error, None)
        return None if roots is None else self._with_followers(roots)

    # -- where it failed -----------------------------------------------------------------------------------------

    def _roots(self, activation: str | None, outside: str | None) -> list[str] | None:
        """The activations to begin with, for a failure met at this one; the search ends before `outside`."""
        while activation is not None and activation != outside:
            trace = self._traces.get(activation)
            if trace is None:
                return None
            if _is_failure(trace):
                roots = self._of_join(trace) if self._decided_inside(trace.id) else [trace.id]
                if roots is not None:
                    return roots
            activation = trace.source
        return None

    def _decided_inside(self, join: str) -> bool:
        race = self._races.get(join)
        return (race is not None and race.cause is not None) or any(each.lost for each in self._of(join))

    def _of_join(self, join: Trace) -> list[str] | None:
        """A failed join with what decided it; None where the plan itself did."""
        race = self._races.get(join.id)
        causes = [race.cause] if race is not None and race.cause is not None else []
        stopped = not causes and self._unfinished(join.source)  # parts that can still arrive
        causes += [each.lost_by for each in self._of(join.id) if each.lost and each.lost_by is not None]
        if race is not None and race.cause is None:
            causes += self._uncounted(join.source)
        inside = [root for cause in causes for root in self._roots(cause, join.source) or ()]
        begun = join.status == REOPENED  # by a redrive that was interrupted
        return [*dict.fromkeys([join.id, *inside])] if inside or stopped or begun else None

    def _uncounted(self, fan_out: str | None) -> list[str]:
        """Failures in a race's parts that nothing handled: those counted, and any that came with the decision."""
        fan_outs = {self._traces[join].source for join in (*self._races, *self._parts) if join in self._traces}
        found = []
        for each in self._followers([fan_out] if fan_out is not None else []):
            trace = self._traces.get(each)
            if trace is None or trace.status != FAILED or trace.edge is not None or trace.source is None:
                continue
            if self._nearest(trace.source, fan_outs) == fan_out and not self._is_join(trace, fan_out):
                found.append(each)
        return found

    def _nearest(self, activation: str | None, among: set[str | None]) -> str | None:
        while activation is not None and activation not in among:
            trace = self._traces.get(activation)
            activation = trace.source if trace is not None else None
        return activation

    def _is_join(self, trace: Trace, fan_out: str | None) -> bool:
        return trace.source == fan_out and (trace.id in self._races or trace.id in self._parts)

    def _unfinished(self, fan_out: str | None) -> bool:
        """Whether a part of the region began something that never ended."""
        parts = self._followers([fan_out] if fan_out is not None else [])
        return any(self._traces[each].status in OPEN for each in parts if each in self._traces)

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
            return arrival.join in opened if arrival.lost_by is None else _root(arrival.lost_by) in opened
        return arrival.source is not None and _root(arrival.source) in opened

    def _left_of(self, join: str, dropped: Mapping[str, Coming]) -> tuple[int, int]:
        remaining = [each for each in self._of(join) if each.key not in dropped]
        return sum(each.slot for each in remaining), sum(each.lost for each in remaining)


def _is_failure(trace: Trace) -> bool:
    """Whether it left through a port of failure; a failed end leaves through none."""
    return trace.port in LEFT_BY_FAILURE or (trace.status in OPEN and trace.status != REOPENED)


def _root(source: str) -> str:
    """The activation of a source; a part that began at its fan_out is named `<fan_out's activation>/<part>`."""
    return source.partition("/")[0]


def _trace(activation: str, item: Item) -> Trace:
    status = item["act_status"]["S"]
    port = _text(item, "left") if status == REOPENED else _text(item, "port")
    return Trace(activation, status, port, _text(item, "edge"), _text(item, "source"))


def _coming(key: str, item: Item) -> Coming:
    join = key.removeprefix(ARRIVAL).rpartition("#")[0]
    lost, value = "why" in item, "value" in item
    return Coming(key, join, _text(item, "source"), _text(item, "lost_by"), lost, "slot" in item, value)


def _text(item: Item, name: str) -> str | None:
    return item[name]["S"] if name in item else None
