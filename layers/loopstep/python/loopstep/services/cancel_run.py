"""Cancel a run: the record first, which nothing can commit against from then on, then the execution."""

from __future__ import annotations

from loopstep.access.actor import Actor
from loopstep.runs.errors import RunNotFound, RunNotOpen
from loopstep.runs.keys import execution_name
from loopstep.runs.records import CANCELLED, RUNNING, Head
from loopstep.services.end_waits import end_waits
from loopstep.services.refusals import Conflicting, unknown_run
from loopstep.services.running import Running

ATTEMPTS = 3  # a run that another epoch took over between read and write is running still


def cancel_run(running: Running, run: str, by: Actor | None = None) -> Head:
    """The head of the cancelled run; cancelling it again stops its execution again, which heals a lost stop.

    Raises Unknown `run.unknown`, Conflicting `run.ended` with `runStatus` for a run that has ended otherwise.
    """
    _settle(running, run, by)
    head = running.head(run)
    if head.machine:
        running.engine.stop(head.machine, execution_name(run, head.epoch), "run.cancelled", "The run was cancelled.")
    end_waits(running, run, head.epoch)
    return head


def _settle(running: Running, run: str, by: Actor | None) -> None:
    owner = running.new_id()
    for _ in range(ATTEMPTS):
        try:
            running.runs.cancel_run(run, running.now(), owner, by=by)
            return
        except RunNotFound:
            raise unknown_run(run) from None
        except RunNotOpen as found:
            status = found.status or running.head(run).status
            if status == CANCELLED:
                return
            if status != RUNNING:
                detail = f"The run has ended as {status}; it cannot be cancelled any more."
                raise Conflicting("run.ended", detail, runStatus=status) from None
    raise Conflicting("run.moved", "The run was being started again at the same time. Cancel it again.")
