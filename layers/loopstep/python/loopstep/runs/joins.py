"""The races of joins, read and moved on (ARCHITECTURE §2): every step is one conditional transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.runs import parts, regions
from loopstep.runs.errors import Contended, RunNotOpen
from loopstep.runs.records import Failure
from loopstep.runs.regions import Arrival, Membership, Standing
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import Part, Refused

_TRIES = 60  # each lost try means that another part was counted


class Quorum(NamedTuple):
    """A join that takes the first `need` of `total` parts."""

    need: int
    total: int

    def decided(self, taken: int, lost: int) -> bool:
        """Whether the outcome is sure: enough have arrived, or too few still can."""
        return taken >= self.need or self.total - lost < self.need


class Joins:
    """Reads arrivals and counts parts for joins that take the first ones. `pause(n)` sleeps before try n + 1."""

    __slots__ = ("_client", "_pause", "_store", "_table")

    def __init__(self, client: Any, table: str, store: RunStore, pause: Callable[[int], None]) -> None:
        self._client, self._table, self._store, self._pause = client, table, store, pause

    def arrivals(self, run: str, join: str) -> list[Arrival]:
        """All arrivals and losses of a join's activation: branches by name, items by number."""
        found: list[Arrival] = []
        request: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "#run = :run AND begins_with(#sk, :prefix)",
            "ExpressionAttributeNames": {"#run": "run", "#sk": "sk"},
            "ExpressionAttributeValues": {":run": {"S": run}, ":prefix": {"S": regions.arrival_prefix(join)}},
            "ConsistentRead": True,
        }
        while True:
            page = self._client.query(**request)
            found += [regions.arrival_of(item) for item in page["Items"]]
            if "LastEvaluatedKey" not in page:
                return found
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def standing(self, run: str, join: str) -> Standing:
        """How a race stands now."""
        items = self._store.read_items([parts.key(run, regions.race_key(join))])
        return regions.standing_of(items[0] if items else None)

    def arrive(self, run: str, epoch: int, member: Membership, quorum: Quorum) -> Standing:
        """Take the next slot for a part that has arrived, once; one that brought nothing is lost.

        Returns how the race then stands. Raises RunNotOpen, Contended.
        """
        nothing = Failure("node.crashed", "the part ended without an arrival")
        return self._count(run, epoch, member, quorum, nothing, may_arrive=True)

    def lose(self, run: str, epoch: int, member: Membership, quorum: Quorum, failure: Failure) -> Standing:
        """Count a part as lost, once; one that took a slot before keeps it. Raises RunNotOpen, Contended."""
        return self._count(run, epoch, member, quorum, failure, may_arrive=False)

    def _count(
        self, run: str, epoch: int, member: Membership, quorum: Quorum, failure: Failure, may_arrive: bool
    ) -> Standing:
        for attempt in range(_TRIES):
            was, arrival = self._read(run, member)
            if was.decided or (arrival is not None and (arrival.slot is not None or arrival.lost is not None)):
                return was
            if may_arrive and arrival is not None and arrival.value is not None:
                decides = quorum.decided(was.taken + 1, was.lost)
                moves = regions.slot_parts(self._table, run, member, was, decides)
            else:
                decides = quorum.decided(was.taken, was.lost + 1)
                moves = regions.loss_parts(self._table, run, member, was, decides, failure)
            if self._moved(run, epoch, member, moves):
                return self.standing(run, member.join)
            self._pause(attempt)
        raise Contended(member.join)

    def _moved(self, run: str, epoch: int, member: Membership, moves: list[Part]) -> bool:
        fence = parts.guard(self._table, run, epoch, f"{member.join}#{member.part}", True)
        try:
            self._store.transact([*moves, fence])
        except Refused as refused:
            if "fence" in refused.found:
                raise RunNotOpen(run) from None
            return False
        return True

    def _read(self, run: str, member: Membership) -> tuple[Standing, Arrival | None]:
        race, arrival = regions.race_key(member.join), regions.arrival_key(member.join, member.part)
        items = {
            item["sk"]["S"]: item for item in self._store.read_items([parts.key(run, race), parts.key(run, arrival)])
        }
        found = items.get(arrival)
        return regions.standing_of(items.get(race)), regions.arrival_of(found) if found else None
