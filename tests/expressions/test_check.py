"""Static typing (LANGUAGE §6). Each line: an expression, and the codes it gives."""

from __future__ import annotations

import pytest

from loopstep.expressions.ast import path_text
from loopstep.expressions.check import check, check_boolean
from loopstep.expressions.parse import parse
from loopstep.expressions.scope import Scope, Unavailable, error_root, loop_root, plan_root, record
from loopstep.types.schema import MISSING, Schema

TYPE, OPTIONAL, FIELD = "expr.type_mismatch", "reference.optional", "reference.unknown_field"

FIELDS = {
    "n": Schema("integer", required=True),
    "x": Schema("number", required=True),
    "m": Schema("integer"),
    "flag": Schema("boolean", required=True),
    "opt": Schema("boolean"),
    "s": Schema("string", required=True),
    "note": Schema("string"),
    "filled": Schema("string", default="x"),
    "tags": Schema("array", required=True, items=Schema("string", required=True)),
    "levels": Schema("array", required=True, items=Schema("string", enum=("low", "high"))),
    "list": Schema("array", required=True),
    "rows": Schema("array", required=True, items=Schema("object", properties={"k": Schema("integer", required=True)})),
    "level": Schema("string", required=True, enum=("low", "high")),
    "five": Schema("number", required=True, enum=(5, 10)),
    "o": Schema(
        "object",
        properties={
            "k": Schema("integer", required=True),
            "p": Schema("object", properties={"q": Schema("boolean", required=True)}),
        },
    ),
    "open": Schema("object", required=True),
    "any": Schema("any", required=True),
    "to": Schema("scope", required=True),
    "d": Schema("duration", required=True),
    "at": Schema("datetime", required=True),
    "file": Schema("filePath", required=True),
    "secret": Schema("string", required=True, secret=True),
    "broken": Schema("unknown"),
}
SCOPE = Scope(
    {
        "input": record(FIELDS),
        "state": record(FIELDS),
        "plan": plan_root(FIELDS),
        "error": error_root(),
        "loop": loop_root(2),
        "output": Unavailable("not here"),
        "winner": None,
        "items": Schema("array", required=True, items=record(FIELDS)),
        "branches": record({"a": record(FIELDS)}),
        "item": Schema("string", required=True),
    },
    frozenset({"state.note", "state.o.p.q"}),
)

FINE = """
input.n > 3 && input.x <= 2.5 && input.n == input.x
input.s < "b" && "a" >= input.s
input.s == 'x' || input.flag != true
input.n in [1, 2.5] && input.s in ["a", "b"] && input.s in input.tags && 1 in []
contains(input.s, "a") && contains(input.tags, input.s) && startsWith(input.s, "a") && endsWith(input.s, "b")
length(input.s) + length(input.tags) - length(input.open) * 2 > length(input.list)
input.level == "low" && input.level in ["low"] && contains(input.levels, "high") && input.level != input.s
input.five == 5.0 && input.five in [5, 10]
"a" == "b" || 1 == 2 || "c" in ["a", "b"] || [] == [] || true
input.m == null || input.m > 3
input.m != null && input.m > 3
null != input.m && input.m > 3
!(input.m == null) && input.m > 3
!(input.m != null) || input.m > 3
!(input.m == null || input.note == null) && input.m > length(input.note)
!(input.m != null && input.flag) || input.m > 3
(input.flag && input.m != null) && (input.m > 3 || input.m < 1)
input.m == null || input.note == null || input.m > length(input.note)
(input.m != null || input.m != null && input.flag) && input.m > 3
input.flag && input.m == null || input.s == "x"
input.o != null && input.o.k > 1
input.o.p.q != null && input.o.k > 1 && input.o.p != null && input.o.p.q
input.o.p != null && input.o.p.q
input.tags[0] != null && input.tags[0] == "a"
input.rows[2].k != null && input.rows[2].k > 3
input.rows[2] != null && input.rows[2].k > 3
input.any == null || input.any != null
input.filled == "y"
state.note == "a" && state.note != null
state.o.p.q && state.o.k > 1
input.to == state.to && input.to == "ops" && input.d == "PT30S"
input.at != "2024-02-29T12:00:00Z" && input.file == "a/b"
input.to in ["ops", "dev"] && input.to in [state.to, "ops"]
input.broken == 3 && input.broken && length(input.broken) > 2 && input.broken == null
winner.result.x > 3 && winner.branch == "a"
plan.input.n > 1 && plan.name != plan.run.id && plan.run.startedAt != "2024-02-29T12:00:00Z"
error.code == "x" && loop.index < loop.parent.maxIterations
item == "x" && items[0] != null && items[0].s == "x" && items.s[0] != null
length(items.n) > 1 && length(branches.a) > 0 && branches.a.n > 1
(input.n > 3) == input.flag
-input.n < - -3
"""

FAULTS = """
input.n && input.flag                                  expr.type_mismatch
input.s || input.any                                   expr.type_mismatch
input.s || input.n || input.flag || input.x            expr.type_mismatch expr.type_mismatch
input.s + 1 == "x"                                     expr.type_mismatch
!input.n                                               expr.type_mismatch
input.s > 3                                            expr.type_mismatch
input.flag < true                                      expr.type_mismatch
input.at < input.at                                    expr.type_mismatch
input.s == 3                                           expr.type_mismatch
input.flag == 1                                        expr.type_mismatch
input.tags == input.tags                               expr.type_mismatch
input.open == input.open                               expr.type_mismatch
input.any == 3                                         expr.type_mismatch
input.any == input.any                                 expr.type_mismatch
input.n in ["a"]                                       expr.type_mismatch
input.s in ["a", 1]                                    expr.type_mismatch
input.s in input.list                                  expr.type_mismatch
input.s in input.s                                     expr.type_mismatch
input.tags in [input.tags]                             expr.type_mismatch
input.tags in []                                       expr.type_mismatch
contains(input.list, "a")                              expr.type_mismatch
contains(input.tags, 1)                                expr.type_mismatch
contains(input.s, 1)                                   expr.type_mismatch
contains(input.n, 1)                                   expr.type_mismatch
contains(input.any, "a")                               expr.type_mismatch
startsWith(input.to, "a")                              expr.type_mismatch
startsWith(input.tags, 1)                              expr.type_mismatch
length(input.n) > 1                                    expr.type_mismatch
length(input.any) > 1                                  expr.type_mismatch
length(input.d) > 1                                    expr.type_mismatch
input.s + "x" == "yx"                                  expr.type_mismatch
input.n + input.s + input.x + input.tags > 1           expr.type_mismatch expr.type_mismatch
-input.s == 1                                          expr.type_mismatch
input.n * input.flag > 1                               expr.type_mismatch
input.level == "medium"                                expr.type_mismatch
"medium" != input.level                                expr.type_mismatch
input.level in ["low", "medium"]                       expr.type_mismatch
"medium" in input.levels                               expr.type_mismatch
contains(input.levels, "medium")                       expr.type_mismatch
input.five == 6                                        expr.type_mismatch
input.d == "soon"                                      expr.type_mismatch
input.d == input.s                                     expr.type_mismatch
input.d == input.at                                    expr.type_mismatch
input.d in ["PT1S", "soon", "later"]                   expr.type_mismatch
input.level in ["x", "y"]                              expr.type_mismatch
input.to in input.tags                                 expr.type_mismatch
input.n == null                                        expr.type_mismatch
input.filled != null                                   expr.type_mismatch
null == null                                           expr.type_mismatch
input.n + 1 == null                                    expr.type_mismatch
input.m < null                                         expr.type_mismatch reference.optional
input.s in [null]                                      expr.type_mismatch
null                                                   expr.type_mismatch
input.m > 3                                            reference.optional
input.m > 3 && input.m < 9                             reference.optional
input.opt                                              reference.optional
input.flag && input.opt                                reference.optional
input.m != null || input.m > 3                         reference.optional
input.m == null && input.m > 3                         reference.optional
(input.m != null || input.flag) && input.m > 3         reference.optional
!(input.m != null) && input.m > 3                      reference.optional
!(input.m == null && input.flag) && input.m > 3        reference.optional
input.m == null || input.note == null && input.m > 3 || input.note == "a"  reference.optional
input.o.k > 1                                          reference.optional
input.o != null && input.o.p.q                         reference.optional
input.tags[0] == "a"                                   reference.optional
input.tags[0] != null && input.tags[1] == "a"          reference.optional
input.rows[0].k > 1                                    reference.optional
[input.note] == null                                   reference.optional expr.type_mismatch
length(input.note) > 1 && startsWith(input.note, "a")  reference.optional
input.note == "a" && input.m == 3                      reference.optional reference.optional
input.nn > 1                                           reference.unknown_field
input.nn > 1 && input.zz == null                       reference.unknown_field reference.unknown_field
input.open.a == 1                                      reference.unknown_field
input.any.a == 1                                       reference.unknown_field
input.s.length > 1                                     reference.unknown_field
input.s[0] == "a"                                      reference.unknown_field
input.tags.a == "a"                                    reference.unknown_field
input == 1                                             reference.unknown_field
plan.input == null                                     reference.unknown_field
loop.parent == null                                    reference.unknown_field
items.zz == null                                       reference.unknown_field
normalize.result == "x"                                reference.unknown_root
None == input.m                                        reference.unknown_root
output.x == 1                                          reference.unavailable
loop.parent.parent.index > 1                           reference.unavailable
input.n                                                expr.not_boolean
input.s                                                expr.not_boolean
[true]                                                 expr.not_boolean
input.n + input.s                                      expr.type_mismatch
"""


@pytest.mark.parametrize("text", FINE.strip().splitlines())
def test_fine(text: str) -> None:
    ast, faults = parse(text)
    assert ast is not None and not faults
    if text.startswith('"a" == "b"'):
        text = text.replace("[] == [] || ", "")
        ast = parse(text)[0]
        assert ast is not None
    assert check_boolean(ast, SCOPE).faults == ()


@pytest.mark.parametrize("line", FAULTS.strip().splitlines())
def test_faults(line: str) -> None:
    words = line.split()
    codes = [word for word in words if word.startswith(("expr.", "reference."))]
    text = line.split("  ")[0]
    ast, faults = parse(text)
    assert ast is not None and not faults
    found = check_boolean(ast, SCOPE).faults
    assert sorted(fault.code for fault in found) == sorted(codes)
    for fault in found:
        assert 0 <= fault.start < fault.end <= len(text)


@pytest.mark.parametrize(
    ("text", "kind", "present"),
    [
        ("input.n", "integer", True),
        ("input.m", "integer", False),
        ("(input.m)", "integer", False),
        ("state.note", "string", True),
        ("input.o.k", "integer", False),
        ("state.o.k", "integer", True),
        ("input.tags[0]", "string", False),
        ("input.list[0]", "any", False),
        ("input.n + 1", "integer", True),
        ("input.n + 1.5", "number", True),
        ("input.n * 2 - input.x", "number", True),
        ("-input.x", "number", True),
        ("length(input.s)", "integer", True),
        ("input.n > 1", "boolean", True),
        ("['a', input.s]", "array", True),
        ("items.n", "array", True),
        ("items.m", "array", False),
        ("branches.a", "object", True),
        ("item", "string", True),
        ("plan.run.startedAt", "datetime", True),
    ],
)
def test_type_and_presence(text: str, kind: str, present: bool) -> None:
    ast, _ = parse(text)
    assert ast is not None
    typed = check(ast, SCOPE)
    assert typed.faults == ()
    assert typed.schema is not None
    assert (typed.schema.type, typed.present) == (kind, present)


def test_lists_keep_what_their_elements_have_in_common() -> None:
    def items(text: str) -> Schema | None:
        ast, _ = parse(text)
        assert ast is not None
        schema = check(ast, SCOPE).schema
        return None if schema is None else schema.items

    one = items("['a', 'b']")
    assert one is not None and one.enum == ("a", "b")
    assert (items("[1, 2.5]") or one).type == "number"
    assert (items("[input.to, 'ops']") or one).type == "scope"
    assert (items("[input.level, input.s]") or one).enum is None


def test_literals_are_known() -> None:
    def literal(text: str) -> object:
        ast, _ = parse(text)
        assert ast is not None
        return check(ast, SCOPE).literal

    assert literal("'PT30S'") == "PT30S"
    assert literal("[1, -2]") == [1, -2]
    assert literal("[]") == []
    assert literal("[input.n]") is MISSING
    assert literal("1 + 1") is MISSING


def test_references_and_secrets() -> None:
    ast, _ = parse("input.secret == 'x' && input.zz > state.n")
    assert ast is not None
    typed = check(ast, SCOPE)
    assert [path_text(ref.path) for ref in typed.refs] == ["input.secret", "input.zz", "state.n"]
    assert typed.secret


def test_hints() -> None:
    def hint(text: str) -> str:
        ast, _ = parse(text)
        assert ast is not None
        return check_boolean(ast, SCOPE).faults[0].hint

    assert hint("input.levl == 'low'") == "did you mean input.level?"
    assert hint("inptu.n > 1").startswith("did you mean input?")
    assert "state" in hint("normalize.n > 1") and "bindings" in hint("normalize.n > 1")
    assert hint("input.s.length > 1") == "write length(input.s)"
    assert hint("None == input.m") == "write null"
    assert hint("output.x == 1") == "not here"
    assert hint("input.m > 1") == "guard it: input.m != null && …"


def test_deep_nesting_of_any_kind_is_no_recursion_error() -> None:
    text = "true"
    for _ in range(64):
        text = f"false || true && 1 == 1 + 1 * ({text})"
    ast, faults = parse(text)
    assert ast is not None and not faults
    check_boolean(ast, SCOPE)
