"""loop: one activation an arrival, a counter in its path (LANGUAGE §7; DESIGN of paths)."""

from __future__ import annotations

from typing import Any

from runtime_world import token


def spec(**more: Any) -> dict[str, Any]:
    exits = {"body": [["b"]], "completed": [["c"]], "exhausted": [["x"]]}
    return {"id": "l", "next": ["again"], "out": exits, "depth": 0, **more}


def test_without_while_it_counts_and_leaves_through_completed(world: Any) -> None:
    world.start()
    node = spec(loop={"max": 2})
    assert world.invoke("loop", node) == token("l", "b", "body", "0", "0")
    assert world.invoke("loop", node, world.left("work", "again", "0")) == token("l", "b", "body", "1", "1")
    assert world.invoke("loop", node, world.left("work", "again", "1")) == token("l", "c", "completed", "", "2")
    assert [each["id"] for each in world.activations() if each["nodeId"] == "l"] == ["l#0", "l#1", "l#2"]


def test_while_sees_the_index_of_the_iteration_it_would_begin(world: Any) -> None:
    world.start()
    node = spec(loop={"max": 10, "while": ["<", ["path", 0, 0], 1]})
    assert world.invoke("loop", node)["port"] == "body"
    assert world.invoke("loop", node, world.left("work", "again", "0"))["port"] == "completed"


def test_while_still_true_after_the_last_iteration_is_exhausted(world: Any) -> None:
    world.start(state={"go": True})
    node = spec(loop={"max": 1, "while": ["ref", "state", "go"]})
    assert world.invoke("loop", node)["port"] == "body"
    assert world.invoke("loop", node, world.left("work", "again", "0")) == token("l", "x", "exhausted", "", "1")


def test_while_false_at_once_runs_no_iteration(world: Any) -> None:
    world.start(state={"go": False})
    node = spec(loop={"max": 3, "while": ["ref", "state", "go"]})
    assert world.invoke("loop", node) == token("l", "c", "completed", "", "0")


def test_an_edge_into_next_rebinds_some_fields_and_keeps_the_others(world: Any) -> None:
    world.start(input={"n": 1})
    fields = {"n": {"type": "integer"}, "name": {"type": "string"}}
    bindings = {
        "": {"n": ["ref", "plan", "input", "n"], "name": "kept"},
        "again": {"n": ["+", ["path", 0, 1], 100]},
    }
    node = spec(loop={"max": 5}, input=fields, **{"in": bindings})
    world.invoke("loop", node)
    world.invoke("loop", node, world.left("work", "again", "0"))
    assert world.activation("l#0")["input"] == {"n": 1, "name": "kept"}
    assert world.activation("l#1")["input"] == {"n": 101, "name": "kept"}


def test_a_body_that_leads_straight_back(world: Any) -> None:
    world.start()
    node = spec(loop={"max": 2}, out={"body": [["again"]], "completed": [["c"]]})
    at = world.invoke("loop", node)
    at = world.invoke("loop", node, at)
    assert world.invoke("loop", node, at) == token("l", "c", "completed", "", "2")


def test_an_inner_loop_numbers_behind_the_outer_one(world: Any) -> None:
    world.start()
    inner = spec(loop={"max": 1}, depth=1) | {"id": "inner", "next": ["back"]}
    first = world.invoke("loop", inner, world.left("before", "a", "4"))
    assert first == token("inner", "b", "body", "4.0", "4.0")
    last = world.invoke("loop", inner, world.left("work", "back", "4.0"))
    assert last == token("inner", "c", "completed", "4", "4.1")
    outer = spec(loop={"max": 9}) | {"next": ["c"]}
    assert world.invoke("loop", outer, last) == token("l", "b", "body", "5", "5")


def test_a_failed_loop_is_routed_from_its_own_path_to_the_path_outside(world: Any) -> None:
    world.start(state={"n": 2**53 - 1})
    condition = [">", ["*", ["ref", "state", "n"], 2], 1]
    node = spec(loop={"max": 2, "while": condition}, out={"failed": [["f"]]})
    assert world.invoke("loop", node | {"route": "failed"}) == token("l", "f", "failed", "", "0")
    assert world.activation("l#0")["error"]["code"] == "node.crashed"
