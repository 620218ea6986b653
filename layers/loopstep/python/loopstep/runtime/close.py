"""Ending a run whose plan did not end it: an unhandled failure, or an end by the engine (ARCHITECTURE §2, §3)."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

from loopstep.runs.errors import RunNotFound, RunNotOpen
from loopstep.runs.keys import run_of_execution
from loopstep.runs.reader import RunReader
from loopstep.runs.records import (
    CANCELLED,
    COMPLETED,
    FAILED,
    RUNNING,
    TIMED_OUT,
    Activation,
    Head,
    RunEnd,
    RunError,
)
from loopstep.runs.store import RunStore
from loopstep.runs.wait_store import WaitStore
from loopstep.runs.waits import ENDED
from loopstep.runtime.closing import close_lost, lost_failure
from loopstep.runtime.edges import Decision
from loopstep.runtime.failures import NODE_CRASHED, NONE_MATCHED, RUN_CANCELLED, RUN_CLOSED, RUN_TIMEOUT
from loopstep.runtime.observe import Observation
from loopstep.runtime.times import Clock, timestamp
from loopstep.runtime.token import FAILED_PORTS, Token

RUN_TOO_LONG = "the run took longer than the plan's timeout"
_METRICS = {"SUCCEEDED": "RunsSucceeded", "FAILED": "RunsFailed", "TIMED_OUT": "RunsTimedOut", "ABORTED": "RunsStopped"}
_ENDED_BY_ENGINE = {
    "TIMED_OUT": (TIMED_OUT, RUN_TIMEOUT, RUN_TOO_LONG),
    "ABORTED": (CANCELLED, RUN_CANCELLED, "the execution was stopped"),
}


class RunCloser(NamedTuple):
    """Closes runs; an ended run, or one that is in another epoch by now, stays as it is."""

    store: RunStore
    reader: RunReader
    clock: Clock
    random_source: random.Random
    keep_days: int = 0  # how long an ended run stays readable; 0: for ever
    waits: WaitStore | None = None  # whose open ones end with their run

    def __call__(self, event: dict[str, Any]) -> dict[str, Any]:
        """Answer `{"token"}` of the machine's `run.failed` Task, or an execution status event of EventBridge.

        Returns `{"code"}`, the code that the run failed with; for an event None where there was nothing to close.
        """
        seen = Observation(level="INFO", function="close_run")
        try:
            token = _token_of(event["token"]) if "token" in event else None
            code = self.close_failed(token, seen) if token else self.close_ended(event["detail"], seen)
            seen.note(code=code)
        except Exception as error:
            seen.note(level="ERROR", error=type(error).__name__)
            raise
        finally:
            seen.write()
        return {"code": code}

    # -- the `run.failed` Task -----------------------------------------------------------------------------------

    def close_failed(self, token: Token, seen: Observation) -> str:
        """Close the run that a token's activation failed, its record first if that is open. Returns the code."""
        seen.note(run=token.run, node=token.node)
        loaded = self.store.load(token.run, [token.source] if token.source else [])
        head = loaded.head
        if head is None or head.status != RUNNING or head.epoch != token.epoch:
            return _code_that_stands(head)
        source = loaded.activations.get(token.source or "")
        try:
            if source is None or source.open:
                source = self._close_lost(token, source)
            error = _error_of(source, token.port)
            self.store.end_run(head, self._end(FAILED, error), self._owner())
        except RunNotOpen:
            return _code_that_stands(self.store.load(token.run, ()).head)
        return error.code

    def _close_lost(self, token: Token, source: Activation | None) -> Activation:
        now = self.clock()
        failure = lost_failure(source, token.epoch, now)
        left = (token.port or "failed", Decision(None, None))
        place = (token.node, token.left)
        return close_lost(self.store, token.run, token.epoch, place, source, left, failure, now, self._owner())

    # -- execution status events ---------------------------------------------------------------------------------

    def close_ended(self, detail: dict[str, Any], seen: Observation) -> str | None:
        """Close a run that still runs in the epoch whose execution has ended. Returns the code, None for nothing."""
        named = run_of_execution(str(detail.get("name", "")))
        status = detail.get("status")
        if named is None or status not in _METRICS:
            return None
        run, epoch = named
        seen.note(run=run)
        seen.count(_METRICS[status])
        try:
            head = self.reader.get_head(run)
        except RunNotFound:
            return None
        if head.epoch != epoch or not _is_execution_of(head, detail):
            return None
        code = self._close_running(head, str(status)) if head.status == RUNNING else None
        self._end_waits(head)
        self._let_expire(head)
        return code

    def _close_running(self, head: Head, status: str) -> str | None:
        end = self._end_by_engine(head, status)
        try:
            self.store.end_run(head, end, self._owner())
        except RunNotOpen:
            return None
        return end.error.code if end.error else None

    def _end_waits(self, head: Head) -> None:
        """What still waits for people is over; who answers is refused already, since the run has ended."""
        waits = self.waits
        if waits is None:
            return
        for wait in waits.pending(head.run):
            if wait.epoch <= head.epoch:
                waits.over(wait, ENDED, timestamp(self.clock()))

    def _let_expire(self, head: Head) -> None:
        """A run that was redriven meanwhile keeps its items."""
        if self.keep_days:
            at = int((self.clock() + timedelta(days=self.keep_days)).timestamp())
            with suppress(RunNotOpen):
                self.store.expire_run(head, at)

    def _end_by_engine(self, head: Head, status: str) -> RunEnd:
        if status in _ENDED_BY_ENGINE:
            outcome, code, message = _ENDED_BY_ENGINE[status]
            return self._end(outcome, RunError(code, message))
        return self._end(
            FAILED, self._last_failure(head) or RunError(NODE_CRASHED, "the execution ended without an outcome")
        )

    def _last_failure(self, head: Head) -> RunError | None:
        """What an execution failed of when `run.failed` could not tell: the last failure that no edge took on."""
        found: Activation | None = None
        for record in self.reader.activation_records(head.run):
            left = record.port is not None or record.error is not None  # a failed end in a region has no port
            unhandled = record.epoch == head.epoch and record.edge is None and left
            if unhandled and not record.open and (found is None or (record.ended_at or "") >= (found.ended_at or "")):
                found = record
        return _error_of(found, found.port or "") if found else None

    def _end(self, status: str, error: RunError) -> RunEnd:
        return RunEnd(status, timestamp(self.clock()), error=error)

    def _owner(self) -> str:
        return f"{self.random_source.getrandbits(64):016x}"


def _token_of(given: dict[str, Any]) -> Token:
    """The token of what failed: a reply that no edge took, or what led to a node and the node, whose Catch it is."""
    if "token" not in given:
        return Token.from_json(given)
    arrived = Token.from_json(given["token"])
    return arrived._replace(node=given["node"], left=arrived.path, port="failed", edge="")


def _error_of(source: Activation, port: str) -> RunError:
    if source.port == "timed_out" and source.edge is None:
        return RunError(NONE_MATCHED, "no edge of the port timed_out matched", source.node, source.id)
    if source.error is not None:
        return RunError(source.error.code, source.error.message, source.node, source.id)
    if source.status == COMPLETED and port not in FAILED_PORTS:
        return RunError(NONE_MATCHED, f"no edge of the port {source.port} matched", source.node, source.id)
    return RunError(NODE_CRASHED, "the node's replies were lost", source.node, source.id)


def _code_that_stands(head: Head | None) -> str:
    return head.error.code if head is not None and head.error is not None else RUN_CLOSED


def _is_execution_of(head: Head, detail: dict[str, Any]) -> bool:
    """An execution of another machine may bear a run's name by chance."""
    machine = detail.get("stateMachineArn")
    return not machine or not head.machine or machine == head.machine
