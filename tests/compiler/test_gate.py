"""The gate refuses each fault that an engine or a linter lets through."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from loopstep.compiler.gate import gate
from loopstep.compiler.jsonata_subset import parses
from loopstep.compiler.limits import MAX_DEFINITION_BYTES, MAX_STATE_BYTES

TASK: dict[str, Any] = {
    "Type": "Task",
    "QueryLanguage": "JSONata",
    "Resource": "arn:aws:states:::lambda:invoke",
    "Arguments": {"FunctionName": "f", "Payload": {"token": "{% $states.input %}", "spec": "{}"}},
    "Output": "{% $states.result.Payload %}",
    "Retry": [{"ErrorEquals": ["States.TaskFailed"], "IntervalSeconds": 1, "MaxAttempts": 1, "BackoffRate": 2.0}],
    "Catch": [{"ErrorEquals": ["States.ALL"], "Output": "{% $states.input %}", "Next": "stop"}],
    "Next": "choose",
}
GOOD: dict[str, Any] = {
    "Comment": "loopstep 1",
    "StartAt": "work",
    "TimeoutSeconds": 60,
    "States": {
        "work": TASK,
        "choose": {
            "Type": "Choice",
            "QueryLanguage": "JSONata",
            "Choices": [{"Condition": "{% $states.input.seen[0] > 3 %}", "Next": "pause"}],
            "Default": "stop",
        },
        "pause": {"Type": "Wait", "TimestampPath": "$.until", "Next": "stop"},
        "stop": {"Type": "Fail", "QueryLanguage": "JSONata", "Error": "stopped"},
    },
}


def changed(*path: Any, to: Any = None) -> dict[str, Any]:
    """GOOD with one place set to another value, or taken out."""
    definition = copy.deepcopy(GOOD)
    place: Any = definition
    for key in path[:-1]:
        place = place[key]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return definition


def messages(definition: dict[str, Any]) -> list[str]:
    return [f"{fault.state}: {fault.message}" for fault in gate(definition)]


def test_a_good_definition_passes() -> None:
    assert messages(GOOD) == []


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (changed("StartAt", to="nowhere"), "is no state"),
        (changed("TimeoutSeconds"), "TimeoutSeconds is None"),
        (changed("TimeoutSeconds", to=100_000_000), "TimeoutSeconds is"),
        (changed("Version", to="1.0"), "unknown fields ['Version']"),
        (changed("States", "work", "Next", to="nowhere"), "leads to 'nowhere'"),
        (changed("States", "work", "Catch", 0, "Next", to="nowhere"), "leads to 'nowhere'"),
        (changed("States", "choose", "Default"), "lacks ['Default']"),
        (changed("States", "choose", "Choices", to=[]), "has no choices"),
        (changed("States", "choose", "Choices", 0, "Condition", to="true"), "is no expression"),
        (changed("States", "choose", "Choices", 0, "Condition", to="{% $eval('1') %}"), "does not parse"),
        (changed("States", "choose", "Choices", 0, "Condition", to="{% 1 + %}"), "does not parse"),
        (changed("States", "work", "End", to=True), "one of Next and End"),
        (changed("States", "work", "Next"), "one of Next and End"),
        (changed("States", "work", "Resource", to="arn:aws:states:::lambda:invok"), "unknown resource"),
        (changed("States", "work", "InputPath", to="$.x"), "unknown fields ['InputPath']"),
        (changed("States", "work", "Output", to="{% $states.result"), "half an expression"),
        (changed("States", "pause", "TimestampPath", to="{% $states.input.until %}"), "in a JSONPath state"),
        (changed("States", "pause", "QueryLanguage", to="JSONata"), "is no type of a JSONata state"),
        (changed("States", "work", "Type", to="Tsk"), "is no type"),
        (changed("States", "work", "Retry", 0, "ErrorEquals", to=[]), "ErrorEquals is empty"),
        (changed("States", "work", "Retry", 0, "ErrorEquals", to=["States.ALL", "X"]), "States.ALL must stand"),
        (changed("States", "work", "Retry", 0, "MaxDelaySeconds", to=1), "is not above IntervalSeconds"),
        (changed("States", "work", "Retry", 0, "Jitter", to=1), "unknown fields ['Jitter']"),
        (changed("States", "work", "TimeoutSeconds", to="{% 5 %}"), "TimeoutSeconds is"),
        (
            changed("States", "alone", to={"Type": "Fail", "QueryLanguage": "JSONata", "Error": "x"}),
            "cannot be reached",
        ),
        (changed("States", "x" * 81, to={"Type": "Fail", "QueryLanguage": "JSONata", "Error": "x"}), "81 characters"),
    ],
)
def test_each_fault_is_found(definition: dict[str, Any], message: str) -> None:
    assert any(message in found for found in messages(definition)), messages(definition)


@pytest.mark.parametrize(("over", "codes"), [(-1, []), (0, []), (1, ["limit.state_size"])])
def test_the_size_of_a_state_counts_utf8_bytes(over: int, codes: list[str]) -> None:
    definition = changed("States", "work", "Comment", to="")
    import json

    size = len(json.dumps(definition["States"]["work"], separators=(",", ":")))
    room = MAX_STATE_BYTES - size + over
    definition["States"]["work"]["Comment"] = "é" * (room // 2) + "x" * (room % 2)
    assert [fault.code for fault in gate(definition)] == codes


def test_the_size_of_a_state_inside_a_region_counts() -> None:
    large = {**TASK, "Comment": "x" * MAX_STATE_BYTES, "End": True}
    for key in ("Next", "Catch"):
        del large[key]
    region = {"Type": "Parallel", "Branches": [{"StartAt": "a", "States": {"a": large}}], "ResultPath": None}
    definition = {"StartAt": "r", "TimeoutSeconds": 1, "States": {"r": {**region, "End": True}}}
    assert [(fault.code, fault.state) for fault in gate(definition)] == [("limit.state_size", "a")]


@pytest.mark.parametrize(("over", "codes"), [(-1, []), (0, []), (1, ["limit.definition_size"])])
def test_the_size_of_a_definition_counts_utf8_bytes(over: int, codes: list[str]) -> None:
    import json

    definition = changed("Comment", to="")
    room = MAX_DEFINITION_BYTES - len(json.dumps(definition, separators=(",", ":"))) + over
    definition["Comment"] = "x" * room
    assert [fault.code for fault in gate(definition)] == codes


@pytest.mark.parametrize(
    "text",
    [
        "$states.input.seen[0]",
        "$states.input.seen[0] != null and $states.input.seen[0] >= 3",
        "$states.input.port = 'body' and (($states.input.seen[1] = \"a b\") or true)",
        "$merge([$states.input, {'edge': 'kept'}])",
        "[0..($states.input.n - 1)]",
        "$not(-1 * 2.5e3 < $states.input.seen[2])",
        "$states.input.a ? 1 : null",
        '"北京😀 \\" %}"',
    ],
)
def test_the_subset_parses(text: str) -> None:
    assert parses(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "(1",
        "$eval('1')",
        "$x",
        "a.b",
        "$states.",
        "/a+/",
        "function($x){$x}",
        "1 2",
        "'a",
        "**",
        "$states.*",
        "[1,]",
        "{a: 1}",
    ],
)
def test_what_lies_outside_does_not(text: str) -> None:
    assert not parses(text)
