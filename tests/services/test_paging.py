"""Cursors fit the list that gave them out, and nothing else."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.services import paging
from loopstep.services.refusals import Malformed


@given(st.text(max_size=20), st.text(max_size=63))
def test_a_place_comes_back(listing: str, place: str) -> None:
    assert paging.take([listing], paging.give([listing], place), str) == place


def test_the_end_has_no_cursor() -> None:
    assert paging.give(["plans"], None) is None
    assert paging.take(["plans"], None, str) is None


@given(st.text(max_size=60))
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(Malformed):
        paging.take(["plans"], text, str)


@pytest.mark.parametrize("raw", ["1", "[]", '["x"]', "{}", "[" * 900, "null", '[["plans"],null]', '[["plans"],"x",1]'])
def test_well_encoded_nonsense_is_refused(raw: str) -> None:
    with pytest.raises(Malformed):
        paging.take(["plans"], base64.urlsafe_b64encode(raw.encode()).decode(), str)


@pytest.mark.parametrize(("place", "kind"), [(1, str), ("1", int), (True, int), (1.5, int), ("x" * 64, str), ([], str)])
def test_places_of_another_kind_are_refused(place: Any, kind: Any) -> None:
    text = base64.urlsafe_b64encode(json.dumps([["plans"], place]).encode()).decode()
    with pytest.raises(Malformed):
        paging.take(["plans"], text, kind)


def test_a_cursor_of_another_list_is_refused() -> None:
    with pytest.raises(Malformed):
        paging.take(["versions", "b"], paging.give(["versions", "a"], 1), int)
