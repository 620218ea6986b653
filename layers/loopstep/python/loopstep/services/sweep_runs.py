"""The sweeper's look at runs that run: is there an execution, and is its time over? (ARCHITECTURE §3)

no execution            its start was lost behind the record ─▶ started, under the same name
it has ended            its status event was lost            ─▶ the run is closed as the event would have
it runs, time is over   an engine that ignores the timeout   ─▶ timed out: the record first, then the execution
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from loopstep.gateways.step_functions import NOT_THERE
from loopstep.gateways.step_functions import RUNNING as UNDER_WAY
from loopstep.runs.errors import RunNotOpen
from loopstep.runs.keys import execution_name
from loopstep.runs.records import RUNNING, TIMED_OUT, Head, RunEnd, RunError
from loopstep.runtime.close import RUN_TOO_LONG, RunCloser
from loopstep.runtime.failures import RUN_TIMEOUT
from loopstep.runtime.observe import Observation
from loopstep.runtime.times import moment, timestamp
from loopstep.services.redrive_run import resume
from loopstep.services.refusals import Unavailable
from loopstep.services.running import Running

GRACE = timedelta(minutes=2)  # a start is under way, or its execution not yet to be seen
SETTLED = timedelta(hours=1)  # who has run this long is asked about less often
SELDOM = 15  # minutes between two looks then
DEFAULT_TIMEOUT = 30 * 86_400  # seconds, LANGUAGE §2; for runs of versions that do not say


def sweep_runs(running: Running, hurry: Callable[[], bool]) -> int:
    """How many runs were started, closed or timed out; `hurry` says that the time is over."""
    now = moment(running.now())
    done = 0
    for head in running.reader.heads_of(RUNNING):
        if hurry():
            break
        done += _swept(running, head, now)
    return done


def _swept(running: Running, head: Head, now: datetime) -> bool:
    began = moment(head.epoch_at)
    if now - began > timedelta(seconds=head.timeout or DEFAULT_TIMEOUT):
        return _time_out(running, head, now)
    if now - began <= GRACE or not _due(head, now - began, now):
        return False
    status = running.engine.status(head.machine, execution_name(head.run, head.epoch))
    if status == NOT_THERE or head.renewing:
        with suppress(Unavailable):  # its machine is gone: somebody has to publish the plan again, or cancel the run
            resume(running, head)
            return True
        return False
    return status != UNDER_WAY and _close(running, head, status)


def _due(head: Head, age: timedelta, now: datetime) -> bool:
    """Each minute at first; later seldom, every run in its own minute."""
    return age < SETTLED or (zlib.crc32(head.run.encode()) + int(now.timestamp() // 60)) % SELDOM == 0


def _time_out(running: Running, head: Head, now: datetime) -> bool:
    end = RunEnd(TIMED_OUT, timestamp(now), error=RunError(RUN_TIMEOUT, RUN_TOO_LONG))
    try:
        running.runs.end_run(head, end, running.new_id())
    except RunNotOpen:
        return False
    running.engine.stop(head.machine, execution_name(head.run, head.epoch), RUN_TIMEOUT, RUN_TOO_LONG)
    return True


def _close(running: Running, head: Head, status: str) -> bool:
    """As close_run does when it hears of it."""
    closer = RunCloser(
        running.runs,
        running.reader,
        lambda: moment(running.now()),
        random.SystemRandom(),
        running.keep_days,
        running.settler.waits,
    )
    name = execution_name(head.run, head.epoch)
    detail = {"name": name, "status": status, "stateMachineArn": head.machine}
    return closer.close_ended(detail, Observation(function="sweep")) is not None
