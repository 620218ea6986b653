"""The schedule's function: delivers, ends and starts what somebody recorded and could not finish."""

from __future__ import annotations

import os
from typing import Any

from loopstep.gateways.service_clients import LazyClient
from loopstep.runs.heartbeat import beat
from loopstep.runtime.observe import Observation
from loopstep.services.compose import compose_running
from loopstep.services.measure_stack import measure_stack
from loopstep.services.sweep import sweep

_RUNNING = compose_running(os.environ, LazyClient)
_SPARE_MILLISECONDS = 10_000  # for what is under way when the time is over


class SweepFailed(Exception):
    """Some sweeps failed, and the message names them; raised so that the function's errors count them."""


def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """How much each sweep did."""
    seen = Observation(level="INFO", function="sweep")
    try:
        done, failed = sweep(_RUNNING, lambda: context.get_remaining_time_in_millis() < _SPARE_MILLISECONDS)
        seen.note(**done)
        if failed:
            seen.note(level="ERROR", failed=failed)
        beat(_RUNNING.runs, _RUNNING.now())
        for metric, (amount, unit) in measure_stack(_RUNNING).items():
            seen.count(metric, amount, unit)
        if failed:
            raise SweepFailed(", ".join(failed))
    finally:
        seen.write()
    return done
