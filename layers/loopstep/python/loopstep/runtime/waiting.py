"""An activation that asks somebody outside and waits, under a task token (ARCHITECTURE §3, "A wait for people").

    read ─▶ closed? ─ yes ─▶ its token, or its failure
              │ no
            waiting? ─ yes ─▶ past the end: write `timed_out` · else take the new task token and go on waiting
              │ no
            bindings ─▶ contract ─▶ config ─▶ record the attempt with the wait ─▶ send ─▶ record that it is sent

From the moment the wait is recorded it can be answered, so nobody who hears of it comes too early.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from loopstep.runs.records import RUNNING, WAITING, Activation, Failure, Loaded
from loopstep.runs.values import ValueTooLarge, text_of
from loopstep.runs.wait_store import WaitStore
from loopstep.runs.waits import PENDING, TaskToken, Wait, joins_of, wait_id
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviour import Behaviour, Question, Situation
from loopstep.runtime.failures import NODE_TIMEOUT, VALUE_TOO_LARGE, NodeFailure
from loopstep.runtime.faults import Faults
from loopstep.runtime.observe import Observation
from loopstep.runtime.spec import Spec
from loopstep.runtime.times import Clock, moment, timestamp
from loopstep.runtime.token import Token
from loopstep.runtime.turn import Turn

WAITS: dict[str, Any] = {}  # the reply of an invocation whose activation goes on waiting
LATE = Failure(NODE_TIMEOUT, "no answer came in time")
SWEEP_GRACE = timedelta(seconds=20)  # after a wait's end, in which the engine should have seen to it
_NEARLY = 5.0  # seconds before the end that an invocation sits out: the engine counts from before the function starts


class WaitingTurn(Turn):
    """One try at an activation under a task token."""

    def __init__(
        self,
        behaviour: Behaviour,
        waits: WaitStore,
        clock: Clock,
        owner: str,
        token: Token,
        spec: Spec,
        seen: Observation,
        event: dict[str, Any],
        fresh_id: str,
        sleep: Callable[[float], None],
    ) -> None:
        super().__init__(behaviour, waits.store, clock, owner, token, spec, seen)
        self._waits, self._event, self._fresh_id, self._sleep = waits, event, fresh_id, sleep

    def _spent(self) -> bool:
        return not self._is_waiting() and super()._spent()

    def _is_waiting(self) -> bool:
        return self._record is not None and self._record.status == WAITING and self._record.wait is not None

    def _begin(self, loaded: Loaded) -> dict[str, Any]:
        if self._is_waiting() and self._record is not None and self._record.wait is not None:
            wait = self._waits.get(self._record.wait.id)
            if wait is not None:
                return self._go_on(wait)
        return super()._begin(loaded)

    # -- an invocation that comes again --------------------------------------------------------------------------

    def _go_on(self, wait: Wait) -> dict[str, Any]:
        left = (moment(wait.until) - self._clock()).total_seconds()
        if 0 < left <= _NEARLY:
            self._sleep(left)
            left = (moment(wait.until) - self._clock()).total_seconds()
        if left <= 0:
            self._seen.note(outcome="timed out")
            return self._close_as(LATE, "timed_out")
        again = wait._replace(
            epoch=self._token.epoch,
            token=self._token.to_json(),
            task_token=TaskToken(self._event["taskToken"]),
            due_at=timestamp(moment(wait.until) + SWEEP_GRACE),
        )
        self._waits.renew(again, self._owner, self._spec.fenced, self._members)
        self._seen.note(outcome="waits on")
        return WAITS

    # -- the first one -------------------------------------------------------------------------------------------

    def _perform(self, situation: Situation, ready: Any) -> dict[str, Any]:
        with Faults():
            question = self._behaviour.ask(situation, ready)
        wait = self._asked(question)
        self._start_attempt(wait)
        assert self._record is not None
        began = self._clock()
        self._behaviour.announce(self._situation(), question, wait)
        if self._spec.timeout and (self._clock() - began).total_seconds() > self._spec.timeout:
            raise NodeFailure(NODE_TIMEOUT, "sending took longer than the node's timeout")
        attempt = self._ended(None)
        assert attempt is not None
        self._waits.sent(wait, self._record, attempt, question.message, self._spec.fenced, self._members)
        self._seen.note(outcome=WAITING)
        return WAITS

    def _asked(self, question: Question) -> Wait:
        """The wait of this attempt; a further attempt of the same execution asks under the same id."""
        until = self._now + timedelta(seconds=self._spec.wait, microseconds=999)
        try:
            text, spec = text_of(question.text, "text"), text_of(self._event["spec"], "spec")
        except ValueTooLarge as large:
            raise NodeFailure(VALUE_TOO_LARGE, f"the value of {large} is larger than 5 MiB") from None
        return Wait(
            id=_same(self._record, self._token.epoch) or wait_id(self._token.run, self._fresh_id),
            kind=question.kind,
            status=PENDING,
            node=self._spec.node,
            activation=self._id,
            epoch=self._token.epoch,
            asked_at=timestamp(self._now),
            until=timestamp(until),
            scope=question.scope,
            text=text,
            spec=spec,
            token=self._token.to_json(),
            task_token=TaskToken(self._event["taskToken"]),
            approvers=question.approvers,
            joins=joins_of(self._members),
            output=question.output,
            message=question.message.id if question.message else None,
            thread=question.message is not None and question.message.thread is not None,
            due_at=timestamp(until + SWEEP_GRACE),
        )


def _same(record: Activation | None, epoch: int) -> str | None:
    if record is None or record.wait is None or record.status != RUNNING or record.epoch != epoch:
        return None
    return record.wait.id


class WaitingActivator(Activator):
    """Runs activations under a task token: the reply is empty while an answer is awaited."""

    def __init__(
        self,
        behaviour: Behaviour,
        waits: WaitStore,
        clock: Clock,
        random_source: random.Random,
        sleep: Callable[[float], None],
    ) -> None:
        super().__init__(behaviour, waits.store, clock, random_source, sleep)
        self._waits = waits

    def _turn(
        self,
        event: dict[str, Any],
        owner: str,
        token: Token,
        spec: Spec,
        seen: Observation,
        ends: datetime | None = None,
    ) -> Turn:
        fresh = f"{self._random.getrandbits(128):032x}"
        behaviour, waits, clock = self._behaviour, self._waits, self._clock
        return WaitingTurn(behaviour, waits, clock, owner, token, spec, seen, event, fresh, self._sleep)
