"""Redrive and the sweeper on the deployed stack: the engine's executions, the real records, roles enforced."""

from __future__ import annotations

import contextlib
import time
import uuid
from typing import Any

import boto3
import pytest
from botocore.config import Config

from loopstep.cli.local.emulator import CREDENTIALS, REGION
from loopstep.cli.remote import Refused, Remote
from tests.ending import ended

HEAD = """
apiVersion: loop.plan/v1
kind: PlanVersion
output: {}
state: {gate: {type: string}, count: {type: integer, required: true, default: 0}}
"""
NODES = """
    - id: risky
      type: wait
      input: {gate: {type: string, required: true}}
      wait: {until: {ref: input.gate, convert: {to: datetime}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: gave_up}}
"""
GATE = "bindings: {gate: {ref: state.gate, default: closed}}"
LINE = (
    HEAD
    + f"""
graph:
  entry: {{nodeId: bump, port: in}}
  nodes:
    - id: bump
      type: set_variable
      setVariable: {{assignments: [{{state: count, value: {{expr: state.count + 1}}}}]}}
    - {{id: tell, type: send_message, sendMessage: {{scope: {{value: ops}}, text: failed}}}}
    {NODES.strip()}
  edges:
    - {{id: a, source: {{nodeId: bump, port: completed}}, target: {{nodeId: risky, port: in}}, {GATE}}}
    - {{id: b, source: {{nodeId: risky, port: completed}}, target: {{nodeId: done, port: in}}, bindings: {{}}}}
    - {{id: c, source: {{nodeId: risky, port: failed}}, target: {{nodeId: tell, port: in}}}}
    - {{id: d, source: {{nodeId: tell, port: completed}}, target: {{nodeId: stop, port: in}}}}
"""
)


def region(mode: str) -> str:
    return (
        HEAD
        + f"""
graph:
  entry: {{nodeId: each, port: in}}
  nodes:
    - {{id: each, type: fan_out, fanOut: {{items: {{value: [a, b]}}}}}}
    - {{id: all, type: join, join: {{fanOut: each, {mode}}}}}
    {NODES.strip()}
  edges:
    - {{id: i, source: {{nodeId: each, port: item}}, target: {{nodeId: risky, port: in}}, {GATE}}}
    - {{id: j, source: {{nodeId: risky, port: completed}}, target: {{nodeId: all, port: in}}, bindings: {{}}}}
    - {{id: k, source: {{nodeId: all, port: completed}}, target: {{nodeId: done, port: in}}, bindings: {{}}}}
    - {{id: l, source: {{nodeId: all, port: failed}}, target: {{nodeId: stop, port: in}}}}
"""
    )


SLOW = (
    HEAD
    + """
timeout: PT1S
graph:
  entry: {nodeId: pause, port: in}
  nodes:
    - {id: pause, type: wait, wait: {duration: {value: PT10M}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: pause, port: completed}, target: {nodeId: done, port: in}, bindings: {}}
"""
)


@pytest.fixture(scope="module")
def aws(state: Any) -> Any:
    """A function that makes clients of the local cloud."""

    def client(service: str) -> Any:
        keys = {name.lower(): value for name, value in CREDENTIALS.items() if name.startswith("AWS_")}
        apart = {"aws_default_region", "region_name"}
        session = boto3.session.Session(**{k: v for k, v in keys.items() if k not in apart}, region_name=REGION)
        return session.client(service, endpoint_url=state["endpoint"], config=Config(proxies={}))

    return client


def begin(api: Remote, plan: str) -> str:
    name = f"redrive_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{name}", raw=plan.encode())
    return str(api.call("POST", f"/plans/{name}/runs", {"input": {}})["runId"])


def open_gate(aws: Any, state: Any, run: str) -> None:
    aws("dynamodb").update_item(
        TableName=state["outputs"]["RunsTable"],
        Key={"run": {"S": run}, "sk": {"S": "state"}},
        UpdateExpression="SET f_gate = :open",
        ExpressionAttributeValues={":open": {"S": '"2001-01-01T00:00:00Z"'}},
    )


def test_a_failed_run_is_redriven_by_command(loopstep: Any, api: Remote, aws: Any, state: Any) -> None:
    run = begin(api, LINE)
    assert ended(api, run)["error"]["code"] == "gave_up"
    again = loopstep("redrive", run, "--watch", "--json")
    assert (again.code, again.data["status"], again.data["epoch"]) == (1, "failed", 2)
    assert len(list(api.items("/messages", runId=run))) == 1
    open_gate(aws, state, run)
    done = loopstep("redrive", run, "--watch", "--json")
    assert (done.code, done.data["status"], done.data["epoch"]) == (0, "succeeded", 3)
    shown = {each["nodeId"]: each["status"] for each in api.items(f"/runs/{run}/activations")}
    assert shown == {"bump": "completed", "risky": "completed", "done": "completed"}
    nothing = loopstep("redrive", run, "--json")
    assert (nothing.code, nothing.data["code"], nothing.data["runStatus"]) == (6, "redrive.nothing", "succeeded")


@pytest.mark.parametrize("mode", ["mode: all", "mode: any", "mode: count, count: 2"])
def test_regions_are_reopened(api: Remote, aws: Any, state: Any, mode: str) -> None:
    run = begin(api, region(mode))
    assert ended(api, run)["error"]["code"] == "gave_up"
    open_gate(aws, state, run)
    assert api.call("POST", f"/runs/{run}/redrive")["epoch"] == 2
    assert ended(api, run)["status"] == "succeeded"


def test_a_plans_timeout_is_held_and_a_redrive_keeps_the_wait(api: Remote, aws: Any) -> None:
    run = begin(api, SLOW)
    until = None
    while until is None:
        until = next((each["until"] for each in api.items(f"/runs/{run}/activations")), None)
    time.sleep(1.5)  # the plan's timeout passes
    # The sweeper's own schedule may be first, and on the strict cloud the engine itself.
    assert "FunctionError" not in aws("lambda").invoke(FunctionName="loopstep-local-sweep", Payload=b"{}")
    found = ended(api, run)
    assert (found["status"], found["error"]["code"]) == ("timed_out", "run.timeout")
    with pytest.raises(Refused):
        api.call("POST", f"/runs/{run}/cancel")
    api.call("POST", f"/runs/{run}/redrive")
    (pause,) = [each for each in api.items(f"/runs/{run}/activations") if each["nodeId"] == "pause"]
    assert pause["until"] == until
    with contextlib.suppress(Refused):  # the plan's timeout may be quicker
        api.call("POST", f"/runs/{run}/cancel")
