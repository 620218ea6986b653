"""Objects in the answers of models: whatever stands around them, and bounded whatever the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.runtime.lenient_json import LONGEST, object_in

SAID = [
    ('{"a": 1}', {"a": 1}),
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('Here it is:\n```\n{"a": 1}\n```\nDone {ok}.', {"a": 1}),
    ('{"a": 1,}', {"a": 1}),
    ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
    ("{'a': 'it\\'s', \"b\": 'say \"x\"'}", {"a": "it's", "b": 'say "x"'}),
    ("{a: yes, b_c: True, d: None, e: null}", {"a": "yes", "b_c": True, "d": None, "e": None}),
    ('{"a": NaN, "b": Infinity, "c": -1e999}', {"a": "NaN", "b": "Infinity", "c": "-1e999"}),
    ('{"a": "line\nbreak", // why\n "b": /* x */ 2}', {"a": "line\nbreak", "b": 2}),
    ("{“a”：“值”，“b”：1}", {"a": "值", "b": 1}),
    ('{"a": "\\u4e2d\\ud83d\\ude00\\ud83d"}', {"a": "中😀\ufffd"}),
    ('{"a": .5, "b": 5., "c": +1, "d": 1e3}', {"a": 0.5, "b": 5, "c": 1, "d": 1000}),
    ('{"a": 123456789012345678901234567890}', {"a": 1.2345678901234568e29}),
    ('{"a": 1, "a": 2}', {"a": 2}),
    ('{broken {"a": 1}', {"a": 1}),
    ('{"x": 1} and {"a": 1, "b": 2} and {"a": 3}', {"a": 1, "b": 2}),
    ('{"a": {"b": {}}}', {"a": {"b": {}}}),
    ("\ufeff{ }", {}),
    ('{"名": "值"}', {"名": "值"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), SAID, ids=range(len(SAID)))
def test_an_object_is_found(text: str, found: Any) -> None:
    assert object_in(text, ["a", "b"]) == found


@pytest.mark.parametrize(
    "text",
    ["", "no", "[1]", "{", '{"a"', '{"a": ', '{"a": "never closed', '{"a": 1 "b": 2}', "{a}", '{"a": 1.2.3}',
     '{"a": {"b": ', "{5: 1}", '{"a": "\\'],
)  # fmt: skip
def test_there_is_none(text: str) -> None:
    assert object_in(text, ["a", "b"]) is None


@pytest.mark.parametrize(
    "text",
    ["{" * LONGEST, '{"a":' * 400_000, "[" * LONGEST, '{"a":"' + "\\" * LONGEST, "{a:/*" + "x" * LONGEST,
     '{"a": ' + "9" * LONGEST + "}", ('{"a": "' + "x" * 30_000) * 60, "{'" * 1_000_000, '{"a":[1' + "/*" * 900_000,
     '{"a": "\\ud83d' * 100_000],
    ids=range(10),
)  # fmt: skip
def test_long_and_deep_texts_come_to_an_end(text: str) -> None:
    """One that took more than one pass would not within any patience."""
    assert object_in(text, ["a"]) in (None, {"a": _NINES})


_NINES = "9" * (LONGEST - 6)  # not finite, so a text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=5), st.booleans())
def test_what_is_json_is_read_as_json(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert object_in(f"So: {text}, as asked.", value) == value


@given(st.text("{}[]\"':,/*\\ \nab1.-u“”", max_size=60))
def test_nothing_raises(text: str) -> None:
    found = object_in(text, ["a"])
    assert found is None or isinstance(found, dict)
