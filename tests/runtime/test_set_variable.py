"""set_variable: one snapshot, one atomic write, a contract for the whole (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import token

from loopstep.runtime.failures import Failed

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def spec(*assignments: Any, state: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "s", "set": list(assignments), "state": state, "out": {"completed": [["e"]]}, **more}


def test_a_quick_node_takes_one_read_and_one_write(world: Any) -> None:
    world.start(input={"request": "x"}, state={"note": ""})
    calls: list[str] = []

    def counting(name: str, arguments: Any, call: Any) -> Any:
        calls.append(name)
        return call()

    node = spec(
        [["note"], ["ref", "input", "request"]],
        state={"note": STRING},
        input={"request": {"type": "string", "required": True}},
        **{"in": {"": {"request": ["ref", "plan", "input", "request"]}}},
    )
    reply = world.invoke("set_variable", node, hook=counting)
    assert calls == ["batch_get_item", "transact_write_items"]
    assert reply == token("s", "e")
    assert world.state() == {"note": "x"}
    record = world.activation("s#")
    assert record["input"] == {"request": "x"}
    assert (record["status"], record["port"], record["edge"], record["wrote"], record["revision"]) == (
        "completed",
        "completed",
        "e",
        {"note": "x"},
        1,
    )


def test_all_assignments_read_the_old_snapshot(world: Any) -> None:
    world.start(state={"a": "1", "b": "2"})
    world.invoke(
        "set_variable",
        spec([["a"], ["ref", "state", "b"]], [["b"], ["ref", "state", "a"]], state={"a": STRING, "b": STRING}),
    )
    assert world.state() == {"a": "2", "b": "1"}


def test_an_absent_source_leaves_the_target_as_it_was(world: Any) -> None:
    world.start(state={"a": "1"})
    world.invoke("set_variable", spec([["a"], ["ref", "state", "missing"]], state={"a": STRING}))
    assert world.state() == {"a": "1"}


def test_assigning_a_part_creates_the_whole_and_keeps_its_other_parts(world: Any) -> None:
    address = {"type": "object", "properties": {"city": STRING, "street": STRING}}
    deep = {"type": "object", "properties": {"address": address}}
    world.start(state={"known": {"city": "Bonn", "street": "x"}})
    world.invoke(
        "set_variable",
        spec(
            [["known", "street"], "y"],
            [["new", "address", "city"], "Köln"],
            [["new", "address", "street"], "z"],
            state={"known": address, "new": deep},
        ),
    )
    assert world.state() == {
        "known": {"city": "Bonn", "street": "y"},
        "new": {"address": {"city": "Köln", "street": "z"}},
    }


def test_a_state_that_breaks_its_contract_is_not_written_at_all(world: Any) -> None:
    world.start(state={"n": 1, "a": "old"})
    node = spec(
        [["a"], "new"],
        [["n"], 11],
        state={"a": STRING, "n": {"type": "integer", "maximum": 10}},
        out={"completed": [["e"]], "failed": [["f"]]},
    )
    with pytest.raises(Failed, match=r"state\.contract s#"):
        world.invoke("set_variable", node)
    assert world.state() == {"n": 1, "a": "old"}
    record = world.activation("s#")
    assert (record["status"], record["port"], record["edge"]) == ("failed", "failed", "f")
    assert record["error"]["code"] == "state.contract"
    assert "/n" in record["error"]["message"]
    assert world.run()["status"] == "running"


def test_conditions_read_the_state_that_the_node_has_just_written(world: Any) -> None:
    world.start(state={"n": 1})
    node = spec(
        [["n"], ["+", ["ref", "state", "n"], 1]],
        state={"n": INTEGER},
        out={"completed": [["no", ["==", ["seen", 0], 1]], ["yes", ["==", ["seen", 0], 2]]]},
        seen={"completed": [["ref", "state", "n"]]},
    )
    assert world.invoke("set_variable", node) == token("s", "yes") | {"seen": [2]}


def test_a_number_out_of_range_fails_the_node_before_anything_is_written(world: Any) -> None:
    world.start(state={"n": 2**53 - 1})
    with pytest.raises(Failed, match=r"expr\.range"):
        world.invoke("set_variable", spec([["n"], ["+", ["ref", "state", "n"], 1]], state={"n": INTEGER}))
    assert world.state() == {"n": 2**53 - 1}


def test_names_in_any_script(world: Any) -> None:
    world.start(state={"客户名称": "张"})
    world.invoke("set_variable", spec([["客户名称"], ["ref", "plan", "input", "名"]], state={"客户名称": STRING}))
    assert world.state() == {"客户名称": "张"}
