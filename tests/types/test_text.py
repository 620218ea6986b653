"""Numbers and JSON as ECMAScript writes them (ECMA-262 §6.1.6.1.20, LANGUAGE §6)."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopstep.types.text import SAFE, is_integer, is_number, json_equal, json_text, normalize_number, number_text

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (5.0, "5"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-7, "1.25e-7"),
        (1e16, "10000000000000000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1.5e21, "-1.5e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (6.02e23, "6.02e+23"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (0.000123, "0.000123"),
        (1234.5678, "1234.5678"),
        (9007199254740993, "9007199254740993"),
        (10**30, "1" + "0" * 30),
    ],
)
def test_numbers(number: int | float, text: str) -> None:
    assert number_text(number) == text


@UNTIMED
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_round_trip_in_the_shortest_way(number: float) -> None:
    text = number_text(number)
    assert float(text) == number
    digits = sum(c.isdigit() for c in text.partition("e")[0].strip("0-.") if c != ".")
    assert digits <= 17 + 4


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number(number: float) -> None:
    with pytest.raises(ValueError):
        number_text(number)
    with pytest.raises(ValueError):
        json_text([number])
    assert not is_number(number)


def test_which_numbers_the_language_has() -> None:
    assert all(map(is_number, (0, -SAFE, SAFE, 0.5, 5.0, float(SAFE))))
    assert not any(map(is_number, (SAFE + 1, -SAFE - 1, 1e300, 10**400, True, "1", None)))
    assert is_integer(5.0) and is_integer(3) and not is_integer(0.5) and not is_integer(True)
    assert normalize_number(5.0) == 5 and isinstance(normalize_number(5.0), int)
    assert normalize_number(0.5) == 0.5


def test_json() -> None:
    value = {"b": [1, 2.0, 1e-7, None, True], "a": {"客": 'x"\n\u2028'}}
    assert json_text(value) == '{"b":[1,2,1e-7,null,true],"a":{"客":"x\\"\\n\u2028"}}'
    assert json_text({"b": [1], "a": "é"}) == '{"b":[1],"a":"é"}'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@UNTIMED
@given(JSON)
def test_json_reads_back(value: object) -> None:
    assert json_equal(json.loads(json_text(value), parse_int=float), value)


def test_equality_is_that_of_json() -> None:
    assert json_equal({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0})
    assert not json_equal(1, True) and not json_equal([0], [False]) and not json_equal([1], [1, 2])
    assert not json_equal({"a": 1}, {"b": 1}) and not json_equal("1", 1) and json_equal(None, None)
