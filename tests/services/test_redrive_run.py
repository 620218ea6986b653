"""Redriving: the record first, then the execution of its next epoch; asking again heals a lost start."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.runs.records import RunEnd, RunError
from loopstep.services.cancel_run import cancel_run
from loopstep.services.redrive_run import redrive_run
from loopstep.services.refusals import Conflicting, Unknown
from loopstep.services.start_run import StartRequest, start_run

LATER = "2026-01-02T00:00:00.000Z"


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(fences=True)
    return aws


def timed_out(plan: Any, status: str = "timed_out") -> str:
    head = start_run(plan.running(), StartRequest("p"))
    plan.running().runs.end_run(head, RunEnd(status, LATER, error=RunError("run.timeout", "too long")), "engine")
    return head.run


@pytest.mark.parametrize("status", ["failed", "timed_out"])
def test_a_new_execution_runs_the_next_epoch(plan: Any, status: str) -> None:
    run = timed_out(plan, status)
    head = redrive_run(plan.running(), run)
    assert (head.status, head.epoch) == ("running", 2)
    assert [each["name"] for each in plan.executions()] == [f"{run}-1", f"{run}-2"]
    assert '"epoch":2' in plan.executions()[1]["input"]
    assert not plan.running().head(run).renewing


def test_what_is_not_stuck_is_refused(plan: Any) -> None:
    running = start_run(plan.running(), StartRequest("p")).run
    held = start_run(plan.running(), StartRequest("p", hold=True)).run
    stopped = start_run(plan.running(), StartRequest("p")).run
    cancel_run(plan.running(), stopped)
    for run, status in ((running, "running"), (held, "created"), (stopped, "cancelled")):
        with pytest.raises(Conflicting) as refused:
            redrive_run(plan.running(), run)
        assert (refused.value.code, refused.value.facts) == ("redrive.nothing", {"runStatus": status})
    with pytest.raises(Unknown):
        redrive_run(plan.running(), "0" * 32)


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_redrive_dies_a_repeated_call_heals_it(plan: Any, after: bool) -> None:
    counting = plan.crash()
    redrive_run(counting.running(), timed_out(plan))
    for at in range(1, len(counting.crashing.calls) + 1):
        run = timed_out(plan)
        with pytest.raises(BaseException, match=counting.crashing.calls[at - 1]):
            redrive_run(plan.crash(at, after).running(), run)
        try:
            redrive_run(plan.running(), run)
        except Conflicting as refused:
            assert refused.code == "redrive.nothing"
        head = plan.running().head(run)
        assert (head.status, head.epoch, head.renewing) == ("running", 2, False)
        assert f"{run}-2" in [each["name"] for each in plan.executions()]


def test_a_redrive_begins_after_a_cancel_and_a_cancel_ends_a_redrive(plan: Any) -> None:
    run = timed_out(plan)
    redrive_run(plan.running(), run)
    assert cancel_run(plan.running(), run).status == "cancelled"
    assert {each["name"]: each["status"] for each in plan.executions()}[f"{run}-2"] == "ABORTED"
    with pytest.raises(Conflicting):
        redrive_run(plan.running(), run)
