"""One try at an activation, from the read to the commit (ARCHITECTURE §3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from loopstep.expressions.evaluate import LOST, NoValue, RangeFault
from loopstep.runs.errors import ActivationClosed, RegionDecided, RunNotOpen
from loopstep.runs.keys import activation_id
from loopstep.runs.records import (
    COMPLETED,
    FAILED,
    RUNNING,
    Activation,
    Attempt,
    Closing,
    Commit,
    Failure,
    Head,
    Loaded,
    RunEnd,
    RunError,
    State,
    StateChange,
    WaitRef,
)
from loopstep.runs.regions import Broken
from loopstep.runs.store import RunStore
from loopstep.runs.values import ValueTooLarge
from loopstep.runs.waits import Wait, WaitEnd
from loopstep.runtime.answer import answer
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.closing import SENTENCES, close_lost, code_of_late, lost_failure, wait_end
from loopstep.runtime.data import RunData
from loopstep.runtime.deadline import Deadline, attempt_end
from loopstep.runtime.edges import Decision, decide
from loopstep.runtime.failures import (
    NODE_CRASHED,
    NODE_TIMEOUT,
    NONE_MATCHED,
    PRECONDITION_MISSING,
    VALUE_TOO_LARGE,
    Failed,
    NodeFailure,
    PlannedFailure,
    Retry,
    sentences,
)
from loopstep.runtime.faults import Faults
from loopstep.runtime.observe import Observation
from loopstep.runtime.region import ALL, brought, item_number, memberships
from loopstep.runtime.shown_names import shown
from loopstep.runtime.spec import NOTHING, Arrival, Reads, Spec
from loopstep.runtime.times import Clock, timestamp
from loopstep.runtime.token import FAILED_PORTS, Token, numbers
from loopstep.runtime.usage import kept
from loopstep.types.conform import conform_fields

_COUNTED = ("model", "calls", "inputTokens", "outputTokens")  # of the models, in a log line
_NO_BINDINGS = Arrival({}, NOTHING)


class Turn:
    """One try at an activation: from the read to the commit."""

    def __init__(
        self,
        behaviour: Behaviour,
        store: RunStore,
        clock: Clock,
        owner: str,
        token: Token,
        spec: Spec,
        seen: Observation,
        ends: datetime | None = None,
    ) -> None:
        self._ends = ends
        self._used: dict[str, Any] | None = None
        self._behaviour, self._store, self._clock, self._owner = behaviour, store, clock, owner
        self._token, self._spec, self._seen = token, spec, seen
        self._path = behaviour.own_path(token, spec)
        self._id = activation_id(spec.node, self._path)
        self._members = memberships(spec, self._path)
        self._edge = token.edge or spec.enter
        self._record: Activation | None = None
        self._source: Activation | None = None
        self._attempt: Attempt | None = None
        self._input: Any = None
        self._lost: tuple[str, ...] = ()
        self._recorded_input = False

    def run(self) -> dict[str, Any]:
        """Return the next token. Raises the store's errors for lost races, Failed and Retry."""
        loaded = self._read()
        if self._record is not None and not self._record.open:
            self._seen.note(outcome="replayed")
            return self._replay(self._record)
        self._now = self._clock()
        self._head, self._state = self._running(loaded)
        if any(standing.decided for standing in loaded.races.values()):
            raise RegionDecided(self._id)
        self._data = RunData(self._store.values, self._head, self._state)
        self._own_data: dict[str, Any] = {}
        if self._spec.route or self._spent():
            return self._close_lost()
        return self._begin(loaded)

    def _begin(self, loaded: Loaded) -> dict[str, Any]:
        source = self._source = self._closed_source(loaded)
        try:
            try:
                return self._go(source, loaded)
            except NodeFailure as failure:
                return self._failed(failure)
        except (ActivationClosed, RunNotOpen, RegionDecided) as late:
            self._keep_usage(code_of_late(late))
            raise

    # -- read ----------------------------------------------------------------------------------------------------

    def _read(self) -> Loaded:
        earlier = self._behaviour.earlier(self._token, self._spec)
        wanted = [each for each in (self._id, self._token.source, earlier) if each is not None]
        loaded = self._store.load(self._token.run, wanted, [member.join for member in self._members])
        self._record = loaded.activations.get(self._id)
        if loaded.head is not None:
            self._seen.note(plan=loaded.head.plan, version=loaded.head.version)
        return loaded

    def _replay(self, record: Activation) -> dict[str, Any]:
        if self._spec.route and record.status == COMPLETED:
            raise self._contradiction(record)
        return answer(self._behaviour, self._token, self._spec, record)

    def _running(self, loaded: Loaded) -> tuple[Head, State]:
        head = loaded.head
        if head is None or loaded.state is None:
            raise RunNotOpen(self._token.run)
        if head.status != RUNNING or head.epoch != self._token.epoch:
            raise RunNotOpen(head.run, head.status, head.epoch)
        return head, loaded.state

    def _closed_source(self, loaded: Loaded) -> Activation | None:
        """The activation left, closed first where a Catch led here before its function did."""
        token = self._token
        if token.source is None:
            return None
        source = loaded.activations.get(token.source)
        if source is not None and not source.open:
            if source.status == COMPLETED and token.port in FAILED_PORTS:
                raise self._contradiction(source)
            return source
        if token.port not in FAILED_PORTS:
            raise RuntimeError("the activation left has no outcome")
        return close_lost(
            self._store,
            token.run,
            token.epoch,
            (token.node, token.left),
            source,
            (token.port, Decision(token.edge or None, None)),
            lost_failure(source, token.epoch, self._now),
            self._now,
            self._owner,
        )

    def _contradiction(self, record: Activation) -> Failed:
        """The engine saw every invocation of a node die, and yet one had committed its completion.

        Its `failed` edge must not be walked: the node did what it should. The run fails, and a redrive goes on from the
        recorded token.
        """
        head = self._store.load(self._token.run, ()).head
        if head is not None and head.status == RUNNING and head.epoch == self._token.epoch:
            error = RunError(NODE_CRASHED, "the node's replies were lost", record.node, record.id)
            end = RunEnd(FAILED, timestamp(self._clock()), error=error)
            self._store.end_run(head, end, self._owner)
        return Failed(NODE_CRASHED, record.id)

    # -- act -----------------------------------------------------------------------------------------------------

    def _go(self, source: Activation | None, loaded: Loaded) -> dict[str, Any]:
        self._input = self._checked(self._bound(source, loaded))
        situation = self._situation()
        with Faults():
            ready = self._behaviour.ready(situation)
        return self._perform(situation, ready)

    def _perform(self, situation: Situation, ready: Any) -> dict[str, Any]:
        if self._behaviour.acts_outside:
            self._start_attempt()
            situation = self._situation()
        with Faults():
            effect = self._behaviour.act(situation, ready)
            self._used = effect.usage
            if self._spec.timeout and (self._clock() - self._now).total_seconds() > self._spec.timeout:
                raise NodeFailure(NODE_TIMEOUT, SENTENCES[NODE_TIMEOUT])
            return self._leave(effect)

    def _leave(self, effect: Effect) -> dict[str, Any]:
        data = self._exit_data(effect)
        decision = decide(self._spec, effect.port, data) if effect.port is not None else Decision(None, None)
        return self._completed(effect, decision, data)

    def _bound(self, source: Activation | None, loaded: Loaded) -> dict[str, Any]:
        """The input as the arriving edge binds it; an absent source leaves its field as it was."""
        arrival = self._spec.arrivals.get(self._edge, _NO_BINDINGS)
        earlier = self._behaviour.earlier(self._token, self._spec)
        kept = loaded.activations.get(earlier) if earlier is not None else None
        reads = arrival.reads
        self._data.fetch(reads.union(_of_run(self._spec.own_reads)), source, kept)
        values = dict(self._data.value(kept.input) or {}) if kept is not None else {}
        data = self._data.roots(reads, numbers(self._token.left)) | self._data.left(reads, source)
        if reads.item and source is not None:
            data["item"] = self._data.element(source, item_number(self._token.path, self._token.left))
        lost: list[NoValue] = []
        data[LOST] = lost
        for field, binding in arrival.bindings.items():
            with Faults(field, self._spec.preconditions, shown(field, self._spec.fields)):
                value = binding(data)
            if value is not None:
                values[field] = value
            while lost:
                self._lost += (f"{shown(field, self._spec.fields)} is left out: {lost.pop().said}",)
        return values

    def _checked(self, values: dict[str, Any]) -> dict[str, Any]:
        self._input = values
        if not self._behaviour.checks_input(self._token, self._spec):
            return values
        checked, problems = conform_fields(values, self._spec.fields)
        if problems:
            raise NodeFailure(self._behaviour.contract_code(self._spec), sentences(problems))
        missing = [name for name in self._spec.preconditions if checked.get(name) is None]
        if missing:
            listed = ", ".join(shown(name, self._spec.fields) for name in missing)
            raise NodeFailure(PRECONDITION_MISSING, f"missing: {listed}")
        return checked

    def _situation(self) -> Situation:
        spec = self._spec
        self._own_data = self._data.roots(spec.own_reads, numbers(self._path)) | {"input": self._input}
        now = timestamp(self._now)
        attempts = self._record.attempts if self._record else ()
        return Situation(
            self._token,
            spec,
            self._head,
            self._path,
            self._input,
            self._own_data,
            self._state,
            now,
            attempts[0].started_at if attempts else now,
            self._id,
            self._source,
            Deadline(self._clock, self._ends, attempt_end(self._now, spec.timeout)),
            self._lost,
        )

    def _exit_data(self, effect: Effect) -> dict[str, Any]:
        """What the conditions of the exits read: the state as this activation's commit leaves it."""
        data = self._own_data
        return data | {"output": effect.output or {}, "state": data["state"] | effect.state}

    def _spent(self) -> bool:
        if not self._behaviour.acts_outside or self._record is None:
            return False
        return len(self._record.attempts_in(self._token.epoch)) >= self._spec.attempts

    def _start_attempt(self, wait: Wait | None = None) -> None:
        known, epoch = self._record, self._token.epoch
        count = len(known.attempts_in(epoch)) if known else 0
        now = timestamp(self._now)
        attempt = Attempt(count + 1, epoch, now, self._owner, self._spec.timeout)
        asked = WaitRef(wait.kind, wait.id) if wait else None
        started, fenced = self._closing(RUNNING)._replace(wait=asked), self._spec.fenced
        self._store.record_attempt(self._token.run, epoch, started, attempt, known, fenced, self._members, wait)
        base = known or Activation(self._spec.node, self._path, RUNNING, epoch, now)
        self._record = base._replace(attempts=(*base.attempts, attempt), wait=asked)
        self._attempt, self._recorded_input = attempt, True
        self._seen.note(attempt=attempt.number)

    # -- commit --------------------------------------------------------------------------------------------------

    def _completed(self, effect: Effect, decision: Decision, data: dict[str, Any]) -> dict[str, Any]:
        closing = self._closing(COMPLETED)._replace(
            output=effect.output,
            port=effect.port,
            edge=decision.edge,
            seen=decision.seen,
            read=decision.read,
            until=effect.until,
            items=effect.items,
        )
        unmatched = effect.port is not None and decision.edge is None
        none = Failure(NONE_MATCHED, f"no edge of the port {effect.port} matched") if unmatched else None
        change = StateChange(self._state, effect.state) if effect.state else None
        try:
            left = self._left(closing, data, none)
            self._commit(closing, change=change, message=effect.message, end=effect.end, **left)
        except ValueTooLarge as large:
            raise NodeFailure(VALUE_TOO_LARGE, f"the value of {large} is larger than 5 MiB") from None
        self._seen.note(outcome=COMPLETED, port=effect.port, edge=decision.edge)
        return answer(self._behaviour, self._token, self._spec, _record_of(closing))

    def _failed(self, failure: NodeFailure) -> dict[str, Any]:
        """Close as failed, or leave a retryable failure to the next attempt. Always raises, but on a route."""
        self._seen.note(code=failure.code)
        self._used = failure.usage or self._used
        if failure.retryable and self._attempt is not None and self._record is not None and not self._last_attempt():
            ended = self._ended(failure.code)
            assert ended is not None
            self._store.finish_attempt(self._token.run, self._token.epoch, self._record, ended, self._spec.fenced)
            raise Retry(failure.code, self._id)
        port = None if isinstance(failure, PlannedFailure) else "failed"
        closing, left = self._failed_closing(Failure(failure.code, failure.message), port)
        try:
            self._commit(closing, code=failure.code, **left)
        except ValueTooLarge:
            self._commit(closing._replace(input=None), code=failure.code, **left)
        return answer(self._behaviour, self._token, self._spec, _record_of(closing))

    def _close_lost(self) -> dict[str, Any]:
        """No attempt is left, or the engine gave up: the record is closed, whatever its function is doing."""
        failure = lost_failure(self._record, self._token.epoch, self._now)
        self._seen.note(code=failure.code)
        return self._close_as(failure, self._spec.route or "failed")

    def _close_as(self, failure: Failure, port: str) -> dict[str, Any]:
        """Close a record as failed through this port, with the input that it has. Raises, but on a route."""
        self._restore()
        closing, left = self._failed_closing(failure, port)
        self._commit(closing, **left)
        return answer(self._behaviour, self._token, self._spec, _record_of(closing))

    def _restore(self) -> None:
        """Take the input from the record: what the bindings would give today may differ."""
        self._data.fetch(_of_run(self._spec.own_reads), self._record, None)
        self._input = self._data.value(self._record.input) if self._record else None
        self._recorded_input = True
        self._situation()

    def _failed_closing(self, failure: Failure, port: str | None = "failed") -> tuple[Closing, dict[str, Any]]:
        if not self._own_data:
            self._own_data = self._data.roots(self._spec.own_reads, numbers(self._path))
        data = self._own_data | {
            "input": self._input or {},
            "error": {"code": failure.code, "message": failure.message},
        }
        try:
            decision = decide(self._spec, port or "failed", data)
        except (NoValue, RangeFault):
            decision = Decision(None, None)  # the failure counts as unhandled and keeps its code
        closing = self._closing(FAILED)._replace(
            error=failure, port=port, edge=decision.edge, seen=decision.seen, read=decision.read
        )
        return closing, self._left(closing, data, _unhandled(failure, port) if decision.edge is None else None)

    def _left(self, closing: Closing, data: dict[str, Any], unhandled: Failure | None) -> dict[str, Any]:
        """What the innermost region hears of it: an arrival at its join, or a failure that nothing handles."""
        if not self._members:
            return {}
        member = self._members[-1]
        arrival = brought(self._spec, member, closing.edge, data)
        failure, node = (unhandled, closing.node)
        if arrival is not None and arrival.failure is not None:
            failure, node = arrival.failure, member.join.partition("#")[0]
        broken = None
        if failure is not None and member.mode == ALL:
            broken = Broken(member.join, failure, node, closing.id)
        return {"brought": arrival, "broken": broken}

    def _closing(self, status: str) -> Closing:
        return Closing(
            node=self._spec.node,
            path=self._path,
            status=status,
            started_at=timestamp(self._now),
            ended_at=timestamp(self._clock()),
            input=None if self._recorded_input else self._input,
            source=self._token.source,
            arrived_by=self._edge,
        )

    def _commit(self, closing: Closing, code: str | None = None, **parts: Any) -> None:
        commit = Commit(
            self._token.run,
            self._token.epoch,
            self._owner,
            closing,
            self._record,
            self._ended(code),
            self._spec.fenced,
            head=self._head,
            members=self._members,
            wait=self._wait_end(closing),
            **parts,
        )
        self._store.commit(commit)
        if closing.status == FAILED:
            self._seen.count("FailedActivations")

    def _wait_end(self, closing: Closing) -> WaitEnd | None:
        """What the activation waits for ends with it."""
        return wait_end(self._record, closing.port, closing.ended_at)

    def _ended(self, code: str | None) -> Attempt | None:
        if self._attempt is None:
            return None
        before = self._record.attempts[:-1] if self._record else ()
        usage = kept(self._used, before)
        if usage is not None:
            self._seen.note(usage={name: usage[name] for name in _COUNTED if name in usage})
            self._seen.count("ModelTokens", usage.get("inputTokens", 0) + usage.get("outputTokens", 0))
        return self._attempt._replace(ended_at=timestamp(self._clock()), code=code, usage=usage)

    def _keep_usage(self, code: str | None) -> None:
        """What was used is kept, though what it was used for came too late: the run is over, or closed without it."""
        if self._used is not None and self._attempt is not None and self._record is not None:
            ended = self._ended(code)
            assert ended is not None
            self._store.keep_usage(self._token.run, self._record, self._attempt, ended)

    def _last_attempt(self) -> bool:
        return self._attempt is not None and self._attempt.number >= self._spec.attempts


def _unhandled(failure: Failure, port: str | None) -> Failure:
    """What a part fails of where no edge takes the failure on: a wait that nobody answered is none by itself."""
    return Failure(NONE_MATCHED, f"no edge of the port {port} matched") if port == "timed_out" else failure


def _of_run(reads: Reads) -> Reads:
    """What a node's own trees read of the run; `input` and `output` there are its own and at hand."""
    return reads._replace(input=False, output=False)


def _record_of(closing: Closing) -> Activation:
    """The record that a closing makes, as far as its token needs it."""
    return Activation(
        closing.node,
        closing.path,
        closing.status,
        0,
        closing.started_at,
        error=closing.error,
        port=closing.port,
        edge=closing.edge,
        seen=closing.seen,
        item_count=None if closing.items is None else len(closing.items),
        until=closing.until,
    )
