"""More items than `maxItems`, and joins that wait for more than can ever arrive (LANGUAGE §8)."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopstep.compiler.compile import compile

Faults = Callable[..., list[str]]

FIELDS = """
input:
  any: {type: array, required: true}
  few: {type: array, required: true, items: {type: string}, minItems: 1, maxItems: 2}
  many: {type: array, required: true, minItems: 600}
  none: {type: array, maxItems: 2}
"""

BAD = "  #! document.invalid_value"

PLAN = """
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - id: each
      type: fan_out
      fanOut:
%s
    - id: merge
      type: join
      join:
        fanOut: each
%s
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
%s
    - {id: out, source: {nodeId: merge, port: completed}, target: {nodeId: done, port: in}}
"""


def plan(fan_out: list[str], join: list[str], ports: tuple[str, ...] = ("item",)) -> str:
    edges = [
        f"- {{id: e_{p}, source: {{nodeId: each, port: {p}}}, target: {{nodeId: merge, port: in}}}}" for p in ports
    ]
    lines = ("\n".join("        " + line for line in some) for some in (fan_out, join))
    return PLAN % (*lines, "\n".join("    " + edge for edge in edges))


def count(number: int, mark: str = "") -> list[str]:
    return ["mode: count", f"count: {number}{mark}"]


SIX_HUNDRED = ", ".join(["1"] * 600)

ITEMS: dict[str, tuple[list[str], list[str]]] = {
    "as_many_as_are_allowed": (["items: {ref: plan.input.any}", "maxItems: 5"], count(5)),
    "more_than_are_allowed": (["items: {ref: plan.input.any}", "maxItems: 5"], count(6, BAD)),
    "more_than_are_allowed_by_default": (["items: {ref: plan.input.any}"], count(501, BAD)),
    "as_many_as_stand_there": (["items: {value: [a, b]}"], count(2)),
    "more_than_stand_there": (["items: {value: [a, b]}"], count(3, BAD)),
    "more_than_an_expression_lists": (["items: {expr: '[1, 2]'}"], count(3, BAD)),
    "more_than_the_contract_takes": (["items: {ref: plan.input.few}"], count(3, BAD)),
    "as_many_as_the_contract_takes": (["items: {ref: plan.input.few}"], count(2)),
    "a_default_may_be_longer": (["items: {ref: plan.input.none, default: [1, 2, 3]}"], count(3)),
    "neither_source_nor_default": (["items: {ref: plan.input.none, default: [1, 2, 3]}"], count(4, BAD)),
    "what_converts_is_not_known": (["items: {ref: plan.input.few, convert: {to: array}}"], count(3)),
    "the_first_of_none": ([f"items: {{value: []}}{BAD}"], ["mode: any"]),
    "all_of_none": (["items: {value: []}"], ["mode: all"]),
    "the_first_of_perhaps_none": (["items: {ref: plan.input.any}"], ["mode: any"]),
    "six_hundred_written_down": ([f"items: {{value: [{SIX_HUNDRED}]}}{BAD}"], ["mode: all"]),
    "six_hundred_allowed": ([f"items: {{value: [{SIX_HUNDRED}]}}", "maxItems: 600"], ["mode: all"]),
    "six_hundred_promised": ([f"items: {{ref: plan.input.many}}{BAD}"], ["mode: all"]),
    "six_hundred_by_default": (
        [f"items: {{ref: plan.input.none, default: [{SIX_HUNDRED}]}}{BAD}"], ["mode: all"],
    ),
    "too_many_is_one_fault": ([f"items: {{value: [{SIX_HUNDRED}]}}{BAD}"], count(550)),
    "two_faults": ([f"items: {{value: [{SIX_HUNDRED}]}}{BAD}"], count(601, BAD)),
    "an_unreadable_limit_is_none": (["items: {ref: plan.input.any}", f"maxItems: many{BAD}"], count(501)),
    "unreadable_items_are_any": ([f"items: [a]{BAD.replace('document.invalid_value', 'value.exclusive')}"], count(3)),
    "items_of_the_wrong_type": ([f"items: {{value: abc}}{BAD.replace('document.invalid_value', 'binding.type_mismatch')}"], count(3)),
    "a_count_that_belongs_to_no_mode": (["items: {value: [a, b]}"], ["mode: all", f"count: 3{BAD}"]),
    "an_unreadable_mode": (["items: {value: [a, b]}"], [f"mode: cuont{BAD}", "count: 3"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ITEMS)
def test_items(name: str, faults: Faults) -> None:
    assert faults(FIELDS, plan(*ITEMS[name])) == []


@pytest.mark.parametrize(
    ("branches", "join"),
    [
        ("branches: [a, b]", count(2)),
        ("branches: [a, b]", count(3, BAD)),
        (f"branches: [a, b, 5]{BAD}", count(3)),
        (f"branches: [a, b, b]{BAD}", count(3)),
    ],
)
def test_branches(branches: str, join: list[str], faults: Faults) -> None:
    assert faults(FIELDS, plan([branches], join, ("a", "b"))) == []


def test_a_second_join_is_not_judged(document: Callable[..., str]) -> None:
    second = "    - {id: more, type: join, join: {fanOut: each, mode: count, count: 9}}\n    - {id: done,"
    text = document(FIELDS, plan(["items: {value: [a, b]}"], count(2)).replace("    - {id: done,", second))
    errors = {one.code for one in compile(text).diagnostics if one.severity == "error"}
    assert errors == {"graph.join_unpaired", "graph.unwired_port"}


@pytest.mark.parametrize(
    ("fan_out", "join", "message"),
    [
        (["items: {value: [a, b]}"], count(3), "`count` is 3, but `each` has only 2 items"),
        (["items: {ref: plan.input.any}", "maxItems: 1"], count(6), "`count` is 6, but `each` takes at most 1 item"),
        (["items: {ref: plan.input.few}"], count(3), "`count` is 3, but `plan.input.few` has at most 2 items"),
        (
            ["items: {ref: plan.input.many}"],
            count(3),
            "`plan.input.many` has at least 600 items, and `maxItems` allows 500",
        ),
        (
            ["items: {value: []}"],
            ["mode: any"],
            "`each` has only 0 items, and `merge` waits for the first that arrives",
        ),
    ],
)
def test_what_is_said(fan_out: list[str], join: list[str], message: str, document: Callable[..., str]) -> None:
    found = [one.message for one in compile(document(FIELDS, plan(fan_out, join))).diagnostics]
    assert found == [message]
