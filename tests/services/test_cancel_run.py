"""Cancelling: the record first, then the execution; once, and the same however often it is asked for."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from loopstep.runs.errors import RunNotOpen
from loopstep.runs.records import RunEnd
from loopstep.services.cancel_run import cancel_run
from loopstep.services.refusals import Conflicting, Unknown
from loopstep.services.start_run import StartRequest, start_run

LATER = "2026-01-02T00:00:00.000Z"


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(fences=True)
    return aws


def test_a_running_run_is_cancelled_and_stopped(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    head = cancel_run(plan.running(), run)
    assert head.status == "cancelled" and head.ended_at is not None
    assert head.error is not None and head.error.code == "run.cancelled"
    (execution,) = plan.executions()
    assert execution["status"] == "ABORTED"


def test_cancelling_again_changes_nothing(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p")).run
    first = cancel_run(plan.running(), run)
    assert cancel_run(plan.running(), run) == first


def test_a_held_run_is_cancelled_without_an_execution(plan: Any) -> None:
    run = start_run(plan.running(), StartRequest("p", hold=True)).run
    assert cancel_run(plan.running(), run).status == "cancelled"
    assert plan.executions() == []


def test_an_ended_run_is_not_cancelled(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    plan.running().runs.end_run(head, RunEnd("succeeded", LATER, output={}), "end")
    with pytest.raises(Conflicting) as refused:
        cancel_run(plan.running(), head.run)
    assert (refused.value.code, refused.value.facts) == ("run.ended", {"runStatus": "succeeded"})
    assert plan.running().head(head.run).status == "succeeded"
    assert plan.executions()[0]["status"] == "RUNNING"


def test_an_unknown_run(plan: Any) -> None:
    with pytest.raises(Unknown):
        cancel_run(plan.running(), "0" * 32)


def test_a_cancel_and_an_end_give_one_terminal_status(plan: Any) -> None:
    for number in range(8):
        head = start_run(plan.running(), StartRequest("p", key=str(number)))
        outcomes: list[str] = []

        def cancel(run: str = head.run, outcomes: list[str] = outcomes) -> None:
            try:
                outcomes.append(cancel_run(plan.running(), run).status)
            except Conflicting as refused:
                outcomes.append(refused.facts["runStatus"])

        def end(head: Any = head, outcomes: list[str] = outcomes) -> None:
            try:
                plan.running().runs.end_run(head, RunEnd("succeeded", LATER, output={}), "end")
                outcomes.append("succeeded")
            except RunNotOpen as found:
                outcomes.append(found.status or "")

        threads = [threading.Thread(target=each) for each in (cancel, end)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(outcomes) == {plan.running().head(head.run).status}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("hold", [False, True])
def test_wherever_a_cancel_dies_a_repeated_call_heals_it(plan: Any, after: bool, hold: bool) -> None:
    clean = start_run(plan.running(), StartRequest("p", hold=hold)).run
    counting = plan.crash()
    cancel_run(counting.running(), clean)
    for at in range(1, len(counting.crashing.calls) + 1):
        run = start_run(plan.running(), StartRequest("p", hold=hold)).run
        with pytest.raises(BaseException, match=counting.crashing.calls[at - 1]):
            cancel_run(plan.crash(at, after).running(), run)
        assert cancel_run(plan.running(), run).status == "cancelled"
        stopped = {each["name"]: each["status"] for each in plan.executions()}
        assert stopped.get(f"{run}-1") == (None if hold else "ABORTED")
