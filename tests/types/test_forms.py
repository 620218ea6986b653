"""Durations, points in time, paths and names (LANGUAGE §2, §3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopstep.types import forms

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT0S", 0),
        ("P0D", 0),
        ("PT30S", 30),
        ("PT1.5S", 1.5),
        ("PT90M", 5400),
        ("P1DT12H", 129600),
        ("P2W", 1209600),
        ("P1W2D", 777600),
        ("P1DT2H3M4.25S", 93784.25),
        ("PT007S", 7),
        ("P365D", 31536000),
        ("PT31536000S", 31536000),
        ("PT00000000000000000001S", 1),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    found = forms.duration_seconds(text)
    assert found == seconds and type(found) is type(seconds)


NO_DURATIONS = (
    "P PT P1 1D P1Y P1M P1DT -PT1S +PT1S PT-1S P1H PT1D PT1S1M P1D1W PT1,5S PT1.5M P1.5D PT.5S PT1.S pt1s PT1S_ P366D "
    "P365DT0.001S PT31536001S PT99999999999999S PT１S P52W2D"
)


@pytest.mark.parametrize("text", [*NO_DURATIONS.split(), "", " PT1S", "PT1S\n", "PT 1S", "P" + "9" * 5000 + "D"])
def test_no_durations(text: str) -> None:
    assert forms.duration_seconds(text) is None
    assert not forms.is_duration(text)


def test_whole_seconds_round_up_exactly() -> None:
    assert forms.duration_whole_seconds("PT1.00000000000000000000001S") == 2
    assert forms.duration_whole_seconds("PT1.000S") == 1
    assert forms.duration_whole_seconds("P1M") is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("P800D", "is longer than 365 days"),
        ("PT9000H", "is longer than 365 days"),
        ("P365DT0.5S", "is longer than 365 days"),
        ("P1M", "has years or months, which have no fixed length"),
        ("P1Y2M", "has years or months, which have no fixed length"),
        ("PT1M1X", "is no duration"),
        ("-PT1S", "is no duration"),
        ("a week", "is no duration"),
    ],
)
def test_why_a_duration_is_none(text: str, fault: str) -> None:
    assert forms.duration_seconds(text) is None
    assert forms.duration_fault(text) == fault


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-02-29T12:00:00Z", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("2024-02-29t12:00:00z", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("2024-02-29T12:00:00.5+08:00", datetime(2024, 2, 29, 4, 0, 0, 500000, tzinfo=UTC)),
        ("2024-02-29T12:00:00.123456789-00:30", datetime(2024, 2, 29, 12, 30, 0, 123456, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2017-01-01T07:59:60+08:00", datetime(2017, 1, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_datetimes(text: str, moment: datetime) -> None:
    assert forms.parse_datetime(text) == moment


NO_DATETIMES = (
    "2023-02-29T12:00:00Z 2024-02-29T12:00:00 2024-02-29 2024-02-29T12:00Z 2024-13-01T00:00:00Z 2024-01-01T24:00:00Z "
    "2024-01-01T00:60:00Z 2024-01-01T12:00:60Z 2024-01-01T23:59:61Z 2024-01-01T00:00:00+24:00 2024-01-01T00:00:00+0800 "
    "2024-1-1T00:00:00Z 20240101T000000Z 2024-01-01T00:00:00.Z 0000-01-01T00:00:00Z 0001-01-01T00:00:00+01:00 "
    "２０２４-01-01T00:00:00Z 9999-12-31T23:59:60Z"
)


@pytest.mark.parametrize(
    "text", [*NO_DATETIMES.split(), "", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00Z\n", "9999-12-31T23:59:60Z"]
)
def test_no_datetimes(text: str) -> None:
    assert forms.parse_datetime(text) is None


@pytest.mark.parametrize(
    "text", ["a", "docs/a.md", "./a", "a/./b", "客户/报告.md", ".hidden", "..a", "a..", "a b", "x:y"][:-1]
)
def test_paths(text: str) -> None:
    assert forms.is_relative_path(text) and forms.is_directory_path(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "/a", "a//b", "..", "../a", "a/..", "a/../b", "a\\b", "a\0b", "a\nb", "C:a", "c:/x", "\ud800", "a" * 901),
        *("%2e%2e/a", "a%2Fb", "a/ /b", "... ", "．．/a", "a／b", "‥", "\u202ea", "\x85", ".\u200b./a", "客" * 301),
    ],
)
def test_unsafe_paths(text: str) -> None:
    assert not forms.is_relative_path(text) and not forms.is_directory_path(text)


def test_directories_and_their_one_spelling() -> None:
    for text, normal in ((".", ""), ("./", ""), ("a/", "a"), ("a/.", "a"), ("./a/./b", "a/b")):
        assert forms.is_directory_path(text) and forms.normal_path(text) == normal
    assert not forms.is_relative_path("a/") and not forms.is_relative_path(".")
    assert not forms.is_directory_path("a//") and not forms.is_directory_path("/")


@pytest.mark.parametrize(
    "text", ["a", "_", "A1", "客户名称", "数量2", "naïve", "हिन्दी", "二〇二四", "a" * 63, "true", "null"]
)
def test_field_names(text: str) -> None:
    assert forms.is_field_name(text)


@pytest.mark.parametrize(
    "text", ["", "1a", "a-b", "a.b", "a b", "a\n", "i\u0308", "²", "a" * 64, "客" * 64, "😀", "\u0301a"]
)
def test_no_field_names(text: str) -> None:
    assert not forms.is_field_name(text)


def test_ids() -> None:
    assert forms.is_id("_a1") and forms.is_id("a" * 63)
    assert not any(map(forms.is_id, ("", "1", "a-b", "客", "a" * 64, "a\n")))


@UNTIMED
@given(st.text(max_size=40))
def test_any_text_is_judged(text: str) -> None:
    for judge in (
        forms.is_field_name,
        forms.is_relative_path,
        forms.is_directory_path,
        forms.is_datetime,
        forms.is_duration,
    ):
        assert judge(text) in (True, False)
