"""`cron(…)`, `rate(5 minutes)` and `at(2026-12-24T18:00:00)`, and the time zones that they stand in."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from loopstep.schedules.cron import BadExpression, Cron, parse_cron

_FORM = re.compile(r"\s*(cron|rate|at)\((.*)\)\s*", re.DOTALL)
_UNITS = {"minute": 60, "hour": 3600, "day": 86400}
LONGEST_RATE = 3660 * 86400  # seconds


class Rate(NamedTuple):
    """Every so many seconds, whatever the clocks do."""

    number: int
    unit: str  # minute, hour, day

    @property
    def seconds(self) -> int:
        """The time from one firing to the next."""
        return self.number * _UNITS[self.unit]


class At(NamedTuple):
    """Once, at a local time."""

    wall: datetime  # naive


Expression = Cron | Rate | At


def parse_expression(text: str) -> Expression:
    """What the text says. Raises BadExpression."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise BadExpression("An expression is cron(…), rate(…) or at(…).")
    if form[1] == "cron":
        return parse_cron(form[2])
    return _rate(form[2]) if form[1] == "rate" else _at(form[2])


def expression_text(expression: Expression, given: str) -> str:
    """As the scheduler takes it; `given` is what it was read from."""
    if isinstance(expression, Rate):
        return f"rate({expression.number} {expression.unit}{'' if expression.number == 1 else 's'})"
    if isinstance(expression, At):
        return f"at({expression.wall.isoformat(timespec='seconds')})"
    inside = given[given.index("(") + 1 : given.rindex(")")]
    return f"cron({' '.join(inside.upper().split())})"


def find_zone(name: str) -> ZoneInfo | None:
    """The zone of an IANA name, None for an unknown one."""
    return ZoneInfo(name) if name in zone_names() else None


@cache
def zone_names() -> frozenset[str]:
    """Every IANA name; two files that lie among the zones are none."""
    return frozenset(available_timezones() - {"localtime", "Factory"})


def _rate(text: str) -> Rate:
    form = re.fullmatch(r"\s*([0-9]{1,7})\s+(minute|hour|day)s?\s*", text)
    if form is None:
        raise BadExpression("A rate is a number and minutes, hours or days: rate(5 minutes).")
    rate = Rate(int(form[1]), form[2])
    if not 0 < rate.seconds <= LONGEST_RATE:
        raise BadExpression("A rate goes from a minute to ten years.")
    return rate


def _at(text: str) -> At:
    if not re.fullmatch(r"\s*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\s*", text, re.ASCII):
        raise BadExpression("A time is written at(2026-12-24T18:00:00); its zone is the schedule's.")
    try:
        return At(datetime.fromisoformat(text.strip()))
    except ValueError:
        raise BadExpression("There is no such date or time.") from None
