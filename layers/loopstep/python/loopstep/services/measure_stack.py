"""What the sweeper measures when it has swept: gauges of the whole stack, once a minute."""

from __future__ import annotations

from itertools import islice

from loopstep.runs.records import RUNNING
from loopstep.runs.waits import APPROVAL, CALLBACK
from loopstep.runtime.observe import COUNT, SECONDS
from loopstep.runtime.times import moment
from loopstep.services.examine_stack import LOOKED_AT, examine_stack
from loopstep.services.running import Running


def measure_stack(running: Running) -> dict[str, tuple[float, str]]:
    """By metric: its value and CloudWatch's unit. Running runs are counted up to 1,000, stuck ones up to 20."""
    health = examine_stack(running)
    return {
        "RunningRuns": (sum(1 for _ in islice(running.reader.heads_of(RUNNING), LOOKED_AT)), COUNT),
        "StuckRuns": (len(health["stuckRuns"]), COUNT),
        "Overdue": (health["overdue"], COUNT),
        "OldestApproval": (_age(running, APPROVAL), SECONDS),
        "OldestCallback": (_age(running, CALLBACK), SECONDS),
    }


def _age(running: Running, kind: str) -> float:
    """Seconds that the oldest open wait of a kind is open, 0 where there is none."""
    wait = running.waits.oldest(kind)
    return 0.0 if wait is None else (moment(running.now()) - moment(wait.asked_at)).total_seconds()
