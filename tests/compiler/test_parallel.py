"""Parallel state: who touches what at the same time (LANGUAGE §8)."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopstep.compiler.compile import compile
from loopstep.compiler.parallel import Touch, at_once, conflicts
from loopstep.compiler.program import Enclosing

Faults = Callable[..., list[str]]

FIELDS = """
input: {s: {type: scope, required: true}}
output: {}
state:
  a: {type: object, default: {}, properties: {b: {type: string}, c: {type: string}}}
  x: {type: string, default: ""}
  i: {type: integer, default: 0}
"""

TWO = """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - %s
    - %s
    - {id: both, type: join, input: {v: {type: string}}, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: to_l, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}%s}
    - {id: to_r, source: {nodeId: split, port: r}, target: {nodeId: right, port: in}%s}
    - {id: l_done, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}%s}
    - {id: r_done, source: {nodeId: right, port: completed}, target: {nodeId: both, port: in}%s}
    - {id: out, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
"""


def sets(node: str, path: str, value: str = "{value: x}") -> str:
    return f"{{id: {node}, type: set_variable, setVariable: {{assignments: [{{state: {path}, value: {value}}}]}}}}"


def passes(node: str, fields: str = "{v: {type: string}}") -> str:
    return f"{{id: {node}, type: pass, input: {fields}, pass: {{}}}}"


CONFLICT = "  #! state.parallel_conflict"

PAIRS = {
    "a_path_and_its_part": (sets("left", "a.b"), sets("right", "a", "{value: {}}") + CONFLICT, "", "", "", ""),
    "siblings": (sets("left", "a.b"), sets("right", "a.c"), "", "", "", ""),
    "read_by_a_leaving_edge": (
        sets("left", "x"), passes("right") + CONFLICT, "", "", "", ", bindings: {v: {ref: state.x}}",
    ),
    "read_by_its_when": (
        sets("left", "i", "{value: 1}"), passes("right") + CONFLICT,
        "", "", "", ", when: state.i > 1, bindings: {}}\n    - {id: r2, source: {nodeId: right, port: completed}, target: {nodeId: both, port: in}",
    ),
    "read_by_the_edge_that_leads_in": (
        sets("left", "x"), passes("right") + CONFLICT, "", ", bindings: {v: {ref: state.x}}", "", "",
    ),
    "the_later_node_is_the_place": (
        passes("left"), sets("right", "x") + CONFLICT, ", bindings: {v: {ref: state.x}}", "", "", "",
    ),
    "once_per_path_and_pair": (
        sets("left", "x", "{expr: 'state.x'}"), sets("right", "x", "{ref: state.x}") + CONFLICT,
        "", "", "", ", bindings: {v: {ref: state.x}}",
    ),
    "once_per_path": (
        "{id: left, type: set_variable, setVariable: {assignments: [{state: x, value: {value: x}}, {state: i, value: {value: 1}}]}}",
        "{id: right, type: set_variable, setVariable: {assignments: [{state: x, value: {value: x}}, {state: i, value: {value: 1}}]}}"
        + CONFLICT + CONFLICT.replace("  #", " #"),
        "", "", "", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_two_branches(name: str, faults: Faults) -> None:
    assert faults(FIELDS, TWO % PAIRS[name]) == []


ITEMS = """
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {items: {value: [1, 2]}, maxConcurrency: 1}}
    - {id: first, type: set_variable, setVariable: {assignments: [{state: a.b, value: {value: x}}]}}  #! state.parallel_conflict
    - {id: again, type: loop, loop: {maxIterations: 2}}
    - {id: inside, type: set_variable, setVariable: {assignments: [{state: i, value: {expr: state.i + 1}}]}}  #! state.parallel_conflict
    - {id: say, type: send_message, sendMessage: {scope: {ref: plan.input.s}, text: "{{ state.a }} {{ state.i }} {{ state.x }}"}}  #! state.parallel_conflict #! state.parallel_conflict
    - {id: merge, type: join, join: {fanOut: each}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: each, port: item}, target: {nodeId: first, port: in}}
    - {id: b, source: {nodeId: first, port: completed}, target: {nodeId: again, port: in}}
    - {id: c, source: {nodeId: again, port: body}, target: {nodeId: inside, port: in}}
    - {id: d, source: {nodeId: inside, port: completed}, target: {nodeId: again, port: next}}
    - {id: e, source: {nodeId: again, port: completed}, target: {nodeId: say, port: in}}
    - {id: f, source: {nodeId: say, port: completed}, target: {nodeId: merge, port: in}}
    - {id: g, source: {nodeId: merge, port: completed}, target: {nodeId: done, port: in}}
"""


def test_items_of_one_body_run_at_once(faults: Faults) -> None:
    assert faults(FIELDS, ITEMS) == []


def test_an_inner_join_counts_with_its_outer_part(faults: Faults) -> None:
    graph = """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: inner, type: fan_out, fanOut: {branches: [p, q]}}
    - {id: collect, type: join, output: {v: {type: string}}, join: {fanOut: inner, merge: {v: {ref: state.x}}}}
    - {id: right, type: set_variable, setVariable: {assignments: [{state: x, value: {value: y}}]}}  #! state.parallel_conflict
    - {id: both, type: join, output: {v: {type: string}}, join: {fanOut: split, merge: {v: {ref: state.x}}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: inner, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: right, port: in}}
    - {id: c, source: {nodeId: inner, port: p}, target: {nodeId: collect, port: in}}
    - {id: d, source: {nodeId: inner, port: q}, target: {nodeId: collect, port: in}}
    - {id: e, source: {nodeId: collect, port: completed}, target: {nodeId: both, port: in}}
    - {id: f, source: {nodeId: right, port: completed}, target: {nodeId: both, port: in}}
    - {id: g, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
"""
    assert faults(FIELDS, graph) == []


def test_the_other_node_is_related(document: Callable[..., str]) -> None:
    found = compile(document(FIELDS, TWO % (sets("left", "x"), sets("right", "x"), "", "", "", ""))).diagnostics
    assert [(d.code, [r.line for r in d.related]) for d in found] == [("state.parallel_conflict", [13])]
    assert "`left` and `right`" in found[0].message and "state.x" in found[0].message


@pytest.mark.parametrize(
    ("edge_in", "edge_out", "edge", "told"),
    [
        ("", ", bindings: {v: {ref: state.x}}", "r_done", "state.x"),
        ("", ", bindings: {v: {expr: 'state.a.b', default: none}}", "r_done", "state.a.b"),
        (", bindings: {v: {ref: state.x}}", "", "to_r", "state.x"),
        ("", ", when: state.i > 0, bindings: {}", "r_done", "state.i"),
    ],
)
def test_what_an_edge_reads_is_named_with_its_place(
    edge_in: str, edge_out: str, edge: str, told: str, document: Callable[..., str]
) -> None:
    written = {"state.x": "x", "state.a.b": "a", "state.i": "i"}[told]
    value = {"x": "{value: x}", "a": "{value: {}}", "i": "{value: 1}"}[written]
    text = document(FIELDS, TWO % (sets("left", written, value), passes("right"), "", edge_in, "", edge_out))
    (found,) = [one for one in compile(text).diagnostics if one.code == "state.parallel_conflict"]
    other, reading = found.related
    lines = text.split("\n")
    assert "id: right" in lines[found.line - 1] and "id: left" in lines[other.line - 1]
    assert f"`right` reads it on the edge `{edge}`" in found.message
    assert f"`{edge}`" in reading.message and f"id: {edge}" in lines[reading.line - 1]
    assert lines[reading.line - 1][reading.column - 1 : reading.end_column - 1] == told


def test_a_nodes_own_config_is_told_before_its_edges(document: Callable[..., str]) -> None:
    right = sets("right", "i", "{expr: 'length(state.x)'}")
    parts = (sets("left", "x"), right, "", "", "", ", when: state.x == 'a', bindings: {}")
    (found,) = [d for d in compile(document(FIELDS, TWO % parts)).diagnostics if d.code == "state.parallel_conflict"]
    assert "edge" not in found.message and len(found.related) == 1


def test_the_message_says_that_max_concurrency_does_not_count(document: Callable[..., str]) -> None:
    found = [d for d in compile(document(FIELDS, ITEMS)).diagnostics if d.code == "state.parallel_conflict"]
    assert len(found) == 4
    told = "the items of `each` count as running at once, whatever `maxConcurrency` is"
    assert all(one.message.endswith(told) for one in found)


LEFT, RIGHT = Enclosing("branches", "split", "l"), Enclosing("branches", "split", "r")
BODY, ITEM = Enclosing("loop", "again", "body"), Enclosing("items", "each", "item")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((LEFT,), (RIGHT,), True),
        ((LEFT,), (LEFT,), False),
        ((LEFT,), (), False),
        ((BODY, LEFT), (BODY, RIGHT), True),
        ((ITEM,), (ITEM,), True),
        ((ITEM,), (), False),
        ((LEFT, ITEM), (RIGHT,), True),
        ((LEFT, ITEM), (LEFT, ITEM), True),
        ((LEFT, ITEM), (LEFT, BODY), False),
    ],
)
def test_at_once(one: tuple[Enclosing, ...], other: tuple[Enclosing, ...], expected: bool) -> None:
    assert at_once(one, other) is expected
    assert at_once(other, one) is expected


def test_conflicts_are_bounded() -> None:
    touches = [Touch(f"n{i}", (Enclosing("branches", "split", f"b{i}"),), ("x",), True) for i in range(100)]
    assert len(conflicts(touches, {f"n{i}": i for i in range(100)})) == 1_000
