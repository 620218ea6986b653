"""A clock has called: start the run of its slot, once (ARCHITECTURE §5).

The slot is the time for which the schedule fired. Its run has an id that comes from schedule and slot, so however often
a slot fires, it is one run.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from loopstep.access.actor import SCHEDULE, Actor
from loopstep.gateways.scheduler import SLOT
from loopstep.runs.records import Head
from loopstep.schedules.expression import At
from loopstep.schedules.firings import fires_at, firing_at
from loopstep.schedules.records import Schedule
from loopstep.services.refusals import Malformed
from loopstep.services.scheduling import Scheduling, Timing, timing
from loopstep.services.start_run import StartRequest, start_once

SUPERSEDED = "superseded"  # the schedule was changed, disabled or removed since the clock was made
NOT_DUE = "not due"  # a clock without zones ticks more often than the schedule fires


class Call(NamedTuple):
    """What a clock says. `slot` is ISO 8601, or SLOT where the scheduler does not tell."""

    plan: str
    schedule: str
    generation: str
    slot: str


def fire(scheduling: Scheduling, call: Call) -> Head | str:
    """The run's head; SUPERSEDED or NOT_DUE where there is none to start. Raises what `start_run` raises."""
    schedule = scheduling.schedules.get(call.plan, call.schedule)
    if schedule is None or schedule.generation != call.generation or not schedule.wanted.enabled:
        return SUPERSEDED
    when = timing(schedule)
    slot = _slot(when, call.slot, datetime.fromisoformat(scheduling.running.now()))
    if slot is None:
        return NOT_DUE
    head = _start(scheduling, schedule, slot)
    if schedule.wanted.delete_after_completion and when.next(slot) is None:
        scheduling.schedules.remove(schedule)
    return head


def slot_key(schedule: str, slot: datetime) -> str:
    """The key of a slot's run; no caller's Idempotency-Key has a NUL in it."""
    return f"\0schedule\0{schedule}\0{slot.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _slot(when: Timing, told: str, now: datetime) -> datetime | None:
    if told != SLOT:
        try:
            slot = datetime.fromisoformat(told)
        except ValueError:
            raise Malformed("request.invalid", "`slot` is no time.") from None
        return slot if slot.tzinfo else slot.replace(tzinfo=UTC)
    if isinstance(when.expression, At):
        return firing_at(when.expression.wall, when.zone).at
    minute = now - timedelta(seconds=now.second, microseconds=now.microsecond)
    due = fires_at(when.expression, when.zone, minute) and (when.end is None or minute <= when.end)
    return minute if due else None


def _start(scheduling: Scheduling, schedule: Schedule, slot: datetime) -> Head:
    wanted, running = schedule.wanted, scheduling.running
    key = slot_key(schedule.id, slot)
    by = Actor(SCHEDULE, schedule.id)
    return start_once(running, StartRequest(schedule.plan, json.loads(wanted.input), wanted.version, key=key, by=by))
