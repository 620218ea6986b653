"""`cron(minutes hours day-of-month month day-of-week year)` as EventBridge Scheduler reads it.

One of the two day fields is `?`. Days of the month take `L` (the last) and `15W` (the weekday nearest to the 15th, in
the same month), days of the week 1–7 or SUN–SAT, `6L` (the month's last Friday) and `6#2` (its second).
"""

from __future__ import annotations

import re
from calendar import monthrange, weekday
from typing import NamedTuple

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
FIRST_YEAR, LAST_YEAR = 1970, 2199


class BadExpression(ValueError):
    """An expression that cannot be read or never fires; the message is a sentence."""


class Field(NamedTuple):
    """What a field may hold: `first` to `last`, or names in the place of the numbers from `first` on."""

    title: str
    first: int
    last: int
    names: tuple[str, ...] = ()


MINUTES = Field("minutes", 0, 59)
HOURS = Field("hours", 0, 23)
MONTH = Field("month", 1, 12, MONTHS)
YEAR = Field("year", FIRST_YEAR, LAST_YEAR)
DAY = Field("day of month", 1, 31)
DAY_OF_WEEK = Field("day of week", 1, 7, WEEKDAYS)


class Cron(NamedTuple):
    """Numbers in order. Days: those of the month, where `week` is False, else those of the week (1 is Sunday)."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: tuple[int, ...]
    years: tuple[int, ...]
    week: bool
    days: tuple[int, ...]
    last: tuple[int, ...] = ()  # the month's last such weekdays; of the month: (0,) is its last day
    nearest: tuple[int, ...] = ()  # days whose nearest weekday counts
    nth: tuple[int, int] | None = None  # weekday, which of them

    def days_of(self, year: int, month: int) -> list[int]:
        """The days of that month on which it fires, in order."""
        length = monthrange(year, month)[1]
        return sorted(_of_week(self, year, month, length) if self.week else _of_month(self, year, month, length))


def parse_cron(text: str) -> Cron:
    """The fields of `cron(…)`, which `text` is the inside of. Raises BadExpression."""
    parts = text.split()
    if len(parts) != 6:
        raise BadExpression("cron has six fields: minutes, hours, day of month, month, day of week, year.")
    minutes, hours, month_days, months, week_days, years = (part.upper() for part in parts)
    if (month_days == "?") == (week_days == "?"):
        raise BadExpression("One of day of month and day of week must be ?, and the other not.")
    on = (_numbers(minutes, MINUTES), _numbers(hours, HOURS), _numbers(months, MONTH), _numbers(years, YEAR))
    return _week_days(on, week_days) if month_days == "?" else _month_days(on, month_days)


_Times = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _month_days(on: _Times, field: str) -> Cron:
    parts = field.split(",")
    nearest = [each[:-1] for each in parts if re.fullmatch(r"\d+W", each)]
    plain = [each for each in parts if each != "L" and not re.fullmatch(r"\d+W", each)]
    return Cron(
        *on,
        week=False,
        days=_numbers(",".join(plain), DAY) if plain else (),
        last=(0,) if "L" in parts else (),
        nearest=_numbers(",".join(nearest), DAY) if nearest else (),
    )


def _week_days(on: _Times, field: str) -> Cron:
    if "#" in field:
        day, _, which = field.partition("#")
        if not re.fullmatch("[1-5]", which):
            raise BadExpression("In day of week # stands once, alone, between a day and a number from 1 to 5.")
        return Cron(*on, week=True, days=(), nth=(_number(day, DAY_OF_WEEK), int(which)))
    parts = ["7" if each == "L" else each for each in field.split(",")]  # L alone: the week's last day
    last = [each[:-1] for each in parts if len(each) > 1 and each.endswith("L")]
    plain = [each for each in parts if len(each) == 1 or not each.endswith("L")]
    return Cron(
        *on,
        week=True,
        days=_numbers(",".join(plain), DAY_OF_WEEK) if plain else (),
        last=_numbers(",".join(last), DAY_OF_WEEK) if last else (),
    )


def _numbers(text: str, field: Field) -> tuple[int, ...]:
    """`*`, numbers, names, ranges and steps, separated by commas."""
    found: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash and not re.fullmatch(r"0*[1-9]\d{0,3}", step):
            raise BadExpression(f"In {field.title} the step behind / must be a number from 1.")
        first, last = _span(span, field, bool(slash))
        found.update(range(first, last + 1, int(step) if slash else 1))
    return tuple(sorted(found))


def _span(text: str, field: Field, stepping: bool) -> tuple[int, int]:
    if text == "*":
        return field.first, field.last
    first, dash, last = text.partition("-")
    low = _number(first, field)
    high = _number(last, field) if dash else field.last if stepping else low
    if high < low:
        raise BadExpression(f"In {field.title} a range begins with the smaller number.")
    return low, high


def _number(text: str, field: Field) -> int:
    if text in field.names:
        return field.first + field.names.index(text)
    if not re.fullmatch(r"[0-9]{1,4}", text) or not field.first <= int(text) <= field.last:
        names = f" or {field.names[0]} to {field.names[-1]}" if field.names else ""
        raise BadExpression(f"In {field.title} numbers go from {field.first} to {field.last}{names}.")
    return int(text)


def _of_month(cron: Cron, year: int, month: int, length: int) -> set[int]:
    found = {day for day in cron.days if day <= length}
    found.update([length] if cron.last else [])
    return found | {_nearest(year, month, day, length) for day in cron.nearest if day <= length}


def _nearest(year: int, month: int, day: int, length: int) -> int:
    """The weekday nearest to the day, in the same month."""
    on = weekday(year, month, day)  # 5: Saturday, 6: Sunday
    if on == 5:
        return day - 1 if day > 1 else day + 2
    if on == 6:
        return day + 1 if day < length else day - 2
    return day


def _of_week(cron: Cron, year: int, month: int, length: int) -> set[int]:
    first = (weekday(year, month, 1) + 1) % 7 + 1  # of the month's first day, 1 is Sunday
    days: dict[int, list[int]] = {number: [] for number in range(1, 8)}
    for day in range(1, length + 1):
        days[(first + day - 2) % 7 + 1].append(day)
    found = {day for number in cron.days for day in days[number]}
    found |= {days[number][-1] for number in cron.last}
    if cron.nth is not None:
        number, which = cron.nth
        found.update(days[number][which - 1 : which])
    return found
