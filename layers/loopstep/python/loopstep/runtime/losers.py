"""The parts that a race was decided without: nobody waits for their answers any more (ARCHITECTURE §2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from loopstep.gateways.task_answers import NotAnswered
from loopstep.runs.errors import Contended
from loopstep.runtime.settling import Settler
from loopstep.runtime.times import Clock, timestamp

_MOST = timedelta(seconds=10)  # of one invocation, which somebody waits for; the sweeper does the rest

Losers = Callable[[str, int, str], None]


def end_losers(settler: Settler, clock: Clock) -> Losers:
    """What ends the waits of a decided race, by run, epoch and join; the sweeper does what is left."""

    def end(run: str, epoch: int, join: str) -> None:
        stop = clock() + _MOST
        try:
            done = settler.lose_region(run, epoch, join, True, lambda: clock() > stop)
        except (Contended, NotAnswered):
            done = False
        if not done:
            settler.waits.mark_region(run, join, timestamp(clock()))

    return end
