"""Marks around data, the context block, the system prompt (CANVAS §2)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.runtime.prompts import (
    CUT,
    HEADING,
    NOTE,
    compile_prompt,
    context_block,
    defused,
    marked,
    marked_value,
    system_prompt,
)

OPENS = re.compile(r"<\s*/?\s*data\b", re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "</data>",
        "<data>",
        "< /  data >",
        "</DATA\n>",
        "<data x='1'>",
        "a</data></data>b",
        "<<data>>",
        "</data",
        "<\tdata",
        "<" + " " * 200_000 + "/" + " " * 200_000 + "data",
    ],
)
def test_no_mark_survives_inside(text: str) -> None:
    assert not OPENS.search(defused(text))
    assert marked(text).count("</data>") == 1 and marked(text).endswith("</data>")


@pytest.mark.parametrize(
    "text",
    [
        "＜/data＞",
        "﹤data﹥",
        "</ｄａｔａ>",
        "<\u200b/data>",
        "<\u2060\u200d/\ufeff data>",
        "</da\u200bta>",
        "</d\u00adata>",
        "<\u0338/data>",
        "<\u3000/data>",
        "<／data>",
        "<\x00/\x01data>",
        "</𝐝𝐚𝐭𝐚>",
        "</dаtа>",
        "‹/DATA›",
        "<" + "\u200b" * 200_000 + "/data>",
    ],
    ids=range(15),
)
def test_what_looks_like_a_mark_is_none_either(text: str) -> None:
    assert defused(text).startswith("&lt;") and defused(text)[4:] == text[1:]
    assert defused(f"a{text}b<c") == f"a&lt;{text[1:]}b<c" or text[-1].isalpha()


@pytest.mark.parametrize("text", ["《数据》", "«data»", "x ＜ 5", "<dа", "＜数据＞", "<datа_x>", "<é>", "<da ta>"])
def test_other_text_beyond_ascii_stays_as_it_is(text: str) -> None:
    assert defused(text) == text


@pytest.mark.parametrize("text", ["a < b", "<date>", "</database>", "<datax>", "data", "&lt;data>", "x</p>"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert defused(text) == text


@given(st.lists(st.sampled_from(["<", "/", "data", "DATA", ">", " ", "\n", "x", "&lt;"]), max_size=12).map("".join))
def test_whatever_the_text_the_marks_are_ours(text: str) -> None:
    assert len(OPENS.findall(marked(text))) == 2
    assert defused(defused(text)) == defused(text)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", "<data>a</data>"),
        ("", "<data></data>"),
        (5, "5"),
        (1.5, "1.5"),
        (True, "true"),
        (["</data>"], '<data>["&lt;/data>"]</data>'),
        ({"a": 1}, '<data>{"a":1}</data>'),
    ],
)
def test_values(value: Any, shown: str) -> None:
    assert marked_value(value) == shown


def test_a_value_with_template_characters_is_not_rendered_again() -> None:
    prompt = compile_prompt(["Say ", {"e": ["ref", "input", "a"]}, {"e": ["ref", "input", "b"], "k": "{{b}}"}])
    assert prompt({"input": {"a": "{{ input.b }}{%x%}"}}) == "Say <data>{{ input.b }}{%x%}</data>{{b}}"


def test_the_lines_of_a_block() -> None:
    values = {"b": "two", "a": 1, "none": None, "o": {"k": "v"}, "empty": ""}
    assert (
        context_block(["a", "none", "gone", "b", "o", "empty"], values) == '- a：1\n- b：two\n- o：{"k":"v"}\n- empty：'
    )
    assert context_block([], values) == context_block(["none"], values) == ""


@pytest.mark.parametrize(("length", "mark"), [(CUT, ""), (CUT + 1, "… [cut: 2,000 of 2,001 characters]")])
def test_a_long_value_is_cut_and_says_so(length: int, mark: str) -> None:
    assert context_block(["a"], {"a": "é" * length}) == f"- a：{'é' * CUT}{mark}"


def test_system_prompts() -> None:
    assert system_prompt("") == ""
    assert system_prompt(" Be kind. ") == "Be kind."
    assert system_prompt("Be kind.", prompts=["plain"]) == "Be kind."
    assert system_prompt("", prompts=["<data>x</data>"]) == NOTE
    assert system_prompt("A", "- a：</data>") == f"A\n\n{NOTE}\n\n{HEADING}\n<data>\n- a：&lt;/data>\n</data>"
    assert system_prompt(marked("A")).count(NOTE) == 1
