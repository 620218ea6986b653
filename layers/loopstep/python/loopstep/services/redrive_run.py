"""Redrive a run: go on from where it failed (ARCHITECTURE §3). The record first, then a new execution.

Interrupted in between, the run is `running` without an execution. Asking again heals that, and so does the sweeper.
"""

from __future__ import annotations

from contextlib import suppress

from loopstep.access.actor import Actor
from loopstep.runs.errors import NothingToReopen, RunNotFound, RunNotOpen
from loopstep.runs.records import RUNNING, Head
from loopstep.services.refusals import Conflicting, unknown_run
from loopstep.services.running import Running


def redrive_run(running: Running, run: str, by: Actor | None = None) -> Head:
    """The head of the run in its new epoch.

    Raises Unknown `run.unknown`; Conflicting `redrive.nothing` with `runStatus` for a run that is neither failed nor
    timed out, or whose plan itself ended it so; Unavailable `engine.machine_missing`.
    """
    try:
        head = running.runs.redrive_run(run, running.now(), running.new_id(), by)
    except RunNotFound:
        raise unknown_run(run) from None
    except NothingToReopen:
        detail = "The plan itself ended the run so, and would again: no failure of a node led there."
        raise Conflicting("redrive.nothing", detail, runStatus=running.head(run).status) from None
    except RunNotOpen:
        raise _not_stuck(running, run) from None
    resume(running, head)
    return head


def resume(running: Running, head: Head) -> None:
    """Start the execution of a redriven run's epoch and keep its items; doing it again changes nothing."""
    running.launch(head)
    if head.renewing:
        with suppress(RunNotOpen):  # it has ended meanwhile
            running.runs.renew_run(head)


def _not_stuck(running: Running, run: str) -> Conflicting:
    head = running.head(run)
    if head.status == RUNNING and head.redriven_at is not None:
        resume(running, head)
    detail = f"The run is {head.status}; only a run that failed or timed out can be redriven."
    return Conflicting("redrive.nothing", detail, runStatus=head.status)
