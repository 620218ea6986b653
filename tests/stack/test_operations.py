"""A deployed stack as its operators see it: the doctor, alarms, and metrics in the log lines of its functions."""

from __future__ import annotations

import json
import time
from typing import Any

import boto3
import pytest

from loopstep import __version__
from loopstep.cli.local.stack import STACK

FAILING = b"""
apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {name: operations_failing}
graph:
  entry: {nodeId: bad, port: in}
  nodes:
    - {id: bad, type: end, end: {outcome: failed, code: bad}}
  edges: []
"""


@pytest.fixture
def client(state: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Clients of the local cloud's services."""
    if not state["endpoint"]:
        pytest.skip("a deployment is looked at by its API alone")
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    return lambda service: boto3.client(service, endpoint_url=state["endpoint"], **keys)


def test_the_doctor_finds_nothing_wrong(loopstep: Any) -> None:
    done = loopstep("doctor", "--run", "--json")
    found = {each["name"]: each["status"] for each in done.data["checks"]}
    assert (done.code, done.data["ok"]) == (0, True), done.stdout
    assert found["api"] == found["version"] == found["functions"] == "ok"


def test_health(api: Any) -> None:
    found = api.call("GET", "/health")
    assert (found["version"], found["stuckRuns"]) == (__version__, [])


def test_alarms_and_a_dashboard_are_there(client: Any) -> None:
    cloudwatch = client("cloudwatch")
    alarms = {each["AlarmName"].split("-")[-2] for each in cloudwatch.describe_alarms()["MetricAlarms"]}
    assert {"FailedRunsAlarm", "StuckRunsAlarm", "SweeperAlarm", "ApiLatencyAlarm"} <= alarms
    assert STACK in {each["DashboardName"] for each in cloudwatch.list_dashboards()["DashboardEntries"]}


def test_a_failed_run_is_counted(api: Any, client: Any) -> None:
    api.call("PUT", "/plans/operations_failing", raw=FAILING)
    run = api.call("POST", "/plans/operations_failing/runs", {"input": {}})["runId"]
    line = _line(client("logs"), f"/aws/lambda/{STACK}-close_run", run)
    assert line["RunsFailed"] == 1 and line["stack"] == STACK
    assert line["_aws"]["CloudWatchMetrics"][0]["Metrics"] == [{"Name": "RunsFailed", "Unit": "Count"}]


def _line(logs: Any, group: str, run: str) -> Any:
    """The line of a function about a run, when it is there."""
    end, recently = time.monotonic() + 180, int((time.time() - 120) * 1000)
    while time.monotonic() < end:
        for event in logs.filter_log_events(logGroupName=group, startTime=recently)["events"]:
            if run in event["message"] and "_aws" in event["message"]:
                return json.loads(event["message"])
        time.sleep(0.5)
    raise AssertionError(f"{group} says nothing of {run}")
