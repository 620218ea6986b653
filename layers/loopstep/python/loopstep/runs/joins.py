"""The races of joins, read and moved on (ARCHITECTURE §2): every step is one conditional transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from loopstep.runs import keys, parts, regions
from loopstep.runs.errors import Contended, RunNotOpen
from loopstep.runs.items import Item, activation_of, text
from loopstep.runs.records import FAILED, RUNNING, Activation, Failure
from loopstep.runs.regions import Arrival, Broken, Membership, Quorum, Standing
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import Part, Refused

_TRIES = 60  # each lost try means that another part was counted


class Joins:
    """Reads arrivals and counts parts for joins that take the first ones. `pause(n)` sleeps before try n + 1."""

    __slots__ = ("_client", "_pause", "_table", "store")

    def __init__(self, client: Any, table: str, store: RunStore, pause: Callable[[int], None]) -> None:
        self._client, self._table, self.store, self._pause = client, table, store, pause

    def arrivals(self, run: str, join: str) -> list[Arrival]:
        """All arrivals and losses of a join's activation: branches by name, items by number."""
        return [regions.arrival_of(item) for item in self._query(run, regions.arrival_prefix(join))]

    def unsettled(self, run: str, join: str) -> list[Activation]:
        """The activations directly in a join's region that began to act outside and that no edge was left by: failed
        ones first, then those without an outcome, by start."""
        found = map(activation_of, self._query(run, keys.ACTIVATION, join))
        kept = [each for each in found if each.status in (FAILED, RUNNING) and each.edge is None]
        return sorted(kept, key=lambda each: (each.status != FAILED, each.started_at))

    def standing(self, run: str, join: str) -> Standing:
        """How a race stands now."""
        items = self.store.read_items([parts.key(run, regions.race_key(join))])
        return regions.standing_of(items[0] if items else None)

    def arrive(self, run: str, epoch: int, member: Membership, quorum: Quorum, source: str | None = None) -> Standing:
        """Take the next slot for a part that has arrived, once; one that brought nothing is lost.

        Returns how the race then stands. Raises RunNotOpen, Contended.
        """
        nothing = Failure("input.contract", "what the part brought is no input of the join")
        return self._count(run, epoch, member, quorum, nothing, source, may_arrive=True)

    def lose(
        self,
        run: str,
        epoch: int,
        member: Membership,
        quorum: Quorum,
        failure: Failure,
        source: str | None = None,
    ) -> Standing:
        """Count a part as lost, once; one that took a slot before keeps it. Raises RunNotOpen, Contended.

        `source` is the activation that was left last: a redrive begins there.
        """
        return self._count(run, epoch, member, quorum, failure, source, may_arrive=False)

    def end(self, run: str, epoch: int, join: str, by: Broken | Quorum) -> Standing:
        """Decide a race that its region left open: the engine is out of it, so no commit in there passes any more.

        In mode all by a failure, else as it stands. Returns how it then stands: perhaps a part was quicker.
        Raises RunNotOpen, Contended.
        """
        for attempt in range(_TRIES):
            was = self.standing(run, join)
            if was.decided:
                return was
            if isinstance(by, Broken):
                moves = regions.broken_parts(self._table, run, by)
            else:
                moves = regions.over_parts(self._table, run, join, was, by)
            self._moved(run, epoch, join, moves)
            self._pause(attempt)
        raise Contended(join)

    def _query(self, run: str, prefix: str, region: str | None = None) -> Iterator[Item]:
        request: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "#run = :run AND begins_with(#sk, :prefix)",
            "ExpressionAttributeNames": {"#run": "run", "#sk": "sk"},
            "ExpressionAttributeValues": {":run": text(run), ":prefix": text(prefix)},
            "ConsistentRead": True,
        }
        if region is not None:
            request["FilterExpression"] = "#region = :region"
            request["ExpressionAttributeNames"]["#region"] = "region"
            request["ExpressionAttributeValues"][":region"] = text(region)
        while True:
            page = self._client.query(**request)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _count(
        self,
        run: str,
        epoch: int,
        member: Membership,
        quorum: Quorum,
        failure: Failure,
        source: str | None,
        may_arrive: bool,
    ) -> Standing:
        for attempt in range(_TRIES):
            was, arrival = self._read(run, member)
            if was.decided or (arrival is not None and (arrival.slot is not None or arrival.lost is not None)):
                return was
            if may_arrive and arrival is not None and arrival.value is not None:
                moves = regions.slot_parts(self._table, run, member, was, quorum)
            else:
                moves = regions.loss_parts(self._table, run, member, was, quorum, failure, source)
            if self._moved(run, epoch, f"{member.join}#{member.part}", moves):
                return self.standing(run, member.join)
            self._pause(attempt)
        raise Contended(member.join)

    def _moved(self, run: str, epoch: int, who: str, moves: list[Part]) -> bool:
        fence = parts.guard(self._table, run, epoch, who, True)
        try:
            self.store.transact([*moves, fence])
        except Refused as refused:
            if "fence" in refused.found:
                raise RunNotOpen(run) from None
            return False
        return True

    def _read(self, run: str, member: Membership) -> tuple[Standing, Arrival | None]:
        race, arrival = regions.race_key(member.join), regions.arrival_key(member.join, member.part)
        items = {
            item["sk"]["S"]: item for item in self.store.read_items([parts.key(run, race), parts.key(run, arrival)])
        }
        found = items.get(arrival)
        return regions.standing_of(items.get(race)), regions.arrival_of(found) if found else None
