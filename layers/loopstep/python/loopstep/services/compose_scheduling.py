"""Puts together what the services on schedules work with, from a function's environment and a source of clients."""

from __future__ import annotations

from collections.abc import Mapping

from loopstep.gateways.scheduler import Scheduler
from loopstep.schedules.store import ScheduleStore
from loopstep.services.compose import Client
from loopstep.services.running import Running
from loopstep.services.scheduling import Scheduling


def compose_scheduling(environment: Mapping[str, str], client: Client, running: Running) -> Scheduling:
    """Scheduling from PLANS_TABLE, SCHEDULER_ZONES and, to make clocks, the group, role, function and queue."""
    clocks = Scheduler(
        client("scheduler"),
        environment.get("SCHEDULE_GROUP", ""),
        environment.get("SCHEDULE_ROLE_ARN", ""),
        environment.get("START_FUNCTION_ARN", ""),
        environment.get("DEAD_LETTERS_ARN", ""),
    )
    schedules = ScheduleStore(client("dynamodb"), environment["PLANS_TABLE"])
    return Scheduling(running, schedules, clocks, environment["SCHEDULER_ZONES"] == "true")
