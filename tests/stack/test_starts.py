"""Starts on the deployed stack, sixteen at a time: by several at once, by some who hang up, without loss or repetition.

That calls and processes fail meanwhile is proved by `make starts`, on a local cloud that nobody else needs.
"""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.remote import Remote
from loopstep.runs.records import TERMINAL
from tests.chaos import checking as records
from tests.chaos.stack import Stack
from tests.starts import checking
from tests.starts.__main__ import PLAN, invoker
from tests.starts.starting import INVOKED, Starter, starts

STARTS, AT_ONCE = 60, 16


def runs(api: Remote, plan: str) -> list[dict[str, Any]]:
    """The runs of the plan, when all of them have ended."""
    deadline = time.monotonic() + 150
    while not all(each["status"] in TERMINAL for each in api.items("/runs", plan=plan)) and time.monotonic() < deadline:
        time.sleep(1)
    return [api.call("GET", f"/runs/{each['runId']}") for each in api.items("/runs", plan=plan)]


def test_sixty_starts_are_one_run_each(state: cloud.State, api: Remote) -> None:
    pytest.importorskip("boto3")
    if not state["endpoint"]:
        pytest.skip("asks the engine itself")
    plan = f"t{uuid.uuid4().hex[:10]}"
    api.call("PUT", f"/plans/{plan}", raw=PLAN.read_bytes())
    stack, seed = Stack(state), int(plan[1:5], 16)
    wanted = starts(seed, STARTS)
    starter = Starter(state["url"], state["apiKey"], plan, invoker(stack, plan))
    told = starter.all(wanted, AT_ONCE)
    assert checking.told_alike(told) == []
    keyed = [each for each in wanted if each.key is not None]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        again = dict(zip([each.number for each in keyed], pool.map(starter.again, keyed), strict=True))
    assert checking.found_by_key(told, again) == []
    others = [each for each in keyed if each.kind != INVOKED][:10]
    assert checking.conflicts({each.number: starter.other(each) for each in others}) == []
    found = runs(api, plan)
    assert checking.right_runs(told, found) + checking.complete(wanted, found) + checking.ended(found) == []
    names = {f"{each['runId']}-1" for each in found}
    mine = [(name, status) for name, status in stack.executions() if name in names]
    assert records.executions({each["runId"]: 1 for each in found}, mine) == []
