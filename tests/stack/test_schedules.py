"""Schedules on the deployed stack: the scheduler fires, one slot is one run, changed and removed ones fire no more."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.remote import Refused, Remote
from tests.ending import ended
from tests.stack.conftest import Command

PLAN = b"""\
apiVersion: loop.plan/v1
kind: PlanVersion
input: {who: {type: string, required: true}}
graph:
  entry: {nodeId: look, port: in, input: {}}
  nodes:
    - {id: look, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: look, port: completed}, target: {nodeId: done, port: in}}
"""


@pytest.fixture
def plan(api: Remote) -> str:
    name = f"t{uuid.uuid4().hex[:10]}"
    api.call("PUT", f"/plans/{name}", raw=PLAN)
    return name


@pytest.fixture
def client(state: cloud.State) -> Callable[[str], Any]:
    boto3 = pytest.importorskip("boto3")
    if not state["endpoint"]:
        pytest.skip("asks the engine itself")

    def make(service: str) -> Any:
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        return boto3.client(service, endpoint_url=state["endpoint"], region_name="us-east-1", **keys)

    return make


def runs(api: Remote, plan: str) -> list[dict[str, Any]]:
    return list(api.items("/runs", plan=plan))


def test_a_time_in_a_zone_fires_once_and_the_schedule_is_gone(loopstep: Command, api: Remote, plan: str) -> None:
    soon = (datetime.now(ZoneInfo("Asia/Kathmandu")) + timedelta(seconds=3)).strftime("%Y-%m-%dT%H:%M:%S")
    options = ["--time-zone", "Asia/Kathmandu", "--input", '{"who": "Ada"}', "--delete-after-completion"]
    assert loopstep("schedules", "put", plan, "once", f"at({soon})", *options).stdout.startswith("once: next ")
    later = f"at({datetime.now(UTC) + timedelta(seconds=3):%Y-%m-%dT%H:%M:%S})"
    loopstep("schedules", "put", plan, "stopped", later, "--input", '{"who": "Bo"}')
    assert loopstep("schedules", "disable", plan, "stopped").stdout == "stopped: disabled\n"
    for _ in range(240):
        if runs(api, plan):
            break
        time.sleep(0.5)
    (run,) = runs(api, plan)
    assert ended(api, run["runId"])["input"] == {"who": "Ada"}
    assert [each["id"] for each in loopstep("schedules", "list", plan, "--json").data["items"]] == ["stopped"]
    assert loopstep("schedules", "remove", plan, "stopped").code == 0 and len(runs(api, plan)) == 1


def test_one_slot_three_times_is_one_run(
    state: cloud.State, client: Callable[[str], Any], api: Remote, plan: str
) -> None:
    body = {"expression": "cron(0 2 * * ? *)", "timeZone": "Europe/Berlin", "input": {"who": "Ada"}}
    api.call("PUT", f"/plans/{plan}/schedules/nightly", body)
    found = client("scheduler").list_schedules(NamePrefix=f"{plan}-nightly-")["Schedules"]
    (clock,) = [client("scheduler").get_schedule(Name=each["Name"], GroupName=each["GroupName"]) for each in found]
    payload = {**json.loads(clock["Target"]["Input"]), "slot": "2026-11-30T01:00:00Z"}
    function = state["outputs"]["StartRunFunction"]
    functions = client("lambda")

    def invoke(_: int) -> Any:
        return json.loads(functions.invoke(FunctionName=function, Payload=json.dumps(payload))["Payload"].read())

    with ThreadPoolExecutor(3) as pool:  # at once, and once more when it is over
        answers = [*pool.map(invoke, range(3)), invoke(3)]
    assert len({each["runId"] for each in answers}) == 1 and len(runs(api, plan)) == 1
    api.call("DELETE", f"/plans/{plan}/schedules/nightly")
    late = client("lambda").invoke(
        FunctionName=function, Payload=json.dumps(payload | {"slot": "2026-12-01T01:00:00Z"})
    )
    assert json.loads(late["Payload"].read()) == {"skipped": "superseded"} and len(runs(api, plan)) == 1
    assert client("scheduler").list_schedules(NamePrefix=f"{plan}-nightly-")["Schedules"] == []


def test_what_is_refused(api: Remote, plan: str) -> None:
    for body, code in (
        ({"expression": "cron(0 2 * * * *)", "input": {"who": "Ada"}}, "schedule.invalid"),
        ({"expression": "rate(1 day)"}, "input.invalid"),
    ):
        with pytest.raises(Refused) as refused:
            api.call("PUT", f"/plans/{plan}/schedules/s", body)
        assert (refused.value.status, refused.value.problem["code"]) == (422, code)
