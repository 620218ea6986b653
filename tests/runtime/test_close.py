"""close_run: unhandled failures, and what the engine itself ends (ARCHITECTURE §2, §3)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import Death, Dying, token

from loopstep.runs.errors import RunNotFound, RunNotOpen
from loopstep.runtime.failures import Failed


def ended(status: str, name: str = "run-1-1", **more: Any) -> dict[str, Any]:
    detail = {"name": name, "status": status, "stateMachineArn": "arn:m", **more}
    return {"detail-type": "Step Functions Execution Status Change", "source": "aws.states", "detail": detail}


def fail_contract(world: Any) -> None:
    with pytest.raises(Failed):
        world.invoke("pass", {"id": "n", "input": {"x": {"type": "string", "required": True}}})


def test_an_unhandled_failure_ends_the_run_with_its_code(world: Any) -> None:
    world.start(fences=True)
    fail_contract(world)
    assert world.closer()({"token": token("n", "", "failed")}) == {"code": "input.contract"}
    run = world.run()
    assert (run["status"], run["error"]["code"], run["error"]["nodeId"]) == ("failed", "input.contract", "n")
    assert {item["fence"]["S"] for item in world.items() if item["sk"]["S"].startswith("fence#")} == {"failed"}


def test_where_no_edge_matched_the_node_stays_completed(world: Any) -> None:
    world.start()
    reply = world.invoke("pass", {"id": "n", "out": {"completed": [["e", False]]}})
    assert reply == token("n", "")
    assert world.closer()({"token": reply}) == {"code": "edge.none_matched"}
    assert world.activation("n#")["status"] == "completed"
    assert world.run()["error"]["code"] == "edge.none_matched"


def test_an_open_record_is_closed_first(world: Any) -> None:
    world.start()
    spec = {"id": "m", "scope": "ops", "text": ["x"], "timeout": 60}
    with pytest.raises(Death):
        world.invoke("send_message", spec, hook=Dying(2, after=False))
    world.pass_time(120)
    assert world.closer()({"token": token("m", "", "failed")}) == {"code": "node.timeout"}
    record = world.activation("m#")
    assert (record["status"], record["error"]["code"], record["edge"]) == ("failed", "node.timeout", None)


def test_a_repetition_answers_the_code_that_stands(world: Any) -> None:
    world.start()
    fail_contract(world)
    at = {"token": token("n", "", "failed")}
    assert world.closer()(at) == world.closer()(at) == {"code": "input.contract"}


def test_a_cancelled_run_stays_cancelled(world: Any) -> None:
    world.start()
    world.store().cancel_run("run-1", "2026-03-01T12:00:00.000Z", "me")
    assert world.closer()({"token": token("n", "", "failed")}) == {"code": "run.cancelled"}
    assert world.run()["status"] == "cancelled"


@pytest.mark.parametrize(
    ("status", "run_status", "code"),
    [
        ("TIMED_OUT", "timed_out", "run.timeout"),
        ("ABORTED", "cancelled", "run.cancelled"),
        ("FAILED", "failed", "node.crashed"),
    ],
)
def test_what_the_engine_ends(world: Any, status: str, run_status: str, code: str) -> None:
    world.start()
    assert world.closer()(ended(status)) == {"code": code}
    assert (world.run()["status"], world.run()["error"]["code"]) == (run_status, code)
    assert world.closer()(ended(status)) == {"code": None}


def test_a_failed_execution_tells_the_failure_that_nothing_handled(world: Any) -> None:
    world.start()
    with pytest.raises(Failed):
        world.invoke("wait", {"id": "handled", "duration": "x", "out": {"failed": [["f"]]}})
    fail_contract(world)
    assert world.closer()(ended("FAILED")) == {"code": "input.contract"}
    assert world.run()["error"]["nodeId"] == "n"


@pytest.mark.parametrize(
    "event",
    [
        ended("RUNNING"),
        ended("FAILED", "run-1-2"),
        ended("FAILED", "nobody-1"),
        ended("FAILED", "run-1"),
        ended("FAILED", "no run's"),
        ended("FAILED", stateMachineArn="arn:other"),
        {"detail": {}},
    ],
)
def test_what_is_no_end_of_this_run_is_ignored(world: Any, event: dict[str, Any]) -> None:
    world.start()
    assert world.closer()(event) == {"code": None}
    assert world.run()["status"] == "running"


def test_an_ended_run_expires_whole_after_its_time(world: Any) -> None:
    world.start(fences=True)
    other = world.start("run-2")
    for number in range(60):
        world.left(f"n{number}", "e")
    world.invoke("end", {"id": "done", "input": {}})
    assert world.closer(keep_days=90)(ended("SUCCEEDED")) == {"code": None}
    expiries = {item["expires_at"]["N"] for item in world.items() if item["run"]["S"] == "run-1"}
    assert expiries == {str(int(world.now.timestamp()) + 90 * 86400)}
    assert all("expires_at" not in item for item in world.items() if item["run"]["S"] == other.head.run)
    world.pass_time(90 * 86400 - 1)
    assert world.run()["status"] == "succeeded"
    assert len(world.activations()) == 61
    world.pass_time(1)
    with pytest.raises(RunNotFound):
        world.run()
    with pytest.raises(RunNotFound):
        world.activations()
    assert [each.head.run for each in world.reader().list_runs().items] == ["run-2"]


def test_a_run_that_runs_again_does_not_expire(world: Any) -> None:
    world.start()
    head = world.store().cancel_run("run-1", "2026-03-01T12:00:00.000Z", "me")
    with pytest.raises(RunNotOpen):
        world.store().expire_run(head._replace(epoch=2), 1)
    world.start("run-2")
    with pytest.raises(RunNotOpen):
        world.store().expire_run(world.reader().get_head("run-2"), 1)
    assert all("expires_at" not in item for item in world.items())
