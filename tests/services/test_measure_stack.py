"""The gauges that the sweeper writes, and the count of ends that close_run writes."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any

from loopstep.runs.waits import APPROVAL
from loopstep.runtime.times import moment, timestamp
from loopstep.services.measure_stack import measure_stack
from loopstep.services.start_run import StartRequest, start_run


def test_an_empty_stack(aws: Any) -> None:
    found = measure_stack(aws.running())
    assert {name: amount for name, (amount, _) in found.items()} == {
        "RunningRuns": 0,
        "StuckRuns": 0,
        "Overdue": 0,
        "OldestApproval": 0,
        "OldestCallback": 0,
    }


def test_the_oldest_open_approval_of_a_run_that_runs(aws: Any) -> None:
    aws.store_version(fences=True)
    running = aws.running()
    one, other = (start_run(running, StartRequest("p")).run for _ in range(2))
    now = moment(running.now())
    for run, minutes in ((one, 50), (other, 10)):
        item = {
            "run": run,
            "sk": "wait#" + "0" * 32,
            "wait": f"{APPROVAL}#pending",
            "asked_at": timestamp(now - timedelta(minutes=minutes)),
            "node": "ask",
            "activation": "ask#",
            "until": timestamp(now + timedelta(days=1)),
            "asked": '{"scope": "s"}',
            "token": "{}",
            "text": "t",
            "spec": "{}",
        }
        item_ = {name: {"S": value} for name, value in item.items()} | {"epoch": {"N": "1"}}
        aws.dynamodb.put_item(TableName=running.runs.table, Item=item_)
    fixed = dataclasses.replace(running, now=lambda: timestamp(now))
    assert measure_stack(fixed)["OldestApproval"] == (3000, "Seconds")
    assert measure_stack(fixed)["RunningRuns"] == (2, "Count")
    running.runs.cancel_run(one, timestamp(now), "owner")
    assert measure_stack(fixed)["OldestApproval"] == (600, "Seconds")
    assert measure_stack(fixed)["OldestCallback"] == (0, "Seconds")
