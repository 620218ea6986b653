"""A rewritten text shows what the canvas's would: the filled placeholders, everything else as it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.canvas.templates import PLACEHOLDER, placeholders, rewrite
from loopstep.expressions.template import compile_parts, parse_template, render

PIECES = st.lists(st.sampled_from(["{", "}", "{{", "}}", "\\", "{{a}}", "{{ b }}", "{{名}}", "a", '"', "'", " ", "\n"]))


@given(PIECES)
def test_it_shows_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)
    values = {"a": "A{{b}}", "名": "\\{{"}
    parts, faults = parse_template(rewrite(text, values.__contains__))
    assert faults == []
    expected = PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
    assert render(compile_parts(parts, True), {"input": values}) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{a}} {{ b }} {{a}}", ["a", "b", "a"]),
        ("{{{a}}}", ["a"]),
        ("{{}} {{ }} {a} {{a", []),
        ('{{"a": 1}} {{ f(x) }}', []),
        ("{{客户名称}}{{order no}}", ["客户名称", "order no"]),
    ],
)
def test_what_is_a_placeholder(text: str, names: list[str]) -> None:
    assert [each.name for each in placeholders(text)] == names
