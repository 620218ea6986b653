"""Plain scalars by the YAML 1.2 core schema, table by table (YAML 1.2.2 §10.3.2)."""

from __future__ import annotations

import math

import pytest

from loopstep.source.scalars import plain_scalar

TEXTS = (
    "yes no on off Yes y n tRue nULL 2001-01-01 12:30 1_000 0b1 0o8 0xg +0x1 -0o7 1e .e1 . - + inf nan .Inf1 - 1,5 <<"
)


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null(text: str) -> None:
    assert plain_scalar(text) is None


@pytest.mark.parametrize("text", TEXTS.split())
def test_texts(text: str) -> None:
    assert plain_scalar(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("True", True),
        ("TRUE", True),
        ("false", False),
        ("0", 0),
        ("-0", 0),
        ("+12", 12),
        ("012", 12),
        ("0o12", 10),
        ("0xfF", 255),
        ("9007199254740993", 9007199254740993),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1e3", -1000.0),
        ("5.0", 5.0),
        ("1e400", math.inf),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("9" * 5000, math.inf),
    ],
)
def test_values(text: str, value: object) -> None:
    found = plain_scalar(text)
    assert found == value and type(found) is type(value)


def test_not_a_number() -> None:
    found = plain_scalar(".NaN")
    assert isinstance(found, float) and math.isnan(found)
