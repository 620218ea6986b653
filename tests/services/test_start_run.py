"""Starting: validated first, recorded first, started once (LANGUAGE §9)."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from loopstep.services.refusals import Conflicting, Unavailable, Unfit, Unknown
from loopstep.services.start_run import StartRequest, run_id_of, start_held_run, start_run

INPUT = {
    "request": {"type": "string", "required": True, "minLength": 1},
    "count": {"type": "integer", "default": 3},
    "note": {"type": "string"},
}
STATE = {"total": {"type": "integer", "required": True, "default": 0}, "last": {"type": "string"}}


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(input=INPUT, state=STATE)
    return aws


def records(aws: Any) -> list[dict[str, Any]]:
    return sorted(aws.dynamodb.scan(TableName="runs")["Items"], key=lambda item: (item["run"]["S"], item["sk"]["S"]))


def test_a_run_is_recorded_and_started(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"request": "x"}))
    assert (head.status, head.version, head.epoch) == ("running", 1, 1)
    (execution,) = plan.executions()
    assert execution["name"] == f"{head.run}-1"
    token = {"run": head.run, "epoch": 1, "path": "", "node": "", "from": "", "port": "", "edge": ""}
    assert json.loads(execution["input"]) == token
    head_item, state_item = records(plan)
    assert json.loads(head_item["input"]["S"]) == {"request": "x", "count": 3}
    assert json.loads(state_item["f_total"]["S"]) == 0
    assert "f_last" not in state_item


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({}, {"/request"}),
        (None, {"/request"}),
        ([], {""}),
        ("x", {""}),
        ({"request": ""}, {"/request"}),
        ({"request": None}, {"/request"}),
        ({"request": "x", "other": 1}, {"/other"}),
        ({"count": "3", "other": 1}, {"/request", "/count", "/other"}),
        ({"request": "x", "count": 2**53}, {"/count"}),
        ({"request": "x", "count": float("inf")}, {"/count"}),
    ],
)
def test_bad_input_is_refused_whole_and_nothing_starts(plan: Any, given: Any, places: set[str]) -> None:
    with pytest.raises(Unfit) as refused:
        start_run(plan.running(), StartRequest("p", given))
    assert refused.value.code == "input.invalid"
    assert {error["path"] for error in refused.value.facts["errors"]} == places
    assert all(error["code"] and error["message"] for error in refused.value.facts["errors"])
    assert records(plan) == [] and plan.executions() == []


def test_unknown_plans_and_versions(plan: Any) -> None:
    for request in (StartRequest("q"), StartRequest("p", {"request": "x"}, version=2)):
        with pytest.raises(Unknown):
            start_run(plan.running(), request)
    assert records(plan) == []


def test_a_run_keeps_the_version_it_was_started_with(plan: Any) -> None:
    plan.store_version(input={}, document=2)
    assert start_run(plan.running(), StartRequest("p", {"request": "x"}, version=1)).version == 1
    assert start_run(plan.running(), StartRequest("p", {})).version == 2


def test_the_same_key_and_content_is_the_same_run(plan: Any) -> None:
    first = start_run(plan.running(), StartRequest("p", {"request": "x", "count": 1}, key="k"))
    plan.store_version(input={}, document=2)  # what is newest may change in between
    again = start_run(plan.running(), StartRequest("p", {"count": 1, "request": "x"}, key="k"))
    assert again.run == first.run == run_id_of("p", "k")
    assert again.version == 1
    assert len(plan.executions()) == 1


@pytest.mark.parametrize(
    "other",
    [
        StartRequest("p", {"request": "y"}, key="k"),
        StartRequest("p", {"request": "x"}, version=1, key="k"),
        StartRequest("p", {"request": "x"}, hold=True, key="k"),
        StartRequest("p", {"bad": 1}, key="k"),
    ],
)
def test_the_same_key_with_other_content_is_a_conflict(plan: Any, other: StartRequest) -> None:
    start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k"))
    with pytest.raises(Conflicting) as refused:
        start_run(plan.running(), other)
    assert refused.value.code == "idempotency.conflict"


def test_keys_belong_to_a_plan(plan: Any) -> None:
    plan.store_version("q", input=INPUT)
    first = start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k"))
    assert start_run(plan.running(), StartRequest("q", {"request": "x"}, key="k")).run != first.run


def test_without_a_key_every_start_is_a_run(plan: Any) -> None:
    runs = {start_run(plan.running(), StartRequest("p", {"request": "x"})).run for _ in range(3)}
    assert len(runs) == 3 == len(plan.executions())


def test_an_ended_run_is_not_started_again_by_its_key(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k"))
    plan.running().runs.cancel_run(head.run, "2026-01-02T00:00:00.000Z", "me")
    plan.stepfunctions.delete_state_machine(stateMachineArn=head.machine)
    assert start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k")).status == "cancelled"


def test_a_held_run_waits_to_be_started(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"request": "x"}, hold=True))
    assert head.status == "created" and plan.executions() == []
    started = start_held_run(plan.running(), head.run)
    assert started.status == "running"
    assert start_held_run(plan.running(), head.run).status == "running"
    assert len(plan.executions()) == 1


def test_starting_a_held_run_that_is_cancelled_or_unknown(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"request": "x"}, hold=True))
    plan.running().runs.cancel_run(head.run, "2026-01-02T00:00:00.000Z", "me")
    with pytest.raises(Conflicting) as refused:
        start_held_run(plan.running(), head.run)
    assert (refused.value.code, refused.value.facts["runStatus"]) == ("run.ended", "cancelled")
    with pytest.raises(Unknown):
        start_held_run(plan.running(), "0" * 32)


def test_a_machine_that_is_gone_is_said_and_healed_by_a_repeated_call(plan: Any) -> None:
    plan.stepfunctions.delete_state_machine(stateMachineArn=plan.plans().version("p", 1).machine)
    with pytest.raises(Unavailable):
        start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k"))
    machine = '{"StartAt":"a","States":{"a":{"Type":"Pass","End":true}}}'
    plan.stepfunctions.create_state_machine(name="m-p", definition=machine, roleArn="arn:aws:iam::123456789012:role/r")
    head = start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k"))
    assert [each["name"] for each in plan.executions()] == [f"{head.run}-1"]


def test_fences_stand_only_where_a_plan_has_a_fan_out(aws: Any) -> None:
    aws.store_version("wide", fences=True)
    start_run(aws.running(), StartRequest("wide"))
    assert sum(item["sk"]["S"].startswith("fence#") for item in records(aws)) == 16


def test_sixteen_starts_with_one_key_are_one_run(plan: Any) -> None:
    found: list[str] = []

    def start() -> None:
        found.append(start_run(plan.running(), StartRequest("p", {"request": "x"}, key="k")).run)

    threads = [threading.Thread(target=start) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16 and len(set(found)) == 1
    assert len(records(plan)) == 2 and len(plan.executions()) == 1


def test_different_bodies_with_one_key_are_one_run_and_conflicts(plan: Any) -> None:
    outcomes: list[str] = []

    def start(number: int) -> None:
        try:
            outcomes.append(start_run(plan.running(), StartRequest("p", {"request": str(number)}, key="k")).run)
        except Conflicting as refused:
            outcomes.append(refused.code)

    threads = [threading.Thread(target=start, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("idempotency.conflict") == 7 and run_id_of("p", "k") in outcomes


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_start_dies_a_repeated_call_heals_it(plan: Any, after: bool) -> None:
    counting = plan.crash()
    start_run(counting.running(), StartRequest("p", {"request": "x"}, key="clean"))
    calls = len(counting.crashing.calls)
    assert calls >= 4
    for at in range(1, calls + 1):
        request = StartRequest("p", {"request": "x"}, key=f"dies at {at} {after}")
        dying = plan.crash(at, after)
        with pytest.raises(BaseException, match=dying_name(counting, at)):
            start_run(dying.running(), request)
        head = start_run(plan.running(), request)
        assert head.status == "running"
        names = [each["name"] for each in plan.executions()]
        assert names.count(f"{head.run}-1") == 1
        assert sum(item["run"]["S"] == head.run for item in records(plan)) == 2


def dying_name(counting: Any, at: int) -> str:
    return str(counting.crashing.calls[at - 1])
