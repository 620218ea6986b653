"""Writing a redrive: what is reopened, then the run's next epoch (ARCHITECTURE §3, "Redrive is replay").

All of it is one transaction where that has room. Else the records come first, in transactions that each check that the
run has ended in the epoch read, and the head last: interrupted in between, the run is still failed, and the next
redrive finds the same to reopen, since a reopened record keeps its source and the port it left through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from loopstep.access.actor import Actor
from loopstep.runs import conditions, keys, parts, regions
from loopstep.runs.errors import NothingToReopen, RunNotOpen
from loopstep.runs.items import Item, head_of, number, text
from loopstep.runs.records import FAILED, REOPENED, RUNNING, TIMED_OUT, Head
from loopstep.runs.regions import ARRIVAL, RACE
from loopstep.runs.reopening import Coming, Reopening, find, records_of
from loopstep.runs.schema import TTL_ATTRIBUTE
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import Part, Refused, check, delete, update

MOST = 100  # parts of a transaction, AWS
_READ_AT_ONCE = 50
_THERE = {"ConditionExpression": "attribute_exists(#run)", "ExpressionAttributeNames": {"#run": "run"}}

# What stays of a reopened activation: who it is, how it was reached, its attempts (and with them its message's id).
_KEPT = {
    "run",
    "sk",
    "node",
    "path",
    "began_at",
    "attempts",
    "input",
    "source",
    "arrived_by",
    "epoch",
    "region",
    "owner",
}
_ENDING = ("ended_at", "ended_by", "output", "error", TTL_ATTRIBUTE)


class Redriver:
    """Redrives runs of one table. `client` is a DynamoDB client."""

    __slots__ = ("_client", "_store", "_table")

    def __init__(self, client: Any, table: str, store: RunStore) -> None:
        self._client, self._table, self._store = client, table, store

    def redrive(self, head: Head, at: str, owner: str, by: Actor | None = None) -> None:
        """Set a run that is failed or timed out to running, its epoch one higher, its failure reopened.

        Raises NothingToReopen; RunNotOpen with what stands where somebody else has moved it.
        """
        if head.status not in (FAILED, TIMED_OUT):
            raise RunNotOpen(head.run, head.status, head.epoch)
        reopening = self._reopening(head)
        if reopening is None:
            raise NothingToReopen(head.run)
        atoms = [*self._activations(head.run, reopening), *self._regions(head.run, reopening)]
        begun = [self._begun(head, at, owner, by), *self._fences(head)]
        together = [part for atom in atoms for part in atom]
        if len(together) + len(begun) <= MOST:
            self._move(head, owner, [*begun, *together])
            return
        guard = check("head", self._table, parts.key(head.run, keys.HEAD), conditions.run_stuck(head.epoch))
        for chunk in _chunks(atoms, MOST - 1):
            self._move(head, owner, [guard, *chunk])
        self._move(head, owner, begun)

    def renew(self, head: Head) -> None:
        """Take the expiry off the items of a run that runs again. Doing it again changes nothing.

        Raises RunNotOpen where the run has ended meanwhile: then they have a new one, or get it.
        """
        guard = check("head", self._table, parts.key(head.run, keys.HEAD), conditions.run_open(head.epoch))
        for page in self._expiring(head.run):
            kept = [self._update(head.run, each["sk"]["S"], {}, (TTL_ATTRIBUTE,)) for each in page]
            self._move(head, "", [guard, *kept])
        place = parts.key(head.run, keys.HEAD)
        done = update("head", self._table, place, conditions.run_open(head.epoch), {}, remove=("renewing",))
        self._move(head, "", [done])

    # -- what is reopened ----------------------------------------------------------------------------------------

    def _reopening(self, head: Head) -> Reopening | None:
        """Without an activation in its error the run was ended from outside: what was open goes on."""
        if head.error is None or head.error.activation is None:
            return Reopening()
        items = (item for kind in (keys.ACTIVATION, RACE, ARRIVAL) for item in self._query(head.run, kind))
        return find(records_of(items), head.error.activation)

    def _activations(self, run: str, reopening: Reopening) -> Iterator[list[Part]]:
        places = [keys.activation_key(each) for each in reopening.activations]
        for start in range(0, len(places), _READ_AT_ONCE):
            wanted = [parts.key(run, each) for each in places[start : start + _READ_AT_ONCE]]
            for item in self._store.read_items(wanted):
                if item["act_status"]["S"] != REOPENED:
                    yield [self._reopened(run, item)]

    def _reopened(self, run: str, item: Item) -> Part:
        fields = {"act_status": text(REOPENED)}
        if "port" in item:
            fields["left"] = item["port"]
        gone = sorted(item.keys() - _KEPT - fields.keys())
        return self._update(run, item["sk"]["S"], fields, gone)

    def _regions(self, run: str, reopening: Reopening) -> Iterator[list[Part]]:
        """Arrivals before races: a race is reset when nothing is counted any more that must not be."""
        for each in reopening.arrivals:
            yield [self._arrival(run, each, reopening)]
        for join, (taken, lost) in reopening.races.items():
            yield regions.reset_parts(self._table, run, join, taken, lost)

    def _arrival(self, run: str, arrival: Coming, reopening: Reopening) -> Part:
        """One that brought a value and was lost afterwards arrives again with it."""
        source = (arrival.source or "").partition("/")[0]
        if arrival.value and arrival.lost and source not in reopening.activations:
            return self._update(run, arrival.key, {}, ("why", "lost_by"))
        return delete(f"arrival {arrival.key}", self._table, parts.key(run, arrival.key))

    # -- the next epoch ------------------------------------------------------------------------------------------

    def _begun(self, head: Head, at: str, owner: str, by: Actor | None) -> Part:
        fields = {
            "status": text(RUNNING),
            "epoch": number(head.epoch + 1),
            "redriven_at": text(at),
            "redriven_by": text(owner),
            "renewing": number(1),
            **({"redrive_asked_by": text(by.to_text())} if by else {}),
        }
        place = parts.key(head.run, keys.HEAD)
        gone = _ENDING if by else (*_ENDING, "redrive_asked_by")
        return update("head", self._table, place, conditions.run_stuck(head.epoch), fields, remove=gone)

    def _fences(self, head: Head) -> list[Part]:
        return parts.fences(self._table, head.run, RUNNING, head.epoch + 1) if head.fences else []

    def _move(self, head: Head, owner: str, transaction: Sequence[Part]) -> None:
        try:
            self._store.transact(transaction)
        except Refused as refused:
            found = refused.found.get("head")
            if found is None:
                raise RunNotOpen(head.run) from None
            if not owner or found.get("redriven_by") != text(owner):
                stands = head_of(found)
                raise RunNotOpen(head.run, stands.status, stands.epoch) from None

    # -- items ---------------------------------------------------------------------------------------------------

    def _update(self, run: str, key: str, fields: dict[str, Any], removed: Sequence[str]) -> Part:
        return update(key, self._table, parts.key(run, key), _THERE, fields, remove=removed)

    def _expiring(self, run: str) -> Iterator[list[Item]]:
        page: list[Item] = []
        for item in self._query(run, "", f"attribute_exists({TTL_ATTRIBUTE})"):
            page.append(item)
            if len(page) == MOST - 1:
                yield page
                page = []
        if page:
            yield page

    def _query(self, run: str, prefix: str, condition: str | None = None) -> Iterator[Item]:
        names = {"#run": "run", "#sk": "sk", "#act": "act_status", "#port": "port", "#left": "left", "#edge": "edge"}
        more = ("source", "failure", "lost_by", "why", "slot", "value", "need", "total")
        names |= {f"#{name}": name for name in more}
        request: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "#run = :run",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {":run": text(run)},
            "ProjectionExpression": ", ".join(names),
            "ConsistentRead": True,
        }
        if prefix:
            request["KeyConditionExpression"] += " AND begins_with(#sk, :prefix)"
            request["ExpressionAttributeValues"][":prefix"] = text(prefix)
        if condition:
            request["FilterExpression"] = condition
        while True:
            reply = self._client.query(**request)
            yield from reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def _chunks(atoms: Sequence[list[Part]], most: int) -> Iterator[list[Part]]:
    """The atoms in order, as many together as a transaction takes; none is split."""
    chunk: list[Part] = []
    for atom in atoms:
        if len(chunk) + len(atom) > most:
            yield chunk
            chunk = []
        chunk = [*chunk, *atom]
    if chunk:
        yield chunk
