"""Texts with `{{ }}` (LANGUAGE §6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.expressions.render import render
from loopstep.expressions.scope import Scope, record
from loopstep.expressions.template import Interpolation, check_template, compile_parts, parse_template
from loopstep.types.schema import Schema

DATA: dict[str, Any] = {
    "input": {
        **{"n": 3, "x": 2.5, "f": 4.0, "b": True, "tiny": 1e-7},
        **{"l": ["é", '"q"'], "o": {"b": 1, "a": "世"}, "t": "{{ input.n }} {% $x %}"},
    }
}
SCOPE = Scope(
    {"input": record({"n": Schema("integer", required=True), "note": Schema("string"), "l": Schema("array")})}
)


def rendered(text: str, keep: bool = False) -> str:
    parts, faults = parse_template(text)
    assert not faults
    compiled = compile_parts(parts, keep)
    return render(json.loads(json.dumps(compiled)), DATA)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain } text }}", "plain } text }}"),
        ("{{ input.n }}|{{input.x}}|{{ input.f }}|{{ input.b }}|{{ input.tiny }}", "3|2.5|4|true|1e-7"),
        ("{{ input.l }}{{ input.o }}", '["é","\\"q\\""]{"b":1,"a":"世"}'),
        ("<{{ input.t }}>", "<{{ input.n }} {% $x %}>"),
        ("<{{ input.zz }}>", "<>"),
        (r"\{{ raw }} \\{{ x }}", r"{{ raw }} \{{ x }}"),
        ("{{ input.n + 1 }} {{ input.n > 2 }}", "4 true"),
        ("{{ '}}' }}{{ \"}}\" }}{{ 'it\\'s }}' }}", "}}}}it's }}"),
        ("{{ contains('{{', '{') }}", "true"),
        ("{{\n input.n\n}}", "3"),
        ("{ {{ input.n }} }", "{ 3 }"),
        ("{{ 'x' }}{{ 1.0 }}{{ [1, 2] }}", "x1[1,2]"),
    ],
)
def test_rendering(text: str, expected: str) -> None:
    assert rendered(text) == expected


def test_keep() -> None:
    assert rendered("{{ input.zz }} {{ input.o.zz[0] }} {{ input.n }}", keep=True) == "{{zz}} {{zz}} 3"
    assert compile_parts(parse_template("{{ input.zz }}")[0]) == [{"e": ["ref", "input", "zz"]}]


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        ("请求：{{ input.n", "template.syntax", 3),
        ("{{ '}}", "template.syntax", 0),
        ("a {{", "template.syntax", 2),
        ("{{ input.n }} {{ x }", "template.syntax", 14),
        ("ab {{ }}", "expr.syntax", 3),
        ("ab {{ input.n and true }}", "expr.syntax", 14),
        ("{{ {{ input.n }} }}", "expr.syntax", 3),
        ("{{ input.n }} {{ 1 +* 2 }}", "expr.syntax", 20),
        ("{{ " + "(" * 65 + "1" + ")" * 65 + " }}", "limit.depth", 67),
        ("x{{ " + "1" + " " * 4100 + " }}", "document.too_large", 3),
    ],
)
def test_faults(text: str, code: str, start: int) -> None:
    _, faults = parse_template(text)
    assert [(fault.code, fault.start) for fault in faults] == [(code, start)]


def test_parts() -> None:
    parts, _ = parse_template("a{{ input.n }}b{{ input.x }}")
    assert [part if isinstance(part, str) else (part.start, part.end) for part in parts] == [
        "a",
        (1, 14),
        "b",
        (15, 28),
    ]
    assert isinstance(parts[1], Interpolation)
    assert parts[1].ast is not None
    assert (parts[1].ast.start, parts[1].ast.end) == (4, 11)


@pytest.mark.parametrize(
    ("text", "keep", "codes"),
    [
        ("{{ input.n }}", False, []),
        ("{{ input.note }}", False, [("template.optional_reference", 3)]),
        ("{{ (input.note) }}", False, [("template.optional_reference", 4)]),
        ("{{ input.note }}", True, []),
        ("{{ length(input.note) }}", False, [("reference.optional", 10)]),
        ("{{ length(input.note) }}", True, [("reference.optional", 10)]),
        ("{{ input.note != null }}", False, []),
        (
            "{{ input.nn }} {{ input.l[0] }}",
            False,
            [("reference.unknown_field", 3), ("template.optional_reference", 18)],
        ),
        ("{{ null }}", False, [("expr.type_mismatch", 3)]),
    ],
)
def test_check(text: str, keep: bool, codes: list[tuple[str, int]]) -> None:
    parts, faults = parse_template(text)
    assert not faults
    assert [(fault.code, fault.start) for fault in check_template(parts, SCOPE, keep).faults] == codes


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["{{", "}}", "\\{{", "'", '"', "input.n", " ", "}", "{", "\\", "x"])).map("".join)
)
def test_never_raises(text: str) -> None:
    parts, faults = parse_template(text)
    check_template(parts, SCOPE)
    for fault in faults:
        assert 0 <= fault.start <= fault.end <= len(text)
    if not faults and "{{" not in text:
        assert rendered(text) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30))
def test_literal_text_survives_escaping(text: str) -> None:
    text = text.replace("\\", "/")
    assert rendered(text.replace("{{", "\\{{")) == text
