"""How a stack is: the sweeper's heartbeat, runs that nobody ends, what is overdue."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from loopstep import __version__
from loopstep.runs.heartbeat import beat
from loopstep.runs.schema import DUE
from loopstep.runtime.times import moment, timestamp
from loopstep.services.examine_stack import LATE, MOST, examine_stack
from loopstep.services.start_run import StartRequest, start_run
from loopstep.services.sweep_runs import DEFAULT_TIMEOUT

SECOND = timedelta(seconds=1)


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(fences=True)
    return aws


def later(plan: Any, span: timedelta) -> Any:
    now = moment(plan.running().now()) + span
    return dataclasses.replace(plan.running(), now=lambda: timestamp(now))


def test_a_fresh_stack(aws: Any) -> None:
    found = examine_stack(aws.running())
    assert found == {"version": __version__, "at": found["at"], "sweptAt": None, "stuckRuns": [], "overdue": 0}


def test_the_sweeper_is_known_by_its_last_visit(aws: Any) -> None:
    for at in ("2026-11-30T10:00:00.000Z", "2026-11-30T10:01:00.000Z"):
        beat(aws.running().runs, at)
        assert examine_stack(aws.running())["sweptAt"] == at
    assert aws.running().reader.list_runs().items == ()  # a heartbeat is no run


def test_a_run_is_stuck_some_time_after_its_timeout(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    end = moment(plan.running().head(run).epoch_at) + timedelta(seconds=DEFAULT_TIMEOUT) + LATE
    at = lambda when: dataclasses.replace(plan.running(), now=lambda: timestamp(when))  # noqa: E731
    assert examine_stack(at(end - SECOND))["stuckRuns"] == []
    assert examine_stack(at(end + SECOND))["stuckRuns"] == [run]


def test_not_all_stuck_runs_are_named(plan: Any) -> None:
    for _ in range(MOST + 2):
        start_run(plan.running(), StartRequest("p"))
    found = examine_stack(later(plan, timedelta(seconds=DEFAULT_TIMEOUT) + LATE + 10 * SECOND))
    assert len(found["stuckRuns"]) == MOST


def test_what_the_sweeper_should_have_done_is_counted(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    due = plan.running().now()
    item = {"run": {"S": run}, "sk": {"S": "race#j#"}, "due": {"S": DUE}, "due_at": {"S": due}}
    plan.dynamodb.put_item(TableName=plan.running().runs.table, Item=item)
    assert examine_stack(plan.running())["overdue"] == 0
    assert examine_stack(later(plan, LATE + SECOND))["overdue"] == 1
