"""Elements of a fan_out: inline, or from an object of which a part reads its own alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.runs.elements import element, packed, place
from loopstep.runs.values import INLINE_LIMIT, Draft, Pointer, Values, ValueTooLarge

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


class Bucket:
    """One object, with or without ranged reads."""

    def __init__(self, body: bytes, ranges: bool) -> None:
        self.body, self.ranges = body, ranges
        self.read = 0

    def get_object(self, Bucket: str, Key: str, Range: str) -> dict[str, Any]:
        import io

        first, last = map(int, Range.removeprefix("bytes=").split("-"))
        if not self.ranges:
            return {"Body": io.BytesIO(self.body)}
        self.read += last + 1 - first
        return {"Body": io.BytesIO(self.body[first : last + 1]), "ContentRange": Range}


@given(st.lists(JSON, min_size=1, max_size=20), st.booleans())
def test_every_element_comes_back(items: list[Any], ranges: bool) -> None:
    body = packed(items)
    values = Values(lambda: Bucket(body, ranges), "values")
    assert [element(values, Pointer("k", len(body)), number) for number in range(len(items))] == items


def test_a_part_reads_its_element_and_sixteen_bytes() -> None:
    body = packed(["x" * 10_000] * 500)
    bucket = Bucket(body, True)
    assert element(Values(lambda: bucket, "values"), Pointer("k", len(body)), 499) == "x" * 10_000
    assert bucket.read == 16 + 10_003


def test_a_short_list_stays_in_the_record() -> None:
    draft = Draft("r", "each#", 1)
    short = place(["x" * (INLINE_LIMIT - 4)], draft)
    assert isinstance(short, str) and draft.objects == {}
    assert element(Values(lambda: None, "values"), short, 0) == "x" * (INLINE_LIMIT - 4)
    long = place(["x" * (INLINE_LIMIT - 3)], draft)
    assert isinstance(long, Pointer) and list(draft.objects) == [long.key]


def test_a_list_larger_than_a_value() -> None:
    with pytest.raises(ValueTooLarge):
        place(["x" * 1024 * 1024] * 6, Draft("r", "each#", 1))
