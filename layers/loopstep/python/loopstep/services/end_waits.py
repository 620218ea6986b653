"""End what a run waits for, when the run has ended: its approvals and callbacks are over."""

from __future__ import annotations

from loopstep.runs.waits import ENDED
from loopstep.services.running import Running

LONGEST = 8.0  # seconds; somebody waits for the answer


def end_waits(running: Running, run: str, epoch: int) -> None:
    """Mark the open waits of a run that has ended in this epoch. Their answers were refused before that already.

    What is left after LONGEST seconds is marked when the engine says that the execution has ended (`close_run`).
    """
    last = running.clock() + LONGEST
    for wait in running.settler.waits.pending(run):
        if running.clock() > last:
            return
        if wait.epoch <= epoch:
            running.settler.waits.over(wait, ENDED, running.now())
