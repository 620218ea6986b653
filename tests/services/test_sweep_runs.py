"""The sweeper: starts that were lost, ends that nobody heard of, time that is over."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from typing import Any

import pytest

from loopstep.runs.records import RunEnd, RunError
from loopstep.runtime.times import moment, timestamp
from loopstep.services.start_run import StartRequest, start_run
from loopstep.services.sweep_runs import DEFAULT_TIMEOUT, GRACE, SETTLED, sweep_runs

SECOND = timedelta(seconds=1)


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(fences=True)
    return aws


def at(plan: Any, when: datetime) -> Any:
    return dataclasses.replace(plan.running(), now=lambda: timestamp(when), keep_days=9_000)


def began(plan: Any, run: str) -> datetime:
    return moment(plan.running().head(run).epoch_at)


def lost_start(plan: Any) -> str:
    with pytest.raises(BaseException, match="start_execution"):
        counting = plan.crash()
        start_run(counting.running(), StartRequest("p", key="count"))
        start_run(plan.crash(len(counting.crashing.calls)).running(), StartRequest("p", key="lost"))
    (run,) = [each.head.run for each in plan.running().reader.list_runs().items if each.head.digest][:1]
    return str(run)


def sweep(plan: Any, run: str, after: timedelta, hurry: bool = False) -> int:
    return sweep_runs(at(plan, began(plan, run) + after), lambda: hurry)


def test_a_lost_start_is_made_up_for_after_the_grace(plan: Any) -> None:
    run = lost_start(plan)
    names = {each["name"] for each in plan.executions()}
    assert f"{run}-1" not in names
    assert sweep(plan, run, GRACE) == 0
    assert sweep(plan, run, GRACE + SECOND, hurry=True) == 0
    assert sweep(plan, run, GRACE + SECOND) == 1
    assert {each["name"] for each in plan.executions()} == names | {f"{run}-1"}
    assert sweep(plan, run, GRACE + SECOND) == 0


@pytest.mark.parametrize("hold", [True, False])
def test_what_is_held_or_runs_is_left_alone(plan: Any, hold: bool) -> None:
    run = start_run(plan.running(), StartRequest("p", hold=hold)).run
    before = plan.running().head(run)
    assert sweep(plan, run, SETTLED) == 0
    assert plan.running().head(run) == before


def test_an_end_that_nobody_heard_of_closes_the_run(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    (execution,) = plan.executions()
    plan.stepfunctions.stop_execution(executionArn=execution["executionArn"])
    assert sweep(plan, run, GRACE + SECOND) == 1
    head = plan.running().head(run)
    assert (head.status, head.error.code) == ("cancelled", "run.cancelled")
    items = plan.dynamodb.scan(TableName="runs")["Items"]
    assert all("expires_at" in item for item in items if item["run"]["S"] == run)


def test_the_time_of_a_run_is_held(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    limit = timedelta(seconds=DEFAULT_TIMEOUT)
    assert sweep(plan, run, limit) == 0
    assert sweep(plan, run, limit + SECOND) == 1
    head = plan.running().head(run)
    assert (head.status, head.error.code) == ("timed_out", "run.timeout")
    assert plan.executions()[0]["status"] == "ABORTED"


def test_a_redriven_run_has_its_whole_time_again(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    store = plan.running().runs
    store.end_run(head, RunEnd("timed_out", head.started_at, error=RunError("run.timeout", "x")), "me")
    later = timestamp(moment(head.started_at) + timedelta(days=40))
    store.redrive_run(head.run, later, "me")
    assert sweep(plan, head.run, GRACE + SECOND) == 1  # its execution was never started: now it is
    assert sweep(plan, head.run, timedelta(days=30)) == 0
    assert plan.running().head(head.run).status == "running"
    assert sweep(plan, head.run, timedelta(days=30) + SECOND) == 1
    assert plan.running().head(head.run).status == "timed_out"


def test_a_redrive_that_was_interrupted_is_finished(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    store = plan.running().runs
    store.end_run(head, RunEnd("failed", head.started_at, error=RunError("x", "x")), "me")
    store.expire_run(plan.running().head(head.run), 9_999_999_999)
    store.redrive_run(head.run, head.started_at, "me")
    assert sweep(plan, head.run, GRACE + SECOND) == 1
    assert not plan.running().head(head.run).renewing
    assert all("expires_at" not in item for item in plan.dynamodb.scan(TableName="runs")["Items"])


def test_who_runs_for_long_is_asked_about_in_its_own_minute(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    plan.stepfunctions.stop_execution(executionArn=plan.executions()[0]["executionArn"])
    minutes = [sweep(plan, run, SETTLED + minute * timedelta(minutes=1)) for minute in range(15)]
    assert sum(minutes) == 1
