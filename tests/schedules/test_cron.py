"""Expressions, against what AWS documents and against a scan of every minute."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.schedules.cron import WEEKDAYS, BadExpression, Cron
from loopstep.schedules.expression import At, Rate, expression_text, find_zone, parse_expression
from loopstep.schedules.firings import GAP, OVERLAP, fires_at, firings, next_firing, preview, ticks

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
UTC_ZONE = ZoneInfo("UTC")


def when(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def walls(expression: str, after: str, count: int, zone: ZoneInfo = UTC_ZONE) -> list[str]:
    found = preview(parse_expression(expression), zone, when(after), when(after), count)
    return [each.wall.isoformat(timespec="minutes") for each in found]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("cron(0 10 * * ? *)", ["2026-11-01T10:00", "2026-11-02T10:00"]),
        ("cron(15 12 ? * 1#1 *)", ["2026-11-01T12:15", "2026-12-06T12:15"]),
        ("cron(0 18 ? * MON-FRI *)", ["2026-11-02T18:00", "2026-11-03T18:00"]),
        ("cron(0 8 1 * ? *)", ["2026-11-01T08:00", "2026-12-01T08:00"]),
        ("cron(0/25 8 ? * mon *)", ["2026-11-02T08:00", "2026-11-02T08:25", "2026-11-02T08:50", "2026-11-09T08:00"]),
        ("cron(15 10 ? * 6L 2026-2028)", ["2026-11-27T10:15", "2026-12-25T10:15", "2027-01-29T10:15"]),
        ("cron(0 0 L * ? *)", ["2026-11-30T00:00", "2026-12-31T00:00", "2027-01-31T00:00", "2027-02-28T00:00"]),
        ("cron(0 0 1W,15W * ? *)", ["2026-11-02T00:00", "2026-11-16T00:00", "2026-12-01T00:00", "2026-12-15T00:00"]),
        ("cron(0 0 31W JAN,FEB ? *)", ["2027-01-29T00:00", "2028-01-31T00:00"]),
        ("cron(0 0 ? * L *)", ["2026-11-07T00:00", "2026-11-14T00:00"]),
        ("cron(0 0 29 2 ? *)", ["2028-02-29T00:00", "2032-02-29T00:00"]),
        ("cron(0 0 ? * 7#5 *)", ["2027-01-30T00:00", "2027-05-29T00:00"]),
        ("cron(0 12,6 1-3/2 12 ? *)", ["2026-12-01T06:00", "2026-12-01T12:00", "2026-12-03T06:00"]),
        ("cron(0 0 1 1 ? 2027)", ["2027-01-01T00:00"]),
        ("rate(1 hour)", ["2026-11-01T01:00", "2026-11-01T02:00"]),
        ("at(2026-11-05T10:00:00)", ["2026-11-05T10:00"]),
        ("at(2026-10-05T10:00:00)", []),
        ("cron(0 0 30 2 ? *)", []),
    ],
)
def test_when_it_fires(expression: str, expected: list[str]) -> None:
    assert walls(expression, "2026-11-01T00:00", max(1, len(expected)))[: len(expected)] == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "cron(…), rate(…) or at(…)"),
        ("* * * * *", "cron(…)"),
        ("cron(* * * * *)", "six fields"),
        ("cron(0 0 * * * *)", "must be ?"),
        ("cron(0 0 ? * ? *)", "must be ?"),
        ("cron(60 0 * * ? *)", "minutes numbers go from 0 to 59"),
        ("cron(0 0 ? * 0 *)", "from 1 to 7 or SUN to SAT"),
        ("cron(0 0 1 13 ? *)", "month"),
        ("cron(0 0 ? * MON#6 *)", "#"),
        ("cron(0 0 ? * 2#1,3#1 *)", "#"),
        ("cron(0/0 0 * * ? *)", "step"),
        ("cron(5-1 0 * * ? *)", "smaller"),
        ("cron(0 0 * * ? 1969)", "year"),
        ("cron(٣ 0 * * ? *)", "minutes"),
        ("cron(0 0 0W * ? *)", "day of month"),
        ("cron(,1 0 * * ? *)", "minutes"),
        ("rate(0 minutes)", "a minute to ten years"),
        ("rate(5 weeks)", "minutes, hours or days"),
        ("rate(1.5 hours)", "minutes, hours or days"),
        ("at(2026-02-30T10:00:00)", "no such date"),
        ("at(2026-02-03)", "written"),
        ("at(2026-02-03T10:00:00Z)", "written"),
    ],
)
def test_what_it_refuses(expression: str, said: str) -> None:
    with pytest.raises(BadExpression) as refused:
        parse_expression(expression)
    assert said in str(refused.value) and str(refused.value).endswith((".", ")"))


def test_what_the_scheduler_gets() -> None:
    for given_text, sent in (
        ("  cron( 0 10  * * ? * ) ", "cron(0 10 * * ? *)"),
        ("cron(0 10 ? * mon *)", "cron(0 10 ? * MON *)"),
        ("rate(1 hours)", "rate(1 hour)"),
        ("rate(5 minute)", "rate(5 minutes)"),
        ("at(2026-12-24T18:00:00)", "at(2026-12-24T18:00:00)"),
    ):
        assert expression_text(parse_expression(given_text), given_text) == sent


def test_spring_skips_and_autumn_fires_once() -> None:
    every = parse_expression("cron(30 2 * * ? *)")
    spring = preview(every, BERLIN, when("2027-03-26T12:00"), when("2027-03-26T12:00"), 2)
    assert [(each.wall.day, each.shift, each.at and each.at.hour) for each in spring] == [
        (27, "", 1),
        (28, GAP, None),
        (29, "", 0),
    ]
    autumn = preview(every, BERLIN, when("2026-10-24T12:00"), when("2026-10-24T12:00"), 2)
    assert [(each.wall.day, each.shift, each.at and each.at.hour) for each in autumn] == [
        (25, OVERLAP, 0),
        (26, "", 1),
    ]
    within = firings(every, BERLIN, when("2026-10-25T00:45"), when("2026-10-24T12:00"))
    assert next(within).wall.day == 26  # the second pass does not fire


def test_a_day_that_a_zone_skipped() -> None:
    apia = ZoneInfo("Pacific/Apia")
    found = preview(parse_expression("cron(0 9 * * ? *)"), apia, when("2011-12-29T12:00"), when("2011-12-29T12:00"), 2)
    assert [(each.wall.day, each.shift) for each in found] == [(29, ""), (30, GAP), (31, "")]


def test_a_rate_counts_seconds_whatever_the_clocks_do() -> None:
    rate = parse_expression("rate(1 day)")
    anchor = when("2027-03-27T11:00")
    found = preview(rate, BERLIN, when("2027-03-28T11:00"), anchor, 2)
    assert [each.wall.isoformat(timespec="minutes") for each in found] == ["2027-03-29T13:00", "2027-03-30T13:00"]
    assert next_firing(rate, BERLIN, anchor, anchor) == anchor + timedelta(days=1)


def test_a_preview_ends_with_its_schedule() -> None:
    every = parse_expression("cron(0 9 * * ? *)")
    assert (
        len(preview(every, UTC_ZONE, when("2026-11-01T00:00"), when("2026-11-01T00:00"), 10, when("2026-11-03T09:00")))
        == 3
    )


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "", "localtime", "../etc/passwd", "/etc/localtime", "Europe", "europe/berlin"]
)
def test_what_is_no_zone(name: str) -> None:
    assert find_zone(name) is None


def _field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    pair = st.tuples(number, number).map(sorted)
    part = st.one_of(
        number.map(str),
        pair.map(lambda each: f"{each[0]}-{each[1]}"),
        st.tuples(number, st.integers(1, 20)).map(lambda each: f"{each[0]}/{each[1]}"),
        st.integers(1, 20).map(lambda step: f"*/{step}"),
    )
    return st.one_of(st.just("*"), st.lists(part, min_size=1, max_size=3).map(",".join))


_DAYS = st.one_of(_field(1, 31), st.sampled_from(["L", "1W", "15W,L", "31W", "1,L"]))
_WEEK = st.one_of(_field(1, 7), st.sampled_from(["6L", "MON-FRI", "2#1", "7#5", "1L,3", "L"]))
_CRONS = st.one_of(
    st.tuples(_field(0, 59), _field(0, 23), _DAYS, _field(1, 12), st.just("?")),
    st.tuples(_field(0, 59), _field(0, 23), st.just("?"), _field(1, 12), _WEEK),
).map(lambda parts: f"cron({' '.join(parts)} *)")


def _expands(text: str, low: int, high: int) -> set[int]:
    """A field read anew, in the slowest way."""
    found = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        begin = low if first == "*" else int(first)
        end = high if first == "*" or (step and not last) else int(last or first)
        found |= {
            value for value in range(low, high + 1) if begin <= value <= end and not (value - begin) % int(step or 1)
        }
    return found


def _day_holds(field: str, week: bool, day: datetime) -> bool:
    length = monthrange(day.year, day.month)[1]
    number = day.isoweekday() % 7 + 1
    for name, value in zip(WEEKDAYS, "1234567", strict=True):
        field = field.replace(name, value) if week else field
    for part in field.split(","):
        if week and "#" in part:
            hit = number == int(part[0]) and (day.day + 6) // 7 == int(part[2])
        elif week and part.endswith("L"):
            hit = number == 7 if part == "L" else number == int(part[0]) and day.day + 7 > length
        elif part == "L":
            hit = day.day == length
        elif part.endswith("W"):
            wanted = int(part[:-1])
            near = [d for d in range(1, length + 1) if datetime(day.year, day.month, d).weekday() < 5]
            hit = wanted <= length and day.day == min(near, key=lambda d: (abs(d - wanted), d if wanted > 1 else -d))
        else:
            hit = (number if week else day.day) in _expands(part, 1, 7 if week else 31)
        if hit:
            return True
    return False


def _scan(text: str, zone: ZoneInfo, after: datetime, minutes: int) -> list[datetime]:
    """Every minute of UTC asked whether its local time is due."""
    minute, hour, day, month, week, _ = text[5:-1].split()
    fields = (_expands(minute, 0, 59), _expands(hour, 0, 23), _expands(month, 1, 12))
    found = []
    for number in range(1, minutes + 1):
        at = after + timedelta(minutes=number)
        local = at.astimezone(zone)
        if local.fold or (local.minute not in fields[0]) or local.hour not in fields[1] or local.month not in fields[2]:
            continue
        if _day_holds(day if week == "?" else week, week != "?", local.replace(tzinfo=None)):
            found.append(at)
    return found


@settings(max_examples=60, deadline=None)
@given(
    _CRONS,
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
    st.sampled_from(
        ["2027-03-27T20:00", "2026-10-24T21:00", "2027-03-13T20:00", "2026-10-31T20:00", "2028-02-28T12:00"]
    ),
)
def test_it_fires_where_a_scan_of_every_minute_says(text: str, zone_name: str, begin: str) -> None:
    zone, after, expression = ZoneInfo(zone_name), when(begin), parse_expression(text)
    assert isinstance(expression, Cron)
    scanned = _scan(text, zone, after, 36 * 60)
    limit = after + timedelta(hours=36)
    found = []
    for each in firings(expression, zone, after, after):
        if each.at is not None and each.at > limit:
            break
        if each.at is not None:
            found.append(each.at)
    assert found == scanned
    minutes = ticks(expression, zone, after)
    assert all(at.minute in minutes and fires_at(expression, zone, at) for at in scanned)
    due = [at for number in range(1, 600) if fires_at(expression, zone, at := after + timedelta(minutes=number))]
    assert due == [at for at in scanned if at < after + timedelta(minutes=600)]


def test_kinds() -> None:
    assert isinstance(parse_expression("rate(2 days)"), Rate)
    assert isinstance(parse_expression("at(2026-01-01T00:00:00)"), At)
