"""What the services on schedules work with, and how a schedule's texts are read."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from loopstep.gateways.scheduler import SLOT, Clock, Clocks
from loopstep.schedules.cron import Cron
from loopstep.schedules.expression import At, Expression, Rate, expression_text, find_zone, parse_expression
from loopstep.schedules.firings import Firing, firing_at, next_firing, preview, ticks
from loopstep.schedules.records import Schedule
from loopstep.schedules.store import ScheduleStore
from loopstep.services.running import Running


class Scheduling(NamedTuple):
    """`zones` says whether the scheduler knows time zones and says for which time it fires; the local one not."""

    running: Running
    schedules: ScheduleStore
    clocks: Clocks
    zones: bool = True


class Timing(NamedTuple):
    """A schedule's expression and what it counts with."""

    expression: Expression
    zone: ZoneInfo
    anchor: datetime
    end: datetime | None

    def next(self, after: datetime) -> datetime | None:
        """The next firing, UTC; None where there is none before its end."""
        found = next_firing(self.expression, self.zone, after, self.anchor)
        return None if found is None or (self.end is not None and found > self.end) else found

    def preview(self, after: datetime, count: int) -> list[Firing]:
        """The next firings, with the times among them that the clocks skip."""
        return preview(self.expression, self.zone, after, self.anchor, count, self.end)


def timing(schedule: Schedule) -> Timing:
    """The timing of what was stored."""
    wanted = schedule.wanted
    zone = find_zone(wanted.time_zone) or ZoneInfo("UTC")  # a zone that the newest database has given up
    end = datetime.fromisoformat(wanted.ends_at) if wanted.ends_at else None
    return Timing(parse_expression(wanted.expression), zone, datetime.fromisoformat(schedule.anchored_at), end)


def clock_of(schedule: Schedule, zones: bool, now: datetime) -> Clock:
    """The clock of a schedule. For a scheduler without zones it ticks in UTC wherever the schedule may fire."""
    when, wanted = timing(schedule), schedule.wanted
    payload = {"plan": schedule.plan, "schedule": schedule.id, "generation": schedule.generation, "slot": SLOT}
    clock = Clock(
        name=schedule.clock,
        expression=expression_text(when.expression, wanted.expression),
        time_zone=wanted.time_zone if zones else "UTC",
        payload=json.dumps(payload),
        end=when.end,
        delete_after_completion=wanted.delete_after_completion,
    )
    if isinstance(when.expression, Rate):
        return clock._replace(start=when.next(now))  # AWS would fire at once
    return clock if zones else clock._replace(expression=_in_utc(when, now))


def _in_utc(when: Timing, now: datetime) -> str:
    if isinstance(when.expression, Cron):
        minutes = ",".join(map(str, ticks(when.expression, when.zone, now)))
        return f"cron({minutes} * * * ? *)"
    assert isinstance(when.expression, At)
    at = firing_at(when.expression.wall, when.zone).at
    return f"at({at:%Y-%m-%dT%H:%M:%S})"
