"""The wrapper: bindings, contract, preconditions, edges, replays, Catches (ARCHITECTURE §3; LANGUAGE §4, §8, §9)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import START, token

from loopstep.runtime.failures import Failed, Retry

REQUIRED = {"type": "string", "required": True}


def passing(node: str = "n", **more: Any) -> dict[str, Any]:
    return {"id": node, "out": {"completed": [["next"]]}, **more}


def failing(world: Any, kind: str, spec: dict[str, Any], at: dict[str, Any] | None = None) -> str:
    with pytest.raises(Failed) as told:
        world.invoke(kind, spec, at)
    return told.value.code


# -- bindings, contract, preconditions -----------------------------------------------------------------------------


def test_bindings_read_the_source_by_the_edge_that_was_taken(world: Any) -> None:
    world.start(input={"who": "Ada"}, state={"count": 4})
    first = passing("a", input={"text": REQUIRED}, **{"in": {"": {"text": "hello"}}})
    second = passing(
        "b",
        input={"text": {"type": "string"}, "who": {"type": "string"}, "count": {"type": "integer"}, "run": REQUIRED},
        **{
            "in": {
                "other": {"text": "wrong edge"},
                "next": {
                    "text": ["ref", "input", "text"],
                    "who": ["ref", "plan", "input", "who"],
                    "count": ["+", ["ref", "state", "count"], 1],
                    "run": ["ref", "plan", "run", "id"],
                },
            }
        },
    )
    onward = world.invoke("pass", first)
    world.invoke("pass", second, onward)
    record = world.activation("b#")
    assert record["input"] == {"text": "hello", "who": "Ada", "count": 5, "run": "run-1"}
    assert (record["source"], record["arrivedBy"]) == ("a#", "next")


def test_plan_roots(world: Any) -> None:
    world.start()
    fields = {"name": REQUIRED, "version": REQUIRED, "at": {"type": "datetime", "required": True}}
    bindings = {
        "name": ["ref", "plan", "name"],
        "version": ["ref", "plan", "version"],
        "at": ["ref", "plan", "run", "startedAt"],
    }
    world.invoke("pass", passing(input=fields, **{"in": {"": bindings}}))
    assert world.activation("n#")["input"] == {"name": "p", "version": "3", "at": "2026-03-01T11:59:00.000Z"}


def test_an_absent_source_leaves_its_field_to_the_default(world: Any) -> None:
    world.start()
    fields = {"note": {"type": "string", "default": "none"}, "other": {"type": "string"}}
    world.invoke("pass", passing(input=fields, **{"in": {"": {"note": ["ref", "state", "x"], "other": None}}}))
    assert world.activation("n#")["input"] == {"note": "none"}


def test_an_input_that_breaks_its_contract_fails_the_node(world: Any) -> None:
    world.start(input={"n": 11})
    spec = passing(
        input={"n": {"type": "integer", "maximum": 10}}, **{"in": {"": {"n": ["ref", "plan", "input", "n"]}}}
    )
    assert failing(world, "pass", spec) == "input.contract"
    record = world.activation("n#")
    assert (record["status"], record["input"], record["edge"]) == ("failed", {"n": 11}, None)


def test_a_precondition_is_an_optional_input_that_must_be_there(world: Any) -> None:
    world.start()
    assert failing(world, "pass", passing(input={"note": {"type": "string"}}, pre=["note"])) == "precondition.missing"


@pytest.mark.parametrize(("pre", "code"), [([], "binding.no_value"), (["n"], "precondition.type")])
def test_a_conversion_without_a_value(world: Any, pre: list[str], code: str) -> None:
    world.start(input={"text": "no number"})
    tree = ["convert", ["ref", "plan", "input", "text"], {"to": "number", "kind": "value"}]
    spec = passing(input={"n": {"type": "number"}}, pre=pre, **{"in": {"": {"n": tree}}})
    assert failing(world, "pass", spec) == code
    said = world.activation("n#")["error"]["message"]
    assert said == (
        "the conversion gives no value for n (number): plan.input.text is a string; number: "
        "the number that the text is: not_a_number"
    )


def test_sentences_name_an_input_as_its_author_does(world: Any) -> None:
    """A canvas gives an input that it also shows as a text a second name for its type."""
    world.start(input={"text": "no number"})
    fields = {"n": {"type": "string"}, "n_number": {"type": "number"}, "paths": {"type": "filePath"}}
    tree = ["convert", ["ref", "plan", "input", "text"], {"to": "number", "kind": "text"}]
    spec = passing("a", input=fields, pre=["n_number"], **{"in": {"": {"n_number": tree}}})
    assert failing(world, "pass", spec) == "precondition.type"
    said = world.activation("a#")["error"]["message"]
    assert "for n (number): plan.input.text is a string (kind text); number: the first number in the text" in said
    assert failing(world, "pass", passing("b", input=fields, pre=["paths", "n_number"])) == "precondition.missing"
    assert world.activation("b#")["error"]["message"] == "missing: paths (filePath), n (number)"


def test_what_may_be_absent_is_left_out(world: Any) -> None:
    world.start(input={"text": "no number", "two": "2"})
    how = {"to": "number", "kind": "value", "orAbsent": True}
    bindings = {name: ["convert", ["ref", "plan", "input", name], how] for name in ("text", "two")}
    spec = passing(input={"text": {"type": "number"}, "two": {"type": "number"}}, **{"in": {"": bindings}})
    world.invoke("pass", spec)
    assert world.activation("n#")["input"] == {"two": 2}


def test_a_number_out_of_range_in_a_binding(world: Any) -> None:
    world.start(input={"n": 2**53 - 1})
    tree = ["*", ["ref", "plan", "input", "n"], 2]
    assert (
        failing(world, "pass", passing(input={"n": {"type": "integer"}}, **{"in": {"": {"n": tree}}})) == "expr.range"
    )


# -- edges ---------------------------------------------------------------------------------------------------------


def test_the_first_true_condition_wins_and_the_rest_of_the_operands_are_filled_in(world: Any) -> None:
    world.start(state={"n": 5})
    spec = passing(
        out={
            "completed": [
                ["big", [">", ["seen", 0], 10]],
                ["middle", [">", ["seen", 1], 3]],
                ["rest", ["==", ["seen", 2], 1]],
            ]
        },
        seen={"completed": [["ref", "state", "n"], ["ref", "state", "n"], ["*", ["ref", "state", "n"], 2]]},
    )
    assert world.invoke("pass", spec) == token("n", "middle") | {"seen": [5, 5, 10]}
    record = world.activation("n#")
    assert (record["edge"], record["seen"]) == ("middle", [5, 5, 10])


def test_what_larger_operands_read_is_recorded_for_people(world: Any) -> None:
    world.start(input={"name": "Ada"}, state={"n": 5, "long": "é" * 300})
    operands = [
        ["==", ["ref", "plan", "input", "name"], "Bob"],
        ["ref", "state", "n"],
        [">", ["call", "length", ["ref", "state", "long"]], ["ref", "state", "absent"]],
        ["!=", ["ref", "plan", "input", "name"], None],
    ]
    spec = passing(out={"completed": [["bob", ["seen", 0]], ["rest"]]}, seen={"completed": operands})
    assert world.invoke("pass", spec)["edge"] == "rest"
    assert world.reader().get_activation("run-1", "n#").record.read == ["Ada", "é" * 199 + "…", None]


def test_an_operand_behind_a_guard_that_is_false_counts_as_null(world: Any) -> None:
    world.start(state={"n": 2**53 - 1})
    spec = passing(
        out={"completed": [["guarded", ["&&", ["!=", ["seen", 0], None], [">", ["seen", 1], 3]]], ["default"]]},
        seen={"completed": [["ref", "state", "absent"], ["*", ["ref", "state", "n"], 2]]},
    )
    assert world.invoke("pass", spec) == token("n", "default") | {"seen": [None, None]}


def test_an_operand_out_of_range_that_is_asked_for_fails_the_node(world: Any) -> None:
    world.start(state={"n": 2**53 - 1})
    spec = passing(
        out={"completed": [["big", [">", ["seen", 0], 3]]], "failed": [["f"]]},
        seen={"completed": [["*", ["ref", "state", "n"], 2]]},
    )
    assert failing(world, "pass", spec) == "expr.range"
    assert world.activation("n#")["edge"] == "f"


def test_nothing_matched_leaves_the_node_completed_and_the_token_without_an_edge(world: Any) -> None:
    world.start(state={"n": 1})
    spec = passing(out={"completed": [["big", [">", ["seen", 0], 3]]]}, seen={"completed": [["ref", "state", "n"]]})
    reply = world.invoke("pass", spec)
    assert reply == token("n", "") | {"seen": [1]}
    record = world.activation("n#")
    assert (record["status"], record["port"], record["edge"], record["error"]) == ("completed", "completed", None, None)


def test_conditions_of_a_failed_port_read_the_error(world: Any) -> None:
    world.start()
    failed = [["contract", ["seen", 0]], ["rest"]]
    operands = [["==", ["ref", "error", "code"], "input.contract"]]
    spec = passing(input={"x": REQUIRED}, out={"completed": [["e"]], "failed": failed}, seen={"failed": operands})
    assert failing(world, "pass", spec) == "input.contract"
    assert world.invoke("pass", spec | {"route": "failed"}) == token("n", "contract", "failed") | {"seen": [True]}


def test_a_failed_port_that_matches_nothing_keeps_the_code(world: Any) -> None:
    world.start()
    spec = passing(
        input={"x": REQUIRED},
        out={"failed": [["other", ["seen", 0]]]},
        seen={"failed": [["==", ["ref", "error", "code"], "wait.invalid"]]},
    )
    assert failing(world, "pass", spec) == "input.contract"
    route = world.invoke("pass", spec | {"route": "failed"})
    assert route == token("n", "", "failed") | {"seen": [False]}
    assert world.closer()({"token": route}) == {"code": "input.contract"}
    assert world.run()["error"] == {
        "code": "input.contract",
        "message": "/x: x is missing; it is a string",
        "nodeId": "n",
    }


# -- repetitions ---------------------------------------------------------------------------------------------------


def test_a_repetition_gets_the_identical_token_and_acts_no_more(world: Any) -> None:
    world.start(state={"n": 0})
    spec = {
        "id": "s",
        "set": [[["n"], ["+", ["ref", "state", "n"], 1]]],
        "state": {"n": {"type": "integer"}},
        "out": {"completed": [["a", [">", ["seen", 0], 0]]]},
        "seen": {"completed": [["ref", "state", "n"]]},
    }
    first = world.invoke("set_variable", spec)
    world.pass_time(3600)
    assert [world.invoke("set_variable", spec) for _ in range(3)] == [first] * 3
    assert world.state() == {"n": 1}


def test_a_repetition_of_a_failure_fails_again_with_its_code(world: Any) -> None:
    world.start()
    spec = passing(input={"x": REQUIRED})
    assert [failing(world, "pass", spec) for _ in range(3)] == ["input.contract"] * 3


def test_a_token_of_another_epoch_gets_nothing_committed(world: Any) -> None:
    world.start()
    assert failing(world, "pass", passing(), START | {"epoch": 2}) == "run.closed"
    assert world.activations() == []


def test_a_completed_record_answers_under_the_epoch_that_asks(world: Any) -> None:
    world.start()
    first = world.invoke("pass", passing())
    assert world.invoke("pass", passing(), START | {"epoch": 2}) == first | {"epoch": 2}


def test_a_cancelled_run_refuses_what_walks_on(world: Any) -> None:
    world.start()
    world.store().cancel_run("run-1", "2026-03-01T12:00:00.000Z", "me")
    assert failing(world, "pass", passing()) == "run.cancelled"
    assert world.activations() == []


def test_a_cancel_between_read_and_commit_wins(world: Any) -> None:
    world.start(state={"n": 0})

    def cancelling(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items":
            world.store().cancel_run("run-1", "2026-03-01T12:00:00.000Z", "me")
        return call()

    spec = {"id": "s", "set": [[["n"], 1]], "state": {"n": {"type": "integer"}}}
    with pytest.raises(Failed, match=r"run\.cancelled"):
        world.invoke("set_variable", spec, hook=cancelling)
    assert world.state() == {"n": 0}


def test_a_run_that_is_not_there_is_refused(world: Any) -> None:
    assert failing(world, "pass", passing()) == "run.closed"


def test_an_error_of_ours_reaches_the_engine_without_its_message(world: Any) -> None:
    world.start()

    def broken(name: str, arguments: Any, call: Any) -> Any:
        raise ValueError("private data")

    with pytest.raises(Retry) as told:
        world.invoke("pass", passing(), hook=broken)
    assert str(told.value) == "node.crashed n#"
    assert told.value.__suppress_context__
    assert type(told.value).__name__ == "Loopstep.Retry"


def test_one_log_line_an_invocation_and_no_data_in_it(world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    world.start(input={"secret": "do not log me"})
    capsys.readouterr()
    fields = {"secret": {"type": "string", "maxLength": 3}}
    spec = passing(input=fields, **{"in": {"": {"secret": ["ref", "plan", "input", "secret"]}}})
    failing(world, "pass", spec)
    (line,) = capsys.readouterr().out.splitlines()
    assert "do not log me" not in line
    assert '"activation": "n#"' in line
    assert '"outcome": "Loopstep.Failed"' in line


# -- Catches -------------------------------------------------------------------------------------------------------


def test_a_target_closes_the_source_that_a_catch_left_open(world: Any) -> None:
    world.start()
    fields = {"code": REQUIRED, "text": {"type": "string"}}
    spec = passing("t", input=fields, **{"in": {"f": {"code": ["ref", "error", "code"]}}})
    reply = world.invoke("pass", spec, token("lost", "f", "failed"))
    assert reply == token("t", "next")
    source = world.activation("lost#")
    assert (source["status"], source["port"], source["edge"]) == ("failed", "failed", "f")
    assert source["error"]["code"] == "node.crashed"
    assert world.activation("t#")["input"] == {"code": "node.crashed"}


def test_a_route_closes_its_own_open_record(world: Any) -> None:
    world.start()
    spec = passing(
        out={"failed": [["crash", ["seen", 0]], ["rest"]]},
        seen={"failed": [["==", ["ref", "error", "code"], "node.crashed"]]},
        route="failed",
    )
    assert world.invoke("pass", spec) == token("n", "crash", "failed") | {"seen": [True]}
    assert world.activation("n#")["error"]["code"] == "node.crashed"


def test_a_commit_that_comes_after_the_catch_changes_nothing(world: Any) -> None:
    world.start(state={"n": 0})

    def closed_meanwhile(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items":
            world.invoke("pass", passing("t"), token("s", "f", "failed"))
        return call()

    spec = {"id": "s", "set": [[["n"], 1]], "state": {"n": {"type": "integer"}}, "out": {"failed": [["f"]]}}
    with pytest.raises(Failed, match=r"node\.crashed s#"):
        world.invoke("set_variable", spec, hook=closed_meanwhile)
    assert world.state() == {"n": 0}
    assert world.activation("s#")["status"] == "failed"


def test_a_completed_source_behind_a_catch_fails_the_run_and_is_not_contradicted(world: Any) -> None:
    world.start()
    world.invoke("pass", passing("s"))
    assert failing(world, "pass", passing("t"), token("s", "f", "failed")) == "node.crashed"
    assert world.activation("s#")["status"] == "completed"
    assert [each["id"] for each in world.activations()] == ["s#"]
    assert (world.run()["status"], world.run()["error"]["nodeId"]) == ("failed", "s")
