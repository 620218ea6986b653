"""The sweeper's look at waits for people (ARCHITECTURE §3).

decided, and the engine not told      the call failed or its caller died   ─▶ told
open, and its time is over            the engine did not see to it         ─▶ timed out, and told
a region decided without it           its join could not get to the end    ─▶ ended, and told
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from loopstep.gateways.task_answers import NotAnswered
from loopstep.runs.errors import Contended
from loopstep.runs.records import RUNNING
from loopstep.runs.regions import RACE
from loopstep.runs.waits import Wait, wait_id
from loopstep.runtime.observe import Observation
from loopstep.runtime.times import moment, timestamp
from loopstep.services.refusals import Unknown
from loopstep.services.running import Running

AGAIN = timedelta(minutes=5)  # after a wait that could not be helped, so that it stands in nobody's way


def sweep_waits(running: Running, hurry: Callable[[], bool]) -> int:
    """How many waits and regions were seen to; `hurry` says that the time is over."""
    now, done = running.now(), 0
    for run, place in running.settler.waits.due(now):
        if hurry():
            break
        kind, _, rest = place.partition("#")
        if kind + "#" == RACE:
            done += _sweep_region(running, run, rest, hurry)
        else:
            done += _sweep_wait(running, wait_id(run, rest), now)
    return done


def _sweep_wait(running: Running, identity: str, now: str) -> bool:
    wait = running.settler.waits.get(identity)
    if wait is None or wait.due_at is None or wait.due_at > now:
        return False
    try:
        _help(running, wait, now)
    except Exception as error:  # one that cannot be helped must not keep the others waiting
        seen = Observation(level="ERROR", function="sweep", run=wait.run, node=wait.node, error=type(error).__name__)
        seen.write()
        running.settler.waits.postpone(wait, timestamp(moment(now) + AGAIN))
        return False
    return True


def _help(running: Running, wait: Wait, now: str) -> None:
    if wait.pending and wait.until <= now:
        running.settler.time_out(wait)
    elif not wait.pending:
        running.settler.deliver(wait)


def _sweep_region(running: Running, run: str, join: str, hurry: Callable[[], bool]) -> bool:
    """End what is awaited behind a decided join. The epoch is read first: what a redrive opens again is left alone."""
    store = running.settler.waits
    try:
        head = running.head(run)
    except Unknown:
        return False
    standing = store.store.load(run, (), [join]).races.get(join)
    done = True
    if head.status == RUNNING and standing is not None and standing.decided:
        done = False
        with suppress(Contended, NotAnswered):
            done = running.settler.lose_region(run, head.epoch, join, standing.failure is None, hurry)
    if done:
        store.region_swept(run, join)
    return done
