"""What the schedule does every minute: finish what was recorded and then interrupted (ARCHITECTURE §3).

Each sweep is a use case of its own in `sweep_*.py`. It finds work by an index, which may lag, and does it by the same
conditional writes as everybody else, so that two sweeps at once, or a sweep beside the one whom it helps, do no harm.
"""

from __future__ import annotations

from collections.abc import Callable

from loopstep.services.running import Running
from loopstep.services.sweep_runs import sweep_runs
from loopstep.services.sweep_waits import sweep_waits

Hurry = Callable[[], bool]  # whether the time is over: what is left is found again a minute later
Sweep = Callable[[Running, Hurry], int]

SWEEPS: dict[str, Sweep] = {"waits": sweep_waits, "runs": sweep_runs}


def sweep(running: Running, hurry: Hurry) -> tuple[dict[str, int], dict[str, str]]:
    """Do all sweeps. Returns how much each did, and the kind of error of those that failed, which stop no other."""
    done: dict[str, int] = {}
    failed: dict[str, str] = {}
    for name, act in SWEEPS.items():
        try:
            done[name] = act(running, hurry)
        except Exception as error:  # its message could hold data
            failed[name] = type(error).__name__
    return done, failed
