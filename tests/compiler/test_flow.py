"""Definite assignment (LANGUAGE §7, set_variable)."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopstep.compiler.flow import EVERYTHING, NOTHING, Link, Meeting, Paths, Write, beginnings, definite

Faults = Callable[..., list[str]]

FIELDS = """
input: {v: {type: string, required: true}, note: {type: string}, n: {type: integer, required: true}}
output: {x: {type: string}}
state: {x: {type: string}, y: {type: string}, o: {type: object, properties: {a: {type: string}, b: {type: string, required: true}}}}
"""

ABSENT = "  #! binding.optional_source"


def _set(node: str, *assignments: str) -> str:
    return f"    - {{id: {node}, type: set_variable, setVariable: {{assignments: [{', '.join(assignments)}]}}}}\n"


def _wants(node: str, ref: str, mark: str = "") -> str:
    """A node that needs the reference to be there, in its own config."""
    return f"    - {{id: {node}, type: wait, wait: {{duration: {{ref: {ref}, convert: {{to: duration}}}}}}}}{mark}\n"


def _edge(source: str, port: str, target: str, rest: str = "") -> str:
    name = f"{source}_{port}_{target}"
    target, _, enters = target.partition(".")
    return (
        f"    - {{id: {name.replace('.', '_')}, source: {{nodeId: {source}, port: {port}}}, "
        f"target: {{nodeId: {target}, port: {enters or 'in'}}}{rest}}}\n"
    )


def _plan(entry: str, nodes: str, edges: str) -> str:
    return (
        f"graph:\n  entry: {{nodeId: {entry}, port: in}}\n  nodes:\n{nodes}"
        f"    - {{id: done, type: end, end: {{outcome: succeeded}}}}\n  edges:\n{edges}"
    )


X = "{state: x, value: {value: a}}"

PLANS = {
    "behind_the_assignment": _plan(
        "a", _set("a", X) + _wants("w", "state.x"), _edge("a", "completed", "w") + _edge("w", "completed", "done")
    ),
    "a_failed_edge_brings_nothing": _plan(
        "a",
        _set("a", X) + _wants("w", "state.x", ABSENT),
        _edge("a", "completed", "done") + _edge("a", "failed", "w") + _edge("w", "completed", "done"),
    ),
    "the_node_itself_reads_the_old_snapshot": _plan(
        "a",
        _set("a", X, "{state: y, value: {expr: length(state.x), convert: {to: string}}}").rstrip()
        + "  #! reference.optional\n",
        _edge("a", "completed", "done"),
    ),
    "from_what_may_be_absent": _plan(
        "a",
        _set("a", "{state: x, value: {ref: plan.input.note}}") + _wants("w", "state.x", ABSENT),
        _edge("a", "completed", "w") + _edge("w", "completed", "done"),
    ),
    "from_what_has_a_default": _plan(
        "a",
        _set("a", "{state: x, value: {ref: plan.input.note, default: none}}") + _wants("w", "state.x"),
        _edge("a", "completed", "w") + _edge("w", "completed", "done"),
    ),
    "from_state_that_is_assigned_itself": _plan(
        "a",
        _set("a", X) + _set("b", "{state: y, value: {ref: state.x}}") + _wants("w", "state.y"),
        _edge("a", "completed", "b") + _edge("b", "completed", "w") + _edge("w", "completed", "done"),
    ),
    "from_state_in_the_same_write": _plan(
        "a",
        _set("a", X, "{state: y, value: {ref: state.x}}") + _wants("w", "state.y", ABSENT),
        _edge("a", "completed", "w") + _edge("w", "completed", "done"),
    ),
    "assigning_a_part_creates_the_whole": _plan(
        "a",
        _set("a", "{state: o.a, value: {value: a}}") + _wants("w", "state.o.a") + _wants("z", "state.o.b"),
        _edge("a", "completed", "w") + _edge("w", "completed", "z") + _edge("z", "completed", "done"),
    ),
    "overwriting_the_whole_takes_its_parts": _plan(
        "a",
        _set("a", "{state: o.a, value: {value: a}}")
        + _set("b", "{state: o, value: {value: {b: x}}}")
        + _wants("z", "state.o.b")
        + _wants("w", "state.o.a", ABSENT),
        _edge("a", "completed", "b")
        + _edge("b", "completed", "z")
        + _edge("z", "completed", "w")
        + _edge("w", "completed", "done"),
    ),
    "a_loops_body_brings_nothing": _plan(
        "l",
        "    - {id: l, type: loop, loop: {maxIterations: 3}}\n"
        + _set("a", X)
        + _wants("i", "state.x")
        + _wants("w", "state.x", ABSENT),
        _edge("l", "body", "a")
        + _edge("a", "completed", "i")
        + _edge("i", "completed", "l.next")
        + _edge("l", "completed", "w")
        + _edge("w", "completed", "done"),
    ),
    "a_loops_body_takes_parts_away": _plan(
        "a",
        _set("a", "{state: o.a, value: {value: a}}")
        + "    - {id: l, type: loop, loop: {maxIterations: 3}}\n"
        + _wants("i", "state.o.a", ABSENT)
        + _set("b", "{state: o, value: {value: {b: x}}}")
        + _wants("w", "state.o.a", ABSENT),
        _edge("a", "completed", "l")
        + _edge("l", "body", "i")
        + _edge("i", "completed", "b")
        + _edge("b", "completed", "l.next")
        + _edge("l", "completed", "w")
        + _edge("w", "completed", "done"),
    ),
    "an_all_join_brings_what_its_branches_assigned": _plan(
        "s",
        "    - {id: s, type: fan_out, fanOut: {branches: [l, r]}}\n"
        + _set("a", X)
        + _set("b", "{state: y, value: {value: b}}")
        + "    - {id: j, type: join, join: {fanOut: s}}\n"
        + _wants("w", "state.x")
        + _wants("z", "state.y"),
        _edge("s", "l", "a")
        + _edge("s", "r", "b")
        + _edge("a", "completed", "j")
        + _edge("b", "completed", "j")
        + _edge("j", "completed", "w")
        + _edge("w", "completed", "z")
        + _edge("z", "completed", "done"),
    ),
    "a_branch_brings_what_all_its_ways_assign": _plan(
        "s",
        "    - {id: s, type: fan_out, fanOut: {branches: [l, r]}}\n"
        + _set("a", X)
        + "    - {id: j, type: join, join: {fanOut: s}}\n"
        + _wants("w", "state.x", ABSENT),
        _edge("s", "l", "a")
        + _edge("s", "r", "j")
        + _edge("a", "completed", "j")
        + _edge("a", "failed", "j")
        + _edge("j", "completed", "w")
        + _edge("w", "completed", "done"),
    ),
    "an_any_join_brings_nothing": _plan(
        "s",
        "    - {id: s, type: fan_out, fanOut: {branches: [l, r]}}\n"
        + _set("a", X)
        + "    - {id: j, type: join, join: {fanOut: s, mode: any}}\n"
        + _wants("w", "state.x", ABSENT),
        _edge("s", "l", "a")
        + _edge("s", "r", "j")
        + _edge("a", "completed", "j")
        + _edge("j", "completed", "w")
        + _edge("w", "completed", "done"),
    ),
    "a_joins_failed_edge_brings_nothing": _plan(
        "s",
        "    - {id: s, type: fan_out, fanOut: {branches: [l, r]}}\n"
        + _set("a", X)
        + "    - {id: j, type: join, join: {fanOut: s}}\n"
        + _wants("w", "state.x", ABSENT),
        _edge("s", "l", "a")
        + _edge("s", "r", "j")
        + _edge("a", "completed", "j")
        + _edge("j", "completed", "done")
        + _edge("j", "failed", "w")
        + _edge("w", "completed", "done"),
    ),
    "what_stood_before_the_fan_out_stays": _plan(
        "a",
        _set("a", X)
        + "    - {id: s, type: fan_out, fanOut: {branches: [l, r]}}\n"
        + "    - {id: j, type: join, join: {fanOut: s, mode: any}}\n"
        + _wants("w", "state.x"),
        _edge("a", "completed", "s")
        + _edge("s", "l", "j")
        + _edge("s", "r", "j")
        + _edge("j", "completed", "w")
        + _edge("w", "completed", "done"),
    ),
    "an_undeclared_assignment_may_be_meant_for_it": _plan(
        "a",
        _set("a", "{state: xx, value: {value: a}}").rstrip() + "  #! state.undeclared\n" + _wants("w", "state.x"),
        _edge("a", "completed", "w") + _edge("w", "completed", "done"),
    ),
    "unreachable_nodes_say_nothing_against_it": _plan(
        "a",
        _set("a", X) + _wants("w", "state.x") + "    - {id: lonely, type: pass, pass: {}}  #? graph.unreachable\n",
        _edge("a", "completed", "w") + _edge("lonely", "completed", "w") + _edge("w", "completed", "done"),
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_definite_assignment(name: str, faults: Faults) -> None:
    assert faults(FIELDS, PLANS[name]) == []


def test_paths_are_bits() -> None:
    paths = Paths(["a.b", "c"])
    assert beginnings("a.b.c") == ["a", "a.b", "a.b.c"]
    assert paths.holds(paths.given("a.b"), "a") and not paths.holds(paths.given("a"), "a.b")
    assert paths.overlap() and not Paths(["a", "b"]).overlap()
    assert paths.holds(EVERYTHING, "unheard.of") and not paths.holds(NOTHING, "unheard.of")


def test_a_chain_of_facts() -> None:
    order = ["a", "b", "c"]
    links = [Link(0, "a", "b", True), Link(1, "b", "c", True), Link(2, "a", "c", False)]
    writes = {"a": [Write("x", True)], "b": [Write("y", "x")]}
    facts = definite(order, "a", links, [], writes, {})
    x, y = facts.paths.given("x"), facts.paths.given("y")
    assert facts.at == {"a": 0, "b": x, "c": 0}
    assert facts.along == {0: x, 1: x | y, 2: 0}


def test_facts_come_back_round_a_loop() -> None:
    order = ["a", "l", "b"]
    links = [Link(0, "a", "l", True), Link(1, "l", "b")]
    back = [Link(2, "b", "l", True)]
    writes = {"a": [Write("o.a", True)], "b": [Write("o", True)]}
    facts = definite(order, "a", links, back, writes, {})
    assert facts.at["l"] == facts.paths.given("o")


def test_a_join_in_mode_any_loses_what_a_branch_may_take() -> None:
    order = ["a", "s", "b", "j"]
    links = [Link(0, "a", "s", True), Link(1, "s", "b"), Link(2, "b", "j", True, "l"), Link(3, "s", "j", False, "r")]
    writes = {"a": [Write("o.a", True)], "b": [Write("o", True)]}
    facts = definite(order, "a", links, [], writes, {"j": Meeting("s", False, ("b",))})
    assert facts.at["j"] == facts.paths.given("o")
