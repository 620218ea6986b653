"""Metrics, alarms, dashboard: what is watched is counted somewhere, what is counted is shown, all is explained."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from loopstep.runtime.close import _METRICS
from tests.template.test_template import RESOURCES, ROOT, TEMPLATE

ALARMS = {name: each["Properties"] for name, each in RESOURCES.items() if each["Type"] == "AWS::CloudWatch::Alarm"}
DASHBOARD = json.loads(RESOURCES["Dashboard"]["Properties"]["DashboardBody"]["!Sub"])
SHOWN = [metric for widget in DASHBOARD["widgets"] for metric in widget["properties"]["metrics"]]
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("layers/loopstep/python/loopstep", "functions")
    for path in Path(ROOT / folder).rglob("*.py")
)


def counted() -> set[str]:
    """Every metric that some line of code counts."""
    named = re.findall(r"seen\.count\(\"(\w+)\"", CODE) + re.findall(r"embedded\(\{\"(\w+)\"", CODE)
    gauges = re.findall(r"^        \"(\w+)\": \(", _measured(), re.M)
    assert named and gauges
    return {*named, *gauges, *_METRICS.values()}


def _measured() -> str:
    return (ROOT / "layers/loopstep/python/loopstep/services/measure_stack.py").read_text(encoding="utf-8")


def test_what_is_watched_is_counted_and_what_is_counted_is_shown() -> None:
    own = {metric[1] for metric in SHOWN if metric[0] == "loopstep"}
    assert own == counted()
    assert {each["MetricName"] for each in ALARMS.values() if each["Namespace"] == "loopstep"} <= counted()


def test_own_metrics_are_those_of_the_stack() -> None:
    assert TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]["METRICS_STACK"] == {"!Ref": "AWS::StackName"}
    for alarm in ALARMS.values():
        if alarm["Namespace"] == "loopstep":
            assert alarm["Dimensions"] == [{"Name": "stack", "Value": {"!Ref": "AWS::StackName"}}]
    for metric in SHOWN:
        assert metric[0] != "loopstep" or metric[2:4] == ["stack", "${AWS::StackName}"]


def test_functions_on_the_dashboard_exist() -> None:
    names = {metric[3] for metric in SHOWN if metric[0] == "AWS/Lambda" and len(metric) > 3}
    functions = [each["Properties"] for each in RESOURCES.values() if each["Type"] == "AWS::Serverless::Function"]
    assert names and names <= {each["FunctionName"]["!Sub"] for each in functions}


def test_alarms_notify_only_where_there_is_a_topic_and_stand_behind_the_switch() -> None:
    actions: Any = {"!If": ["Notifies", [{"!Ref": "AlarmTopic"}], {"!Ref": "AWS::NoValue"}]}
    for name, alarm in ALARMS.items():
        assert alarm["AlarmActions"] == alarm["OKActions"] == actions
        assert RESOURCES[name]["Condition"] == "Watched"
        assert alarm["TreatMissingData"] == ("breaching" if name == "SweeperAlarm" else "notBreaching")
    assert RESOURCES["Dashboard"]["Condition"] == "Watched"


def test_the_operations_page_explains_every_alarm_and_parameter() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `(\w+Alarm)` \|", page, re.M))
    assert explained == ALARMS.keys()
    local_only = {"TlsOnly", "ModelStandIn", "SchedulerZones"}
    table = " ".join(re.findall(r"^\| (`.+?`) \|", page, re.M))
    assert {name for name in TEMPLATE["Parameters"] if f"`{name}`" not in table} <= local_only


def test_what_asks_models_can_be_bounded() -> None:
    bounded = {
        name
        for name, each in RESOURCES.items()
        if each.get("Properties", {}).get("ReservedConcurrentExecutions", {}).get("!If", [""])[0] == "BoundsModels"
    }
    asking = {
        name
        for name, each in RESOURCES.items()
        if each["Type"] == "AWS::Serverless::Function"
        and {"!Ref": "ModelsPolicy"} in each["Properties"].get("Policies", [])
    }
    assert bounded == asking and asking
