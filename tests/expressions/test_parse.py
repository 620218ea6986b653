"""Expression texts to trees, and every wrong spelling with its hint (LANGUAGE §6)."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.expressions.ast import Faulty, Reference, references
from loopstep.expressions.check import check
from loopstep.expressions.parse import parse, parse_ref
from loopstep.expressions.scope import Scope
from loopstep.expressions.tree import to_tree


def tree(text: str) -> Any:
    ast, faults = parse(text)
    assert ast is not None and not faults, faults
    return to_tree(ast)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        (" null\n", None),
        ("42", 42),
        ("5.0", 5),
        ("1e3", 1000),
        ("-2.5", -2.5),
        ("- 3", -3),
        ("-0.0", 0),
        ("9007199254740991", 9007199254740991),
        ('"a\\"b\\\\\\n\\u4e16\\ud83d\\ude00"', 'a"b\\\n世😀'),
        ("'it\\'s \"so\"'", 'it\'s "so"'),
        ("state.note", ["ref", "state", "note"]),
        ("(state.note)", ["ref", "state", "note"]),
        ("input.in", ["ref", "input", "in"]),
        ("state.null.true.length", ["ref", "state", "null", "true", "length"]),
        ("input.客户名称", ["ref", "input", "客户名称"]),
        ("input.e\u0301", ["ref", "input", unicodedata.normalize("NFC", "e\u0301")]),
        ("input.tags[0].x[12]", ["ref", "input", "tags", 0, "x", 12]),
        ("[1, 'a', input.x]", ["list", 1, "a", ["ref", "input", "x"]]),
        ("[]", ["list"]),
        ("a.b || a.c && a.d", ["||", ["ref", "a", "b"], ["&&", ["ref", "a", "c"], ["ref", "a", "d"]]]),
        ("1 + 2 * 3 < 4 == true", None),
        ("1 + 2 * 3", ["+", 1, ["*", 2, 3]]),
        ("(1 + 2) * 3", ["*", ["+", 1, 2], 3]),
        ("5 - 3", ["-", 5, 3]),
        ("5 -3", ["-", 5, 3]),
        ("9 - 3 - 2", ["-", 9, 3, 2]),
        ("9 - 3 + 2", ["+", 9, ["neg", 3], 2]),
        ("1 + 2 + 3", ["+", 1, 2, 3]),
        ("!a.b == a.c", ["==", ["!", ["ref", "a", "b"]], ["ref", "a", "c"]]),
        ("!(a.b in a.c)", ["!", ["in", ["ref", "a", "b"], ["ref", "a", "c"]]]),
        ("--a.b", ["neg", ["neg", ["ref", "a", "b"]]]),
        ("contains(a.b, 'x')", ["call", "contains", ["ref", "a", "b"], "x"]),
        ("length (a.b)", ["call", "length", ["ref", "a", "b"]]),
        ('"==" == a.b', ["==", "==", ["ref", "a", "b"]]),
    ],
)
def test_trees(text: str, expected: Any) -> None:
    if expected is None and text != " null\n":
        assert parse(text)[1][0].code == "expr.syntax"
        return
    assert tree(text) == expected
    assert type(tree(text)) is type(expected)


SYNTAX = [
    ("a.b and a.c", "and", "&&"),
    ("a.b AND a.c", "AND", "&&"),
    ("a.b or a.c", "or", "||"),
    ("not a.b", "not", "!"),
    ("not(a.b)", "not", "!"),
    ("a.b = 1", "=", "=="),
    ("a.b === 1", "===", "=="),
    ("a.b !== 1", "!==", "!="),
    ("a.b <> 1", "<>", "!="),
    ("a.b & a.c", "&", "&&"),
    ("a.b | a.c", "|", "||"),
    ("1 < a.b < 3", "<", "a < b && b < c"),
    ("a.b == a.c == a.d", "==", "a == b && b == c"),
    ("a.b / 2", "/", "division"),
    ("a.b % 2", "%", "remainder"),
    ("a.b ** 2", "**", "power"),
    ("a.b ? 1 : 2", "?", "conditional"),
    ("a.b ?? 1", "??", "default"),
    ("upper(a.b)", "upper", "contains"),
    ("lenght(a.b)", "lenght", "length"),
    ("startswith(a.b, 'x')", "startswith", "startsWith"),
    ("len(a.b)", "len", "length"),
    ("length(a.b, 3)", "length(a.b, 3)", "length("),
    ("length()", "length()", "length("),
    ("contains(a.b)", "contains(a.b)", "contains("),
    ("a.b[a.c]", "a", "written out"),
    ("a.b[-1]", "-", "written out"),
    ("a.b['x']", "'x'", ".name"),
    ("a.b[1.0]", "1.0", "written out"),
    ("a.b[01]", "01", "JSON"),
    ("a..b", ".", ""),
    ("a.", ".", ""),
    (".b", ".", "root"),
    ("a .b", ".", "blanks"),
    ("a.b.length()", "length", "length("),
    ("a.b?.c", "?.", "guard"),
    ("{{ a.b }}", "{{", "no braces"),
    ("a.b }}", "}}", "no braces"),
    ("$.a", "$", "root"),
    ("`a`", "`", "texts"),
    ("(a.b && a.c", "(", ")"),
    ("a.b)", ")", ""),
    ("[1, 2", "[", "]"),
    ("[1,]", "]", ""),
    ("length(a.b", "(", ")"),
    ("a.b &&", "", ""),
    ("&& a.b", "&&", ""),
    ("", "", ""),
    ("  ", "", ""),
    ("a.b a.c", "a", "join"),
    ("a.b not in a.c", "not", "!"),
    ("in a.b", "in", ""),
    ("null.x", ".", "root"),
    ("01", "01", "JSON"),
    ("1_000", "1_000", "JSON"),
    ("0x10", "0x10", "JSON"),
    (".5", ".", "0"),
    ("+5", "+", "sign"),
    ("9007199254740992", "9007199254740992", "texts"),
    ("1e300", "1e300", "texts"),
    ("1e999", "1e999", "texts"),
    ('"abc', '"abc', "closing"),
    ('"a\\q"', "\\q", "escapes"),
    ('"a\\\'"', "\\'", "escapes"),
    ('"a\nb"', "\n", "\\n"),
    ('"\\ud800"', '"\\ud800"', "halves"),
    ("“a”", "“", '"'),
    ("a.b ＝ 1", "＝", "="),
    ("{a: 1}", "{", "value"),
    ("a.b; a.c", ";", ""),
    ("a.b matches 'x'", "matches", "contains"),
]


@pytest.mark.parametrize(("text", "token", "hint"), SYNTAX)
def test_syntax(text: str, token: str, hint: str) -> None:
    ast, faults = parse(text)
    assert faults, "a wrong spelling must be reported"
    assert {fault.code for fault in faults} == {"expr.syntax"}
    first = faults[0]
    assert text[first.start : first.end] == token
    assert hint in first.hint
    assert ast is None or isinstance(ast, Faulty)


def test_wrong_spellings_are_all_reported_and_references_still_checked() -> None:
    ast, faults = parse("inputs.a = 1 and not upper(state.b)")
    assert [(fault.code, fault.start) for fault in faults] == [("expr.syntax", at) for at in (9, 13, 17, 21)]
    assert ast is not None
    assert [reference.path for reference in references(ast)] == [("inputs", "a"), ("state", "b")]
    assert [fault.code for fault in check(ast, Scope({"state": None})).faults] == ["reference.unknown_root"]


def test_offsets() -> None:
    ast, _ = parse(' "世" == input.世界')
    assert ast is not None
    assert (ast.start, ast.end) == (1, 16)
    (reference,) = references(ast)
    assert (reference.start, reference.end) == (8, 16)


@pytest.mark.parametrize("pair", ["()", "!", "-", "[]", "length()"])
def test_depth(pair: str) -> None:
    opening, closing = (pair[:-1], pair[-1]) if pair[-1] in ")]" else (pair, "")
    text = opening * 64 + "a.b" + closing * 64
    assert parse(text)[1] == []
    deeper = parse(opening + text + closing)
    assert [fault.code for fault in deeper[1]] == ["limit.depth"]
    assert [fault.code for fault in parse(opening * 300)[1]] == ["limit.depth"]


def test_length() -> None:
    assert parse("'" + "x" * 4094 + "'")[1] == []
    for read in (parse, parse_ref):
        assert [fault.code for fault in read("a" * 4097)[1]] == ["document.too_large"]


def test_long_chains_stay_flat() -> None:
    for text in ("||".join(["true"] * 680), "+".join(["1"] * 2000), "1" + "+1-1" * 1000, "*".join(["1"] * 2000)):
        assert tree(text)[0] in ("||", "+", "*")


@pytest.mark.parametrize("text", ["state.total", " plan.input.x \n", "items", "input.in", "input.a[0].b", "a.客户"])
def test_ref_and_expr_give_the_same_tree(text: str) -> None:
    reference, faults = parse_ref(text)
    assert isinstance(reference, Reference) and not faults
    assert to_tree(reference) == tree(text)


@pytest.mark.parametrize(
    "text",
    [
        *["", "true", "null", "in", "3", "'a'", "(a.b)", "a.b + 1", "a.b a.c", "length(a.b)", "{{ a.b }}"],
        *["a.b }}", "a.", "a[x]", "a.b = 1", "“", '"'],
    ],
)
def test_ref_takes_nothing_else(text: str) -> None:
    reference, faults = parse_ref(text)
    assert reference is None
    assert [fault.code for fault in faults] == ["expr.syntax"]


PIECES = st.lists(
    st.sampled_from(
        [
            *["||", "&&", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "!", "(", ")", "[", "]", ",", "."],
            *["a.b", "a", "b1", "null", "true", "1", "2.5", "'x'", '"y"', "contains(", "length(", "世", "é", "[0]"],
            *[
                "=",
                "===",
                "&",
                "|",
                "/",
                "%",
                "?",
                ":",
                "and",
                "or",
                "not",
                "{{",
                "}}",
                "$",
                "?.",
                "[a]",
                "'",
                '"',
                "\\",
            ],
            *["9e999", "", " "],
        ]
    ),
    max_size=40,
)


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60) | PIECES.map("".join) | PIECES.map(" ".join))
def test_never_raises(text: str) -> None:
    for read in (parse, parse_ref):
        ast, faults = read(text)
        assert (ast is None or isinstance(ast, Faulty)) == bool(faults)
        for fault in faults:
            assert 0 <= fault.start <= fault.end <= len(text)
        if ast is not None:
            check(ast, Scope({}))
