"""How the stack is: whether the sweeper comes by, and what it should have finished long ago.

sweeper      comes every minute and says so
stuck run    still runs LATE after its time was over: the sweeper ends those
overdue      a decision or a region that the sweeper has to finish, due for LATE and not done
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from loopstep import __version__
from loopstep.runs.heartbeat import last_beat
from loopstep.runs.records import RUNNING, Head
from loopstep.runtime.times import moment, timestamp
from loopstep.services.running import Running
from loopstep.services.sweep_runs import DEFAULT_TIMEOUT

LATE = timedelta(minutes=5)
MOST = 20  # stuck runs that are named
LOOKED_AT = 1_000  # running runs, the oldest first
COUNTED = 100  # what is overdue is counted up to here


def examine_stack(running: Running) -> dict[str, Any]:
    """`{version, at, sweptAt, stuckRuns, overdue}`; times as ISO 8601, `sweptAt` null where nobody ever swept."""
    now = moment(running.now())
    late = timestamp(now - LATE)
    return {
        "version": __version__,
        "at": timestamp(now),
        "sweptAt": last_beat(running.runs),
        "stuckRuns": list(islice(_stuck(running, now), MOST)),
        "overdue": sum(1 for _ in islice(running.settler.waits.due(late), COUNTED)),
    }


def _stuck(running: Running, now: datetime) -> Iterator[str]:
    heads = islice(running.reader.heads_of(RUNNING), LOOKED_AT)
    return (head.run for head in heads if _end(head) + LATE < now)


def _end(head: Head) -> datetime:
    return moment(head.epoch_at) + timedelta(seconds=head.timeout or DEFAULT_TIMEOUT)
