"""The runs table, written (ARCHITECTURE §3, §4). Every write is conditional; `reader` has the listings.

The store says what happened (`runs.errors`), its callers what that means. A write whose reply was lost is repeated by
the SDK and then meets its own result: each write carries an owner, and an own repeated write counts as success.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from loopstep.access.actor import Actor
from loopstep.runs import conditions, keys, parts, regions, waits
from loopstep.runs.errors import (
    ActivationClosed,
    AttemptTaken,
    Contended,
    RegionDecided,
    RunExists,
    RunNotFound,
    RunNotOpen,
    StateMoved,
)
from loopstep.runs.items import Item, activation_of, head_of, state_of, text
from loopstep.runs.records import (
    CANCELLED,
    CREATED,
    RUNNING,
    Activation,
    Attempt,
    Closing,
    Commit,
    Created,
    Head,
    Loaded,
    NewRun,
    RunEnd,
    RunError,
)
from loopstep.runs.transactions import TRIES, Part, Refused, Transactions, put, update
from loopstep.runs.values import AttributeValue, Draft, Values


class RunStore:
    """Writes runs and reads what an activation needs. `client` is a DynamoDB client, `table` the table's name."""

    def __init__(
        self,
        client: Any,
        table: str,
        values: Values,
        random_source: random.Random | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client, self.table, self.values = client, table, values
        self._transactions = Transactions(client, random_source or random.SystemRandom(), sleep)

    # -- runs ----------------------------------------------------------------------------------------------------

    def create_run(self, new: NewRun) -> Created:
        """Put head, state and fences, if no run has this id; status `running` or (held) `created`, epoch 1.

        The same owner, or a digest that is the same and not empty, finds its own run. Raises RunExists otherwise.
        """
        draft = Draft(new.run, keys.HEAD, 1)
        head = parts.new_head(new, draft)
        transaction = [
            put("head", self.table, head, conditions.not_there()),
            put("state", self.table, parts.new_state(new, draft), conditions.not_there()),
            *(parts.fences(self.table, new.run, new.status, 1) if new.fences else ()),
        ]
        self.values.write(draft.objects)
        try:
            self._transactions.run(transaction)
        except Refused as refused:
            found = refused.found.get("head") or self._item(new.run, keys.HEAD)
            mine = found.get("owner") == text(new.owner)
            if not mine and not (new.digest and found.get("digest") == text(new.digest)):
                raise RunExists(head_of(found)) from None
            return Created(head_of(found), mine)
        return Created(head_of(head), True)

    def begin_run(self, run: str, at: str) -> Head:
        """Move a held run from `created` to `running`; one that already runs stays as it is. Returns its head.

        Raises RunNotFound; RunNotOpen for one that has ended.
        """
        found = head_of(self._item(run, keys.HEAD))
        if found.status == CREATED:
            fields = {"status": text(RUNNING), "started_at": text(at)}
            head = update("head", self.table, parts.key(run, keys.HEAD), conditions.run_held(), fields)
            fences = parts.fences(self.table, run, RUNNING, found.epoch) if found.fences else []
            with suppress(Refused):  # somebody else has moved it: what stands now decides
                self._transactions.run([head, *fences])
            found = head_of(self._item(run, keys.HEAD))
        if found.status != RUNNING:
            raise RunNotOpen(run, found.status, found.epoch)
        return found

    def end_run(self, head: Head, end: RunEnd, owner: str) -> None:
        """Give the run its terminal status. Raises RunNotOpen with what stands if it has ended or its epoch is over."""
        self._end(head, end, owner, conditions.run_open(head.epoch))

    def cancel_run(
        self, run: str, at: str, owner: str, message: str = "the run was cancelled", by: Actor | None = None
    ) -> Head:
        """Cancel a run that is created or running: head and fences in one transaction. Returns the head as it was.

        Raises RunNotFound; RunNotOpen with the status that stands if it has ended.
        """
        head = head_of(self._item(run, keys.HEAD))
        end = RunEnd(CANCELLED, at, error=RunError("run.cancelled", message), by=by)
        if head.status == CREATED:
            try:
                self._end(head, end, owner, conditions.run_held())
                return head
            except RunNotOpen as found:
                if found.status != RUNNING:
                    raise
            head = head_of(self._item(run, keys.HEAD))  # it was started between the read and the write
        if head.status != RUNNING:
            raise RunNotOpen(run, head.status, head.epoch)
        self.end_run(head, end, owner)
        return head

    def redrive_run(self, run: str, at: str, owner: str, by: Actor | None = None) -> Head:
        """Begin the next epoch of a run that is failed or timed out, its failure reopened. Returns its head.

        Raises RunNotFound, NothingToReopen; RunNotOpen with the status that stands.
        """
        from loopstep.runs.redrive import Redriver  # no node function does this

        found = head_of(self._item(run, keys.HEAD))
        Redriver(self._client, self.table, self).redrive(found, at, owner, by)
        return head_of(self._item(run, keys.HEAD))

    def renew_run(self, head: Head) -> None:
        """Take the expiry off the items of a redriven run. Raises RunNotOpen where it has ended meanwhile."""
        from loopstep.runs.redrive import Redriver

        Redriver(self._client, self.table, self).renew(head)

    def expire_run(self, head: Head, at: int) -> None:
        """Let an ended run's items expire at this time, seconds since 1970. Raises RunNotOpen for one that runs."""
        from loopstep.runs.expiry import expire_run  # no node function does this

        expire_run(self._client, self.table, self._transactions, head, at)

    def _end(self, head: Head, end: RunEnd, owner: str, condition: dict[str, Any]) -> None:
        draft = Draft(head.run, keys.HEAD, head.epoch)
        transaction = parts.end_parts(self.table, head, end, owner, draft, condition)
        self.values.write(draft.objects)
        try:
            self._transactions.run(transaction)
        except Refused as refused:
            found = refused.found.get("head") or self._item(head.run, keys.HEAD)
            if found.get("ended_by") != text(owner):
                raise RunNotOpen(head.run, found["status"]["S"], int(found["epoch"]["N"])) from None

    # -- activations ---------------------------------------------------------------------------------------------

    def load(self, run: str, activations: Iterable[str], joins: Iterable[str] = ()) -> Loaded:
        """Return head, state, these activations' records and these joins' races by one consistent BatchGetItem."""
        races = {regions.race_key(join): join for join in joins}
        wanted = [keys.HEAD, keys.STATE, *(keys.activation_key(each) for each in dict.fromkeys(activations)), *races]
        items = self.read_items([parts.key(run, each) for each in wanted])
        by_key = {item["sk"]["S"]: item for item in items}
        head, state = by_key.pop(keys.HEAD, None), by_key.pop(keys.STATE, None)
        begun = {races[name]: regions.standing_of(by_key.pop(name)) for name in races if name in by_key}
        records = [activation_of(item) for item in by_key.values()]
        return Loaded(
            head_of(head) if head else None,
            state_of(state) if state else None,
            {record.id: record for record in records},
            begun,
        )

    def read_items(self, wanted: list[dict[str, AttributeValue]]) -> list[Item]:
        """Return the items with these keys, at most 100, in no order; consistent. Raises Contended."""
        request: dict[str, Any] = {self.table: {"Keys": wanted, "ConsistentRead": True}}
        items: list[Item] = []
        for attempt in range(TRIES):
            reply = self._client.batch_get_item(RequestItems=request)
            items += reply["Responses"].get(self.table, [])
            request = reply.get("UnprocessedKeys") or {}
            if not request:
                return items
            self._transactions.pause(attempt)
        raise Contended("read")

    def record_attempt(
        self,
        run: str,
        epoch: int,
        started: Closing,
        attempt: Attempt,
        known: Activation | None,
        fence: bool = False,
        members: Sequence[regions.Membership] = (),
        wait: waits.Wait | None = None,
    ) -> None:
        """Record that an attempt is about to act; the activation is open and shows its input from now on.

        `started` gives node, path, input and arrival; `known` is the record as read, `members` the regions around it.
        With `wait` it asks somebody, and can be answered from now on.
        Raises ActivationClosed, AttemptTaken, RunNotOpen, RegionDecided, Contended, ValueTooLarge.
        """
        draft = Draft(run, started.id, attempt.number)
        region = members[-1].join if members else None
        own = parts.attempt_part(self.table, run, epoch, started, attempt, known, draft, region)
        asking = [waits.asking_part(self.table, wait, draft)] if wait is not None else []
        self.values.write(draft.objects)
        guards = regions.undecided(self.table, run, members, started.id)
        try:
            self._transactions.run([own, parts.guard(self.table, run, epoch, started.id, fence), *guards, *asking])
        except Refused as refused:
            found = self._refused(run, started.id, refused)
            if found.attempts and found.attempts[-1].owner == attempt.owner:
                return
            raise (AttemptTaken(started.id) if found.open else ActivationClosed(found)) from None

    def finish_attempt(
        self, run: str, epoch: int, activation: Activation, attempt: Attempt, fence: bool = False
    ) -> None:
        """Record how an attempt failed while the activation stays open. Raises ActivationClosed, RunNotOpen."""
        own = parts.outcome_part(self.table, run, activation, attempt)
        try:
            self._transactions.run([own, parts.guard(self.table, run, epoch, activation.id, fence)])
        except Refused as refused:
            raise ActivationClosed(self._refused(run, activation.id, refused)) from None

    def keep_usage(self, run: str, activation: Activation, begun: Attempt, ended: Attempt) -> None:
        """Add to an attempt's entry what it used, whatever has become of run and activation; nothing else changes.

        Where the entry is no longer as `begun` wrote it, it stays.
        """
        with suppress(Refused, Contended):
            self._transactions.run([parts.usage_part(self.table, run, activation, begun, ended)])

    def commit(self, commit: Commit) -> None:
        """Write an activation's end and what belongs to it: all or nothing, once.

        Raises ActivationClosed (with the record that stands), RunNotOpen, RegionDecided, StateMoved, Contended;
        ValueTooLarge before anything is written.
        """
        draft = Draft(commit.run, commit.closing.id, commit.attempt.number if commit.attempt else 1)
        transaction = parts.commit_parts(self.table, commit, draft)
        self.values.write(draft.objects)
        try:
            self._transactions.run(transaction)
        except Refused as refused:
            if refused.found.keys() == {"state"}:
                raise StateMoved(commit.closing.id) from None
            if refused.found.keys() == {"message"}:  # sent before a redrive reopened the activation: stored once
                return self.commit(commit._replace(message=None))
            if refused.found.keys() == {"wait"}:  # it has expired, in a run that was redriven after that
                return self.commit(commit._replace(wait=None))
            found = self._refused(commit.run, commit.closing.id, refused)
            if found.owner != commit.owner or found.open:
                raise ActivationClosed(found) from None

    def transact(self, transaction: Sequence[Part]) -> None:
        """Write these parts, all or none. Raises transactions.Refused, Contended."""
        self._transactions.run(transaction)

    def _refused(self, run: str, activation: str, refused: Refused) -> Activation:
        """The record on which a write's condition failed; raises RunNotOpen, RegionDecided where it was theirs.

        The record comes first: an own commit that is repeated after it ended the run finds both closed.
        """
        if "activation" not in refused.found and any(map(regions.is_decided, refused.found)):
            raise RegionDecided(activation) from None
        if "activation" in refused.found or not {"head", "fence"} & refused.found.keys():
            return activation_of(refused.found.get("activation") or self._item(run, keys.activation_key(activation)))
        found = refused.found.get("head") or refused.found.get("fence")
        if not found:
            raise RunNotOpen(run) from None
        status = found.get("status") or found["fence"]
        raise RunNotOpen(run, status["S"], int(found["epoch"]["N"])) from None

    def _item(self, run: str, sort_key: str) -> Item:
        reply = self._client.get_item(TableName=self.table, Key=parts.key(run, sort_key), ConsistentRead=True)
        if "Item" not in reply:
            raise RunNotFound(run)
        item: Item = reply["Item"]
        return item
