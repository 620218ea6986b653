"""When an expression fires. Local times that the clocks skip do not fire; those that come twice fire the first time.

So does EventBridge Scheduler: in autumn, a cron expression is silent through the hour's second pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from loopstep.schedules.cron import Cron
from loopstep.schedules.expression import At, Expression, Rate

GAP = "gap"
OVERLAP = "overlap"


class Firing(NamedTuple):
    """`at` (UTC) is None where the local time `wall` does not exist; `shift` is GAP, OVERLAP or empty."""

    wall: datetime
    at: datetime | None
    shift: str = ""


def firings(expression: Expression, zone: ZoneInfo, after: datetime, anchor: datetime) -> Iterator[Firing]:
    """What comes later than `after`, in order. A rate counts from `anchor`. Both are aware; may never end."""
    if isinstance(expression, Rate):
        return _of_rate(expression, zone, after, anchor)
    if isinstance(expression, At):
        only = firing_at(expression.wall, zone)
        return iter([only] if _instant(only, zone) > after else [])
    return (each for each in _of_cron(expression, zone, after) if _instant(each, zone) > after)


def next_firing(expression: Expression, zone: ZoneInfo, after: datetime, anchor: datetime) -> datetime | None:
    """The next time at which it does fire, UTC."""
    return next((each.at for each in firings(expression, zone, after, anchor) if each.at is not None), None)


def preview(
    expression: Expression, zone: ZoneInfo, after: datetime, anchor: datetime, count: int, end: datetime | None = None
) -> list[Firing]:
    """The next `count` firings, with the times between them that the clocks skip; none later than `end`."""
    found: list[Firing] = []
    for each in firings(expression, zone, after, anchor):
        if count == 0 or (end is not None and _instant(each, zone) > end):
            break
        found.append(each)
        count -= each.at is not None
    return found


def fires_at(expression: Expression, zone: ZoneInfo, moment: datetime) -> bool:
    """Whether a cron expression fires in this minute; of others only their own clock knows."""
    if not isinstance(expression, Cron):
        return True
    local = moment.astimezone(zone)
    return (
        local.fold == 0
        and local.minute in expression.minutes
        and local.hour in expression.hours
        and local.month in expression.months
        and local.year in expression.years
        and local.day in expression.days_of(local.year, local.month)
    )


def ticks(expression: Cron, zone: ZoneInfo, now: datetime) -> tuple[int, ...]:
    """The minutes of the hour, UTC, at which it can fire within two years: for a clock that knows no zones."""
    offsets = {
        int(offset.total_seconds()) // 60
        for days in range(0, 740, 5)
        if (offset := (now + timedelta(days=days)).astimezone(zone).utcoffset()) is not None
    }
    return tuple(sorted({(minute - offset) % 60 for minute in expression.minutes for offset in offsets}))


def firing_at(wall: datetime, zone: ZoneInfo) -> Firing:
    """What becomes of a local time (naive) in its zone."""
    first = wall.replace(tzinfo=zone, fold=0)
    at = first.astimezone(UTC)
    if at.astimezone(zone).replace(tzinfo=None, fold=0) != wall:
        return Firing(wall, None, GAP)
    twice = first.utcoffset() != first.replace(fold=1).utcoffset()
    return Firing(wall, at, OVERLAP if twice else "")


def _instant(firing: Firing, zone: ZoneInfo) -> datetime:
    """Where it stands among the others; a skipped one as if the clocks had not been moved."""
    return firing.at or firing.wall.replace(tzinfo=zone).astimezone(UTC)


def _of_rate(rate: Rate, zone: ZoneInfo, after: datetime, anchor: datetime) -> Iterator[Firing]:
    step = timedelta(seconds=rate.seconds)
    number = max(1, (after - anchor) // step)
    while True:
        at = anchor.astimezone(UTC) + number * step
        if at.year > 9990:
            return
        if at > after:
            yield Firing(at.astimezone(zone).replace(tzinfo=None), at)
        number += 1


def _of_cron(cron: Cron, zone: ZoneInfo, after: datetime) -> Iterator[Firing]:
    """From two days before: a zone can skip a whole day."""
    begin = (after.astimezone(zone) - timedelta(days=2)).replace(tzinfo=None)
    for year in (each for each in cron.years if each >= begin.year):
        for month in (each for each in cron.months if (year, each) >= (begin.year, begin.month)):
            for day in cron.days_of(year, month):
                if (year, month, day) >= (begin.year, begin.month, begin.day):
                    yield from _of_day(cron, zone, datetime(year, month, day))


def _of_day(cron: Cron, zone: ZoneInfo, day: datetime) -> Iterator[Firing]:
    for hour in cron.hours:
        for minute in cron.minutes:
            yield firing_at(day.replace(hour=hour, minute=minute), zone)
