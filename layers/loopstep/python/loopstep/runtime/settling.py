"""Ending a wait: by an answer, by its end, or because nobody may answer any more (ARCHITECTURE §3).

Whoever ends it closes the activation with the runtime's own code, in one conditional transaction, and then tells the
engine under the token that stands in the wait afterwards. Where the telling fails the sweeper repeats it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from loopstep.access.actor import Actor
from loopstep.gateways.task_answers import NotAnswered, TaskAnswers
from loopstep.runs.errors import ActivationClosed, RegionDecided, RunNotOpen
from loopstep.runs.records import RUNNING, Activation, Closing, Failure, Outgoing
from loopstep.runs.wait_store import WaitStore
from loopstep.runs.waits import ENDED, TIMED_OUT, Wait, WaitEnd
from loopstep.runtime.answer import answer
from loopstep.runtime.behaviour import Behaviour, Effect
from loopstep.runtime.closing import close_lost
from loopstep.runtime.data import RunData
from loopstep.runtime.edges import Decision
from loopstep.runtime.failures import REGION_DECIDED, Failed, NodeFailure, TimedOut
from loopstep.runtime.faults import Faults
from loopstep.runtime.observe import Observation
from loopstep.runtime.spec import Spec, Specs
from loopstep.runtime.times import Clock, timestamp
from loopstep.runtime.token import Token
from loopstep.runtime.turn import Turn
from loopstep.runtime.waiting import LATE

_BEHAVIOUR = Behaviour()
_SPECS = Specs(lambda data: None, lambda data: frozenset())
_LOST = Failure(REGION_DECIDED, "the join was decided without this part")


class Outcome(NamedTuple):
    """How a wait ends: its new status, what was answered, and what that makes of the activation."""

    status: str
    leaves: Effect | Failure
    answer: Any = None
    claimed: bool = False
    caller: Actor | None = None


class _Closing(Turn):
    """A turn that begins with the answer instead of an invocation."""

    def __init__(self, waits: WaitStore, clock: Clock, owner: str, token: Token, spec: Spec, wait: Wait) -> None:
        super().__init__(_BEHAVIOUR, waits.store, clock, owner, token, spec, Observation())
        self._wait = wait
        self._outcome: Outcome | None = None

    def close(self, outcome: Outcome) -> None:
        """Close the activation. Raises ActivationClosed, RunNotOpen, RegionDecided, Contended."""
        self._outcome = outcome
        loaded = self._read()
        record = self._record
        if record is None:
            raise RunNotOpen(self._token.run)
        if not record.open or record.wait is None or record.wait.id != self._wait.id:
            raise ActivationClosed(record)
        self._now = self._clock()
        self._head, self._state = self._running(loaded)
        if any(standing.decided for standing in loaded.races.values()):
            raise RegionDecided(self._id)
        self._data, self._own_data = RunData(self._store.values, self._head, self._state), {}
        self._restore()
        # What the closing says to an engine is told by `deliver`, from the record.
        with suppress(Failed, TimedOut):
            self._finish(outcome)

    def _finish(self, outcome: Outcome) -> None:
        if isinstance(outcome.leaves, Failure):
            port = "timed_out" if outcome.status == TIMED_OUT else "failed"
            self._close_as(outcome.leaves, port)
            return
        try:
            with Faults():
                self._leave(outcome.leaves)
        except NodeFailure as failure:  # an exit's condition that cannot be worked out
            self._close_as(Failure(failure.code, failure.message), "failed")

    def _commit(self, closing: Closing, code: str | None = None, **parts: Any) -> None:
        super()._commit(closing, code, **{**parts, "message": self._unsent()})

    def _unsent(self) -> Outgoing | None:
        """The message of a wait that ends before its function could record that it is sent: stored with the end."""
        wait, record = self._wait, self._record
        if wait.message is None or record is None or record.status != RUNNING:
            return None
        text: str = self._store.values.read(wait.text)
        return Outgoing(
            wait.message, wait.scope, text, record.attempts[0].started_at, wait.message if wait.thread else None
        )

    def _wait_end(self, closing: Closing) -> WaitEnd | None:
        assert self._outcome is not None
        status, _, given, claimed, caller = self._outcome
        return WaitEnd(self._wait.kind, self._wait.id, status, closing.ended_at, given, claimed, caller)


class Settler:
    """Ends waits and delivers how they ended. Clock and ids of invocations are handed in."""

    def __init__(self, waits: WaitStore, answers: TaskAnswers, clock: Clock, new_owner: Callable[[], str]) -> None:
        self.waits, self._answers, self._clock, self._new_owner = waits, answers, clock, new_owner

    def settle(self, wait: Wait, outcome: Outcome) -> tuple[Wait, bool]:
        """End an open wait and tell the engine. Returns the wait as it then stands, and whether that is by this call.

        Raises Contended; NotAnswered never: what is recorded is delivered later.
        """
        mine = self._close(wait, outcome)
        with suppress(NotAnswered):
            self.deliver(wait)
        return self.waits.get(wait.id) or wait._replace(status=ENDED), mine

    def time_out(self, wait: Wait) -> None:
        """End a wait whose time is over. Raises Contended, NotAnswered."""
        self._close(wait, Outcome(TIMED_OUT, LATE))
        self.deliver(wait)

    def lose(self, wait: Wait, for_good: bool) -> None:
        """End the wait of a part without which a join was decided. Raises Contended, NotAnswered.

        `for_good`: the join took others first, and the activation is closed. Where a failure decided it (mode all) the
        activation stays open, for a redrive may take the failure back and the person be asked still.
        """
        record = self.waits.activation(wait)
        now = self._clock()
        if for_good and record is not None and record.open and record.wait is not None and record.wait.id == wait.id:
            place, left = (record.node, record.path), ("failed", Decision(None, None))
            with suppress(RunNotOpen):
                close_lost(self.waits.store, wait.run, wait.epoch, place, record, left, _LOST, now, self._new_owner())
        self.waits.over(wait, ENDED, timestamp(now))
        self.deliver(wait)

    def lose_region(self, run: str, epoch: int, join: str, for_good: bool, hurry: Callable[[], bool]) -> bool:
        """End what is awaited in a decided join's region in this epoch; False where the time was over before the end.

        Raises Contended, NotAnswered.
        """
        for wait in self.waits.pending(run, join):
            if hurry():
                return False
            if wait.epoch == epoch:
                self.lose(wait, for_good)
        return True

    def deliver(self, wait: Wait) -> None:
        """Tell the engine how a wait ended, under the token that stands now; nothing where it is open.

        Raises NotAnswered.
        """
        found = self.waits.get(wait.id)
        if found is None or found.pending:
            return
        if found.task_token:
            self._tell(found, self.waits.activation(found))
        if found.due_at is not None:
            self.waits.delivered(found)

    def _close(self, wait: Wait, outcome: Outcome) -> bool:
        token, spec = Token.from_json(wait.token), _SPECS.read(self.waits.store.values.read(wait.spec))
        try:
            _Closing(self.waits, self._clock, self._new_owner(), token, spec, wait).close(outcome)
        except ActivationClosed as closed:
            # Somebody was quicker: with an answer, which then stands in the wait, or by closing the activation alone.
            mine = closed.found.wait is not None and closed.found.wait.id == wait.id
            late = mine and closed.found.port == "timed_out"
            self.waits.over(wait, TIMED_OUT if late else ENDED, timestamp(self._clock()))
            return False
        except RunNotOpen:
            self.waits.over(wait, ENDED, timestamp(self._clock()))
            return False
        except RegionDecided:
            with suppress(NotAnswered):
                self.lose(wait, self._is_race(wait))
            return False
        return True

    def _is_race(self, wait: Wait) -> bool:
        """Whether a join around it was decided by arrivals, not by a failure."""
        races = self.waits.store.load(wait.run, (), wait.joins).races.values()
        return any(standing.decided and standing.failure is None for standing in races)

    def _tell(self, wait: Wait, record: Activation | None) -> None:
        if record is None or record.open:
            self._answers.fail(wait.task_token, Failed.__name__, f"{REGION_DECIDED} {wait.activation}")
            return
        spec = _SPECS.read(self.waits.store.values.read(wait.spec))
        try:
            reply = answer(_BEHAVIOUR, Token.from_json(wait.token), spec, record)
        except (Failed, TimedOut) as told:
            self._answers.fail(wait.task_token, type(told).__name__, str(told))
        else:
            self._answers.succeed(wait.task_token, reply)
