"""One "did you mean" for the whole product."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopstep.diagnostics.suggest import did_you_mean, listed, nearest, sparingly

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        ("normalised", ["normalized", "note"], "normalized"),
        ("sumary", ["summary", "request"], "summary"),
        ("cuont", ["count", "customer"], "count"),
        ("set_variables", ["set_variable", "send_message"], "set_variable"),
        ("Count", ["count"], "count"),
        ("maxitems", ["maxItems", "minItems"], "maxItems"),
        ("客户名", ["客户名称", "数量"], "客户名称"),
        ("fail", ["failed", "completed"], None),
        ("faild", ["failed", "completed"], "failed"),
        ("x", ["y"], None),
        ("", ["a"], None),
        ("ab", ["ac", "bb"], "ac"),
        ("branch", [], None),
        ("count", ["count"], None),
    ],
)
def test_nearest(name: str, candidates: list[str], expected: str | None) -> None:
    assert {nearest(name, order) for order in itertools.permutations(candidates)} == {expected}


def test_in_words() -> None:
    assert did_you_mean("sumary", ["summary"]) == 'did you mean "summary"?'
    assert did_you_mean("x", ["summary"]) == ""


@UNTIMED
@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=5))
def test_the_order_of_candidates_never_counts(name: str, candidates: list[str]) -> None:
    found = nearest(name, candidates)
    assert found == nearest(name, reversed(candidates)) and (found is None or found in candidates)


def test_suggestions_share_their_patience() -> None:
    names = [f"field_with_a_name_{number}" for number in range(1000)]
    with sparingly():
        found = [nearest(f"field_wiht_a_name_{number}", names) for number in range(100)]
        with sparingly():
            assert nearest("field_wiht_a_name_1", names) is None, "the outer patience counts"
    assert found[0] == "field_with_a_name_0" and found[-1] is None
    assert nearest("field_wiht_a_name_1", names) == "field_with_a_name_1"


def test_one_suggestion_does_not_take_long() -> None:
    assert nearest("x" * 100_000, ["x" * 99_999]) is None
    assert nearest("abcdef", ["abcdeg", "y" * 100_000]) == "abcdeg"


def test_lists_are_short() -> None:
    assert listed(["a", "b"]) == "`a`, `b`"
    assert listed(map(str, range(100))).endswith("`29`, …")
