"""Ending an activation whose function never did: what ARCHITECTURE §3 says of Catches and of spent attempts."""

from __future__ import annotations

from datetime import datetime, timedelta

from loopstep.runs.errors import ActivationClosed, RegionDecided, RunNotOpen
from loopstep.runs.records import CANCELLED, FAILED, Activation, Attempt, Closing, Commit, Failure
from loopstep.runs.records import TIMED_OUT as RUN_TIMED_OUT
from loopstep.runs.regions import Membership
from loopstep.runs.store import RunStore
from loopstep.runs.waits import ENDED, TIMED_OUT, WaitEnd
from loopstep.runtime.edges import Decision
from loopstep.runtime.failures import NODE_CRASHED, NODE_TIMEOUT, REGION_DECIDED, RUN_CANCELLED, RUN_CLOSED, RUN_TIMEOUT
from loopstep.runtime.times import moment, timestamp

# The engine counts a timeout from before the function starts, the record from when it acts.
_GRACE_SECONDS = 2.0

SENTENCES = {
    NODE_TIMEOUT: "the attempt took longer than the node's timeout",
    NODE_CRASHED: "the node's function ended without an outcome",
}


_CODE_OF_STATUS = {CANCELLED: RUN_CANCELLED, RUN_TIMED_OUT: RUN_TIMEOUT}


def code_of_late(error: ActivationClosed | RunNotOpen | RegionDecided) -> str | None:
    """The code of what came too late to be committed; None where the activation was completed by another attempt."""
    if isinstance(error, ActivationClosed):
        return error.found.error.code if error.found.error else None
    if isinstance(error, RunNotOpen):
        return _CODE_OF_STATUS.get(error.status or "", RUN_CLOSED)
    return REGION_DECIDED


def lost_failure(known: Activation | None, epoch: int, now: datetime) -> Failure:
    """Return why an open activation failed: its last attempt's recorded code, `node.timeout` or `node.crashed`."""
    attempts = known.attempts_in(epoch) if known else ()
    code = NODE_CRASHED
    if attempts:
        last = attempts[-1]
        code = last.code or (NODE_TIMEOUT if _time_has_passed(last, now) else NODE_CRASHED)
    return Failure(code, SENTENCES.get(code, "the last attempt failed"))


def _time_has_passed(attempt: Attempt, now: datetime) -> bool:
    if not attempt.timeout:
        return False
    grace = min(_GRACE_SECONDS, attempt.timeout / 2)
    return now >= moment(attempt.started_at) + timedelta(seconds=attempt.timeout - grace)


def close_lost(
    store: RunStore,
    run: str,
    epoch: int,
    place: tuple[str, str],
    known: Activation | None,
    left: tuple[str, Decision],
    failure: Failure,
    now: datetime,
    owner: str,
    members: tuple[Membership, ...] = (),
) -> Activation:
    """Close an open activation as failed, and return the record that stands: perhaps one that was committed just now.

    `place` is node and path; `left` the port and the edge with its operands; `members` the regions around it, where a
    decision must keep it open. Raises RunNotOpen, RegionDecided, Contended.
    """
    ended = timestamp(now)
    port, decision = left
    closing = Closing(
        node=place[0],
        path=place[1],
        status=FAILED,
        started_at=known.started_at if known else ended,
        ended_at=ended,
        error=failure,
        port=port,
        edge=decision.edge,
        seen=decision.seen,
    )
    try:
        store.commit(Commit(run, epoch, owner, closing, known, members=members, wait=wait_end(known, port, ended)))
    except ActivationClosed as closed:
        return closed.found
    record = known or Activation(closing.node, closing.path, FAILED, epoch, ended)
    return record._replace(
        status=FAILED, ended_at=ended, error=failure, port=port, edge=decision.edge, seen=decision.seen
    )


def wait_end(known: Activation | None, port: str | None, at: str) -> WaitEnd | None:
    """How the wait of an activation ends that is closed without an answer; None where it asked nobody."""
    if known is None or known.wait is None:
        return None
    return WaitEnd(known.wait.kind, known.wait.id, TIMED_OUT if port == "timed_out" else ENDED, at)
