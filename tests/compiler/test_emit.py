"""Emission, state by state, from programs written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.compiler.emit import definition_text, emit
from loopstep.compiler.emit_scope import spec_text
from loopstep.compiler.emit_step import TIMEOUT_SLACK
from loopstep.compiler.gate import gate
from loopstep.compiler.program import Exit, Program, Retry, Step
from loopstep.expressions.to_jsonata import Condition
from loopstep.runtime.spec import read_json


def step(id: str, to: str | None = None, **more: Any) -> Step:
    """A step whose `completed` port leads on by one edge named after its ends."""
    exits = {"completed": (Exit(f"{id}_{to}", to),)} if to else {}
    return Step(**{"id": id, "type": "pass", "line": 1, "spec": {"id": id}, "exits": exits, **more})


def machine(*steps: Step, timeout: int = 60) -> dict[str, Any]:
    definition = emit(Program(steps[0].id, timeout, {each.id: each for each in steps}, {}))
    assert gate(definition) == []
    return definition


def payload(definition: dict[str, Any], state: str) -> dict[str, Any]:
    return read_json(definition["States"][state]["Arguments"]["Payload"]["spec"])


BIG = Condition("$states.input.seen[0] >= 10", (["ref", "input", "n"],), [">=", ["seen", 0], 10])
OLD = Condition("$states.input.seen[0]", (["==", ["ref", "input", "t"], "x"],), ["seen", 0])


def test_a_linear_path_enters_one_state_a_node() -> None:
    definition = machine(step("a", "b"), step("b", "done"), step("done", type="end"))
    states = definition["States"]
    assert [states["a"]["Next"], states["b"]["Next"], states["done"]["End"]] == ["b", "done", True]
    assert set(states) == {"a", "b", "done", "run.failed", "run.failed.fail"}


def test_the_machine_has_the_plan_s_timeout() -> None:
    assert machine(step("a"), timeout=86_400)["TimeoutSeconds"] == 86_400


def test_a_failed_edge_is_a_catch_that_names_its_fields() -> None:
    work = step("work", exits={"completed": (Exit("ok", "done"),), "failed": (Exit("lost", "mend"),)})
    definition = machine(work, step("mend", "done"), step("done", type="end"))
    (catcher,) = definition["States"]["work"]["Catch"]
    assert catcher["Next"] == "mend"
    assert (catcher["Output"]["node"], catcher["Output"]["port"], catcher["Output"]["edge"]) == (
        "work",
        "failed",
        "lost",
    )


def test_conditions_of_one_port_share_one_list_of_operands() -> None:
    work = step("work", exits={"completed": (Exit("big", "a", BIG), Exit("old", "b", OLD), Exit("rest", "c"))})
    definition = machine(work, step("a"), step("b"), step("c"))
    choice = definition["States"]["work.next"]
    assert [rule["Condition"] for rule in choice["Choices"]] == [
        "{% $states.input.seen[0] >= 10 %}",
        "{% $states.input.seen[1] %}",
    ]
    assert (choice["Choices"][0]["Next"], choice["Choices"][1]["Next"], choice["Default"]) == ("a", "b", "c")
    assert payload(definition, "work")["out"] == {
        "completed": [["big", [">=", ["seen", 0], 10]], ["old", ["seen", 1]], ["rest"]]
    }
    assert payload(definition, "work")["seen"] == {
        "completed": [["ref", "input", "n"], ["==", ["ref", "input", "t"], "x"]]
    }


def test_where_no_edge_matches_the_run_fails() -> None:
    work = step("work", exits={"completed": (Exit("big", "a", BIG),)})
    assert machine(work, step("a"))["States"]["work.next"]["Default"] == "run.failed"


def test_several_ports_are_told_apart_by_the_token() -> None:
    loop = step(
        "again",
        type="loop",
        counts=True,
        exits={"body": (Exit("in", "work", BIG), Exit("alt", "work")), "completed": (Exit("ok", "done"),)},
    )
    definition = machine(loop, step("work", "again"), step("done", type="end"))
    choice = definition["States"]["again.next"]
    assert [(rule["Condition"], rule["Next"]) for rule in choice["Choices"]] == [
        ("{% $states.input.port = 'body' and ($states.input.seen[0] >= 10) %}", "work"),
        ("{% $states.input.port = 'body' %}", "work"),
    ]
    assert choice["Default"] == "done"


def test_a_loop_s_failure_is_routed_by_its_own_function() -> None:
    loop = step(
        "again", type="loop", counts=True, exits={"body": (Exit("in", "work"),), "completed": (Exit("ok", "done"),)}
    )
    definition = machine(loop, step("work", "again"), step("done", type="end"))
    assert definition["States"]["again"]["Catch"][0]["Next"] == "again.failed"
    assert payload(definition, "again.failed")["route"] == "failed"
    assert definition["States"]["again.failed"]["Next"] == "run.failed"


def test_a_condition_on_failed_is_asked_of_the_recorded_failure() -> None:
    work = step(
        "work", exits={"completed": (Exit("ok", "done"),), "failed": (Exit("old", "mend", OLD), Exit("rest", "done"))}
    )
    definition = machine(work, step("mend", "done"), step("done", type="end"))
    assert definition["States"]["work"]["Catch"][0] == {
        "ErrorEquals": ["States.ALL"],
        "Output": "{% $states.input %}",
        "Next": "work.failed",
    }
    assert definition["States"]["work.failed.next"]["Default"] == "done"


def test_a_pause_is_a_wait_state_before_the_choice() -> None:
    pause = step("pause", pauses=True, exits={"completed": (Exit("big", "a", BIG), Exit("rest", "b"))})
    states = machine(pause, step("a"), step("b"))["States"]
    assert states["pause"]["Next"] == "pause.wait"
    assert states["pause.wait"] == {
        "Type": "Wait",
        "QueryLanguage": "JSONPath",
        "TimestampPath": "$.until",
        "Next": "pause.next",
    }


@pytest.mark.parametrize(("code", "error"), [("stopped", "stopped"), ("a.b", "a.b"), ("{% x %}", '{% "{% x %}" %}')])
def test_a_failed_end_fails_the_execution_with_its_code(code: str, error: str) -> None:
    states = machine(step("stop", type="end", fail_code=code))["States"]
    assert states["stop"]["Next"] == "stop.fail" and "Catch" not in states["stop"]
    assert states["stop.fail"]["Error"] == error


def test_declared_retries_are_the_engine_s() -> None:
    work = step("work", "done", retry=Retry(3, 2, 1.5, 30), timeout=20)
    state = machine(work, step("done", type="end"))["States"]["work"]
    assert state["TimeoutSeconds"] == 20 + TIMEOUT_SLACK, "the function ends the attempt, the engine one that hangs"
    assert state["Retry"][0] == {"ErrorEquals": ["Loopstep.Failed"], "MaxAttempts": 0}
    assert state["Retry"][-1] == {
        "ErrorEquals": ["States.Timeout", "States.TaskFailed"],
        "IntervalSeconds": 2,
        "MaxAttempts": 3,
        "BackoffRate": 1.5,
        "MaxDelaySeconds": 30,
    }


@pytest.mark.parametrize("text", ["{% $states.input %}", "$.x", "${SetVariable}", "北京😀", '"\\', "\x00\n", "a${b"])
def test_a_literal_stays_text_in_values_and_keys(text: str) -> None:
    spec = {"id": "a", "in": {"": {"f": ["lit", {text: text}], "g": text}}}
    encoded = spec_text(spec)
    assert read_json(encoded) == spec
    assert encoded.startswith("{'") and "${" not in encoded
    assert "{%" not in encoded[:2]


def test_equal_programs_give_equal_bytes() -> None:
    one, two = (definition_text(machine(step("a", "b"), step("b"))) for _ in range(2))
    assert one == two
