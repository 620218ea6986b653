"""end: a run's outcome, once (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import START, token

from loopstep.runtime.failures import Failed

FIELDS = {"summary": {"type": "string", "required": True}, "n": {"type": "integer", "default": 7}}


def succeeding(**more: Any) -> dict[str, Any]:
    return {"id": "done", "input": FIELDS, "in": {"": {"summary": "all well"}}, **more}


def test_a_succeeded_end_closes_the_run_with_its_input(world: Any) -> None:
    world.start()
    assert world.invoke("end", succeeding()) == token("done", "", "")
    run = world.run()
    assert (run["status"], run["output"], run["error"]) == ("succeeded", {"summary": "all well", "n": 7}, None)
    assert run["endedAt"] == "2026-03-01T12:00:00.000Z"
    assert world.activation("done#")["status"] == "completed"


def test_a_repetition_after_the_end_gets_the_token_again(world: Any) -> None:
    world.start()
    first = world.invoke("end", succeeding())
    assert world.invoke("end", succeeding()) == first


def test_an_output_that_breaks_the_contract_fails_the_run_later(world: Any) -> None:
    world.start()
    with pytest.raises(Failed, match=r"output\.contract"):
        world.invoke("end", succeeding(**{"in": {"": {}}}))
    assert world.run()["status"] == "running"
    assert world.closer()({"token": token("done", "", "failed")}) == {"code": "output.contract"}
    assert world.run()["error"]["code"] == "output.contract"


@pytest.mark.parametrize(("n", "code"), [(60, "input.contract"), (6, "output.contract"), (5, None)])
def test_an_input_of_its_own_is_checked_before_the_plans_contract(world: Any, n: int, code: str | None) -> None:
    world.start()
    own, plan = {"n": {"type": "integer", "maximum": 50}}, {"n": {"type": "integer", "maximum": 5}}
    spec = {"id": "done", "input": own, "output": plan, "in": {"": {"n": n}}}
    if code is None:
        world.invoke("end", spec)
        assert world.run()["output"] == {"n": 5}
        return
    with pytest.raises(Failed) as told:
        world.invoke("end", spec)
    assert told.value.code == code


def test_a_failed_end_closes_the_run_with_its_code_and_needs_no_input(world: Any) -> None:
    world.start()
    spec = {"id": "bad", "outcome": "failed", "code": "too_long", "input": FIELDS}
    assert world.invoke("end", spec) == token("bad", "", "")
    run = world.run()
    assert (run["status"], run["error"]["code"], run["error"]["nodeId"]) == ("failed", "too_long", "bad")
    assert run["output"] is None


def test_inside_a_region_a_failed_end_fails_its_branch(world: Any) -> None:
    world.start(fences=True)
    spec = {"id": "bad", "outcome": "failed", "code": "too_long", "fence": True}
    with pytest.raises(Failed, match=r"too_long bad#"):
        world.invoke("end", spec)
    assert world.run()["status"] == "running"


def test_two_ends_and_a_cancel_leave_one_terminal_status(world: Any) -> None:
    world.start(fences=True)
    world.invoke("end", succeeding())
    with pytest.raises(Failed, match=r"run\.closed"):
        world.invoke("end", {"id": "bad", "outcome": "failed", "code": "x"}, START)
    assert world.run()["status"] == "succeeded"
    assert {item["fence"]["S"] for item in world.items() if item["sk"]["S"].startswith("fence")} == {"succeeded"}
