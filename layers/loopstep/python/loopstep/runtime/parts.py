"""Tasks in a region that are no activations: a part's first choice of an edge, an arrival, a loss (ARCHITECTURE §2).

Their outcome stands in the region's records, so they answer the same however often they are invoked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loopstep.runs import parts as written
from loopstep.runs import regions
from loopstep.runs.errors import RegionDecided, RunNotOpen
from loopstep.runs.joins import Joins
from loopstep.runs.keys import activation_id
from loopstep.runs.records import RUNNING, Activation, Failure, Loaded
from loopstep.runs.regions import Broken, Brought, Membership
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import Refused
from loopstep.runs.values import Draft
from loopstep.runtime.behaviours.join import JoinConfig, join_config
from loopstep.runtime.closing import close_lost, lost_failure
from loopstep.runtime.data import RunData
from loopstep.runtime.edges import Decision, decide
from loopstep.runtime.failures import (
    NODE_CRASHED,
    NONE_MATCHED,
    REGION_DECIDED,
    RUN_CLOSED,
    Failed,
    NodeFailure,
    Retry,
)
from loopstep.runtime.faults import Faults
from loopstep.runtime.losers import Losers
from loopstep.runtime.observe import Observation
from loopstep.runtime.region import ALL, brought, item_number, memberships
from loopstep.runtime.spec import Spec, Specs, read_json
from loopstep.runtime.times import Clock
from loopstep.runtime.token import FAILED_PORTS, Token, numbers

_NOTHING: frozenset[str] = frozenset()


@contextmanager
def _told(seen: Observation, who: str) -> Iterator[None]:
    """Writes the log line, and tells the engine nothing but a code: a message could hold data of the run."""
    try:
        yield
    except (Failed, Retry):
        raise
    except RunNotOpen:
        raise Failed(RUN_CLOSED, who) from None
    except Exception as error:
        seen.note(level="ERROR", outcome="crashed", error=type(error).__name__)
        raise Retry(NODE_CRASHED, who) from None
    finally:
        seen.write()


class PartStarter:
    """The Task `<fan_out>.part.<n>`: chooses the edge by which a part begins, where a condition or the join asks."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._specs = Specs(lambda data: data["part"], lambda data: _NOTHING)

    def __call__(self, event: dict[str, Any]) -> dict[str, Any]:
        """`{"token", "spec"}` → the token that leaves through the part's port."""
        token, spec = Token.from_json(event["token"]), self._specs.read(event["spec"])
        seen = Observation(level="INFO", run=token.run, node=spec.node, part=spec.config, path=token.path)
        with _told(seen, token.source or ""):
            return self._start(token, spec)

    def _start(self, token: Token, spec: Spec) -> dict[str, Any]:
        members = memberships(spec, token.path)
        fan_out = token.source or ""
        loaded = self._store.load(token.run, [fan_out], [member.join for member in members])
        if _over(loaded, token):
            raise Failed(RUN_CLOSED, fan_out)
        if any(standing.decided for standing in loaded.races.values()):
            raise Failed(REGION_DECIDED, fan_out)
        data = self._data(loaded, token, spec, loaded.activations[fan_out])
        failure, decision = None, Decision(None, None)
        try:
            with Faults():
                decision = decide(spec, spec.config, data)
        except NodeFailure as fault:
            failure = Failure(fault.code, fault.message)
        if decision.edge is None:
            failure = failure or Failure(NONE_MATCHED, f"no edge of the port {spec.config} matched")
        arrival = brought(spec, members[-1], decision.edge, data)
        if arrival is not None and arrival.failure is not None:
            failure = arrival.failure
        self._write(token, spec, members, arrival, failure)
        if decision.edge is None and failure is not None:
            raise Failed(failure.code, fan_out)
        onward = Token(token.run, token.epoch, token.path, token.node, token.left, spec.config, decision.edge or "")
        return onward.to_json(decision.seen)

    def _data(self, loaded: Loaded, token: Token, spec: Spec, source: Activation) -> dict[str, Any]:
        assert loaded.head is not None and loaded.state is not None
        run = RunData(self._store.values, loaded.head, loaded.state)
        run.fetch(spec.own_reads, source, None)
        data = run.roots(spec.own_reads, numbers(token.left)) | run.left(spec.own_reads, source)
        if spec.own_reads.item:
            data["item"] = run.element(source, item_number(token.path, token.left))
        return data

    def _write(
        self,
        token: Token,
        spec: Spec,
        members: tuple[Membership, ...],
        arrival: Brought | None,
        failure: Failure | None,
    ) -> None:
        member = members[-1]
        source = f"{activation_id(spec.node, token.left)}/{member.part}"
        broken = Broken(member.join, failure, spec.node, source) if failure is not None and member.mode == ALL else None
        if arrival is None and broken is None:
            return
        draft, table = Draft(token.run, source, 1), self._store.table
        parts = regions.region_parts(table, token.run, members, source, draft, arrival, broken)
        parts.append(written.guard(table, token.run, token.epoch, source, True))
        self._store.values.write(draft.objects)
        try:
            self._store.transact(parts)
        except Refused as refused:
            if "fence" in refused.found:
                raise Failed(RUN_CLOSED, source) from None
            if "arrival" not in refused.found:  # an arrival that is there is the own one of an earlier invocation
                raise Failed(REGION_DECIDED, source) from None


class PartCounter:
    """The Tasks `<join>.arrive.<n>` and `<join>.lost.<n>`: take a slot of the race, or count the part as lost."""

    def __init__(
        self,
        store: RunStore,
        joins: Joins,
        clock: Clock,
        random_source: random.Random,
        end_losers: Losers = lambda run, epoch, join: None,
    ) -> None:
        self._store, self._joins, self._clock, self._random = store, joins, clock, random_source
        self._end_losers = end_losers
        self._specs = Specs(join_config, lambda data: _NOTHING)

    def __call__(self, event: dict[str, Any]) -> dict[str, Any]:
        """`{"token", "spec"}` → `{"run", "epoch", "path", "decided"}`."""
        token, spec = Token.from_json(event["token"]), self._specs.read(event["spec"])
        member = memberships(spec, token.path)[-1]
        seen = Observation(level="INFO", run=token.run, node=spec.node, part=member.part, path=token.path)
        with _told(seen, member.join):
            decided = self._decided(token, spec, member, "lost" in read_json(event["spec"]))
            if decided:
                self._end_losers(token.run, token.epoch, member.join)
            seen.note(decided=decided)
        return {"run": token.run, "epoch": token.epoch, "path": token.path, "decided": decided}

    def _decided(self, token: Token, spec: Spec, member: Membership, lost: bool) -> bool:
        config: JoinConfig = spec.config
        above = member.join.partition("#")[2]
        fan_out = activation_id(config.fan_out, above)
        wanted = [each for each in (fan_out, token.source) if each]
        loaded = self._store.load(token.run, wanted)
        if _over(loaded, token):
            raise Failed(RUN_CLOSED, member.join)
        quorum = config.quorum(config.total(loaded.activations[fan_out].item_count))
        if not lost:
            return self._joins.arrive(token.run, token.epoch, member, quorum, token.source).decided
        try:
            failure = self._failure(token, loaded.activations.get(token.source or ""), memberships(spec, token.path))
        except RegionDecided:  # a loser stays open: a redrive that reopens the race lets it go on
            return True
        return self._joins.lose(token.run, token.epoch, member, quorum, failure, token.source).decided

    def _failure(self, token: Token, source: Activation | None, members: tuple[Membership, ...]) -> Failure:
        """Why the part is lost; a record that its function left open is closed (ARCHITECTURE §3)."""
        if (source is None or source.open) and token.port in FAILED_PORTS:
            now = self._clock()
            why = lost_failure(source, token.epoch, now)
            owner = f"{self._random.getrandbits(64):016x}"
            left = (token.port, Decision(None, None))
            place = (token.node, token.left)
            source = close_lost(self._store, token.run, token.epoch, place, source, left, why, now, owner, members)
        if source is not None and source.error is not None:
            return source.error
        unmatched = source is not None and source.edge is None
        return Failure(NONE_MATCHED if unmatched else NODE_CRASHED, "the part did not reach its join")


def _over(loaded: Loaded, token: Token) -> bool:
    head = loaded.head
    return head is None or head.status != RUNNING or head.epoch != token.epoch
