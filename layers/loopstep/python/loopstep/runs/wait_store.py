"""Waits for people, read and written (ARCHITECTURE §3). What closes an activation too is `store.commit`'s."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from loopstep.runs import conditions, keys, parts, regions, waits
from loopstep.runs.errors import ActivationClosed, RegionDecided, RunNotOpen
from loopstep.runs.expiry import is_expired
from loopstep.runs.items import Item, activation_of, number, text
from loopstep.runs.records import Activation, Attempt, Outgoing
from loopstep.runs.regions import Membership
from loopstep.runs.schema import BY_DUE, DUE
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import Part, Refused, update
from loopstep.runs.values import Draft
from loopstep.runs.waits import Wait

_ID = re.compile(waits.ID_FORM)


class WaitStore:
    """Reads waits by their id, their run or their time, and moves them on; every write is conditional.

    `now` gives seconds since 1970: what has expired is not there.
    """

    __slots__ = ("_client", "_now", "store")

    def __init__(self, client: Any, store: RunStore, now: Callable[[], float] = time.time) -> None:
        self._client, self.store, self._now = client, store, now

    # -- reading -------------------------------------------------------------------------------------------------

    def get(self, identity: str) -> Wait | None:
        """The wait of this id by one consistent read, None for any other text."""
        if not _ID.fullmatch(identity):
            return None
        item = self._item(waits.run_of(identity), waits.wait_key(identity))
        return waits.wait_of(item) if item else None

    def activation(self, wait: Wait) -> Activation | None:
        """The record of the activation that waits."""
        item = self._item(wait.run, keys.activation_key(wait.activation))
        return activation_of(item) if item else None

    def pending(self, run: str, join: str | None = None) -> Iterator[Wait]:
        """The open waits of a run, or of those in the region of one join of it; a consistent read."""
        request: dict[str, Any] = {
            "TableName": self.store.table,
            "KeyConditionExpression": "#run = :run AND begins_with(#sk, :prefix)",
            "FilterExpression": "#wait IN (:approval, :callback)",
            "ExpressionAttributeNames": {"#run": "run", "#sk": "sk", "#wait": "wait"},
            "ExpressionAttributeValues": {
                ":run": text(run),
                ":prefix": text(waits.WAIT),
                ":approval": text(waits.index_value(waits.APPROVAL, waits.PENDING)),
                ":callback": text(waits.index_value(waits.CALLBACK, waits.PENDING)),
            },
            "ConsistentRead": True,
        }
        while True:
            page = self._client.query(**request)
            for item in page["Items"]:
                wait = waits.wait_of(item)
                if join is None or join in wait.joins:
                    yield wait
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def due(self, at: str) -> Iterator[tuple[str, str]]:
        """Run and sort key of what the sweeper has to look at up to this time, the longest due first; it may lag."""
        request: dict[str, Any] = {
            "TableName": self.store.table,
            "IndexName": BY_DUE,
            "KeyConditionExpression": "#due = :due AND #due_at <= :at",
            "ExpressionAttributeNames": {"#due": "due", "#due_at": "due_at"},
            "ExpressionAttributeValues": {":due": text(DUE), ":at": text(at)},
        }
        while True:
            page = self._client.query(**request)
            yield from ((item["run"]["S"], item["sk"]["S"]) for item in page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    # -- the function that asks ----------------------------------------------------------------------------------

    def sent(
        self,
        wait: Wait,
        known: Activation,
        attempt: Attempt,
        message: Outgoing | None,
        fence: bool,
        members: tuple[Membership, ...],
    ) -> None:
        """Record that the request is out: from now on the activation only waits. Its message is stored once.

        Raises ActivationClosed, RunNotOpen, RegionDecided, Contended.
        """
        draft, table = Draft(wait.run, wait.activation, attempt.number), self.store.table
        own = parts.sent_part(table, wait.run, known, attempt, wait)
        guards = [
            parts.guard(table, wait.run, wait.epoch, wait.activation, fence),
            *regions.undecided(table, wait.run, members, wait.activation),
        ]
        stored = [] if message is None else [parts.outgoing_part(table, wait, message, draft)]
        self.store.values.write(draft.objects)
        try:
            self._transact(wait, [own, *guards, *stored])
        except _MessageThere:  # sent before, by an activation that a redrive opened again
            self._transact(wait, [own, *guards])

    def renew(self, wait: Wait, owner: str, fence: bool, members: tuple[Membership, ...]) -> None:
        """Take the token of a later invocation, whose execution goes on waiting.

        Raises ActivationClosed, RunNotOpen, RegionDecided, Contended.
        """
        table = self.store.table
        fields = {"owner": text(owner), "epoch": number(wait.epoch)}
        place = parts.key(wait.run, keys.activation_key(wait.activation))
        self._transact(
            wait,
            [
                update("activation", table, place, conditions.activation_open(), fields),
                waits.renewal_part(table, wait),
                parts.guard(table, wait.run, wait.epoch, wait.activation, fence),
                *regions.undecided(table, wait.run, members, wait.activation),
            ],
        )

    # -- the end -------------------------------------------------------------------------------------------------

    def over(self, wait: Wait, status: str, at: str) -> None:
        """Say of an open wait that it is over, because its run or its activation is; nothing if it moved meanwhile."""
        self._quietly(waits.over_part(self.store.table, wait, status, at))

    def delivered(self, wait: Wait) -> None:
        """Say that the engine has heard how the wait ended: the task token goes."""
        self._quietly(waits.delivered_part(self.store.table, wait))

    def postpone(self, wait: Wait, at: str) -> None:
        """Let the sweeper look again at this time."""
        self._quietly(waits.postponed_part(self.store.table, wait, at))

    def mark_region(self, run: str, join: str, at: str) -> None:
        """Let the sweeper end what is awaited in the region of a decided join."""
        self._quietly(regions.due_part(self.store.table, run, join, at))

    def region_swept(self, run: str, join: str) -> None:
        """Nothing is awaited in a decided join's region any more."""
        self._quietly(regions.swept_part(self.store.table, run, join))

    def _quietly(self, part: Part) -> None:
        try:
            self.store.transact([part])
        except Refused:
            return

    def _transact(self, wait: Wait, transaction: list[Part]) -> None:
        try:
            self.store.transact(transaction)
        except Refused as refused:
            raise self._why(wait, refused) from None

    def _why(self, wait: Wait, refused: Refused) -> Exception:
        found = refused.found
        if "activation" in found or found.keys() <= {"wait"}:
            record = self.activation(wait)
            return ActivationClosed(record) if record is not None else RunNotOpen(wait.run)
        if any(map(regions.is_decided, found)):
            return RegionDecided(wait.activation)
        if found.keys() == {"message"}:
            return _MessageThere()
        head = found.get("head")
        return RunNotOpen(wait.run, head["status"]["S"] if head else None)

    def _item(self, run: str, sort_key: str) -> Item | None:
        reply = self._client.get_item(TableName=self.store.table, Key=parts.key(run, sort_key), ConsistentRead=True)
        item: Item | None = reply.get("Item")
        return None if item is None or is_expired(item, self._now()) else item


class _MessageThere(Exception):
    """The message is stored already."""
