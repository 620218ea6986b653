"""The checks of definitions, without an emulator: each fault is found, and the project's own definitions have none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonata
import pytest

from loopstep.cli.local.aws_rules.definitions import Problem, problems
from tests.strict.machines import INVOKE, ask, branch, call, catch, fail, machine, parallel, put, state

ROOT = Path(__file__).resolve().parents[2]


def parses(expression: str) -> str | None:
    try:
        jsonata.Jsonata(expression)
    except Exception as fault:
        return str(fault)
    return None


def found(definition: Any) -> list[Problem]:
    text = definition if isinstance(definition, str) else json.dumps(definition)
    return problems(text, parses)


PATHS = {"Type": "Pass", "End": True}
RULE = {"Condition": "{% true %}", "Next": "E"}
END = {"E": put(1)}
ITEM = branch("I", I=put(1))

FAULTS: dict[str, tuple[Any, str, str]] = {
    "no JSON": ("{nope", "INVALID_JSON_DESCRIPTION", ""),
    "no object": ("[]", "SCHEMA_VALIDATION_FAILED", ""),
    "no states": ({"StartAt": "A", "States": {}}, "SCHEMA_VALIDATION_FAILED", ""),
    "no start": ({"States": {"A": PATHS}}, "SCHEMA_VALIDATION_FAILED", ""),
    "start to nowhere": ({"StartAt": "B", "States": {"A": PATHS}}, "MISSING_TRANSITION_TARGET", "/StartAt"),
    "unknown field of a machine": ({**machine("A", A=put(1)), "Foo": 1}, "SCHEMA_VALIDATION_FAILED", "/Foo"),
    "unknown language": (
        {**machine("A", A=PATHS), "QueryLanguage": "SQL"},
        "SCHEMA_VALIDATION_FAILED",
        "/QueryLanguage",
    ),
    "timeout of 0": ({**machine("A", A=put(1)), "TimeoutSeconds": 0}, "SCHEMA_VALIDATION_FAILED", "/TimeoutSeconds"),
    "next to nowhere": (machine("A", A=put(1, "B"), **END), "MISSING_TRANSITION_TARGET", "/States/A/Next"),
    "catch to nowhere": (
        machine("A", A=call({}, Catch=catch("B"))),
        "MISSING_TRANSITION_TARGET",
        "/States/A/Catch[0]/Next",
    ),
    "rule to nowhere": (
        machine("A", A={"Type": "Choice", "Choices": [{**RULE, "Next": "B"}], "Default": "E"}, **END),
        "MISSING_TRANSITION_TARGET",
        "/States/A/Choices[0]/Next",
    ),
    "default to nowhere": (
        machine("A", A={"Type": "Choice", "Choices": [RULE], "Default": "B"}, **END),
        "MISSING_TRANSITION_TARGET",
        "/States/A/Default",
    ),
    "out of a branch": (
        machine("P", P=parallel(branch("A", A=put(1, "E"), B=put(1)), following="E"), **END),
        "MISSING_TRANSITION_TARGET",
        "/States/P/Branches[0]/States/A/Next",
    ),
    "unreachable": (machine("A", A=put(1), B=put(1)), "MISSING_TRANSITION_TARGET", "/States/B"),
    "no end": (machine("A", A=put(1, "B"), B=put(1, "A")), "MISSING_END_STATE", ""),
    "same name twice": (
        machine("P", P=parallel(branch("A", A=put(1)), branch("A", A=put(1)))),
        "DUPLICATE_STATE_NAME",
        "/States/P/Branches[1]/States/A",
    ),
    "long name": (machine("n" * 81, **{"n" * 81: put(1)}), "SCHEMA_VALIDATION_FAILED", f"/States/{'n' * 81}"),
    "unknown type": (machine("A", A={"Type": "Sleep", "End": True}), "SCHEMA_VALIDATION_FAILED", "/States/A/Type"),
    "unknown field": (machine("A", A=put(1, Foo=1)), "SCHEMA_VALIDATION_FAILED", "/States/A/Foo"),
    "path in JSONata": (machine("A", A=put(1, ResultPath="$")), "SCHEMA_VALIDATION_FAILED", "/States/A/ResultPath"),
    "output in JSONPath": (machine("A", "JSONPath", A=put(1)), "SCHEMA_VALIDATION_FAILED", "/States/A/Output"),
    "JSONPath in JSONata": (
        machine("A", A={**PATHS, "QueryLanguage": "JSONPath"}),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A",
    ),
    "neither next nor end": (machine("A", A={"Type": "Pass"}, **END), "SCHEMA_VALIDATION_FAILED", "/States/A"),
    "both next and end": (machine("A", A={**PATHS, "Next": "E"}, **END), "SCHEMA_VALIDATION_FAILED", "/States/A"),
    "next of a fail": (
        machine("A", A={**fail("x"), "Next": "E"}, **END),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Next",
    ),
    "no resource": (machine("A", A=state("Task")), "SCHEMA_VALIDATION_FAILED", "/States/A"),
    "odd resource": (machine("A", A=state("Task", Resource="x")), "SCHEMA_VALIDATION_FAILED", "/States/A/Resource"),
    "two times": (machine("A", A=state("Wait", Seconds=1, Timestamp="x")), "SCHEMA_VALIDATION_FAILED", "/States/A"),
    "no processor": (machine("A", A=state("Map", Items=[1])), "SCHEMA_VALIDATION_FAILED", "/States/A"),
    "odd mode": (
        machine("A", A=state("Map", ItemProcessor={**ITEM, "ProcessorConfig": {"Mode": "OFF"}})),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/ItemProcessor/ProcessorConfig/Mode",
    ),
    "no execution type": (
        machine("A", A=state("Map", ItemProcessor={**ITEM, "ProcessorConfig": {"Mode": "DISTRIBUTED"}})),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/ItemProcessor/ProcessorConfig/ExecutionType",
    ),
    "slow heartbeat": (
        machine("A", A=ask(TimeoutSeconds=5, HeartbeatSeconds=5)),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/HeartbeatSeconds",
    ),
    "no errors": (machine("A", A=call({}, Retry=[{}])), "SCHEMA_VALIDATION_FAILED", "/States/A/Retry[0]"),
    "all is not last": (
        machine("A", A=call({}, Catch=[*catch("E"), *catch("E", "x")]), **END),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Catch[0]",
    ),
    "all is not alone": (
        machine("A", A=call({}, Catch=catch("E", "x", "States.ALL")), **END),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Catch[0]",
    ),
    "small backoff": (
        machine("A", A=call({}, Retry=[{"ErrorEquals": ["x"], "BackoffRate": 0.5}])),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Retry[0]/BackoffRate",
    ),
    "small delay": (
        machine("A", A=call({}, Retry=[{"ErrorEquals": ["x"], "IntervalSeconds": 5, "MaxDelaySeconds": 5}])),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Retry[0]/MaxDelaySeconds",
    ),
    "odd jitter": (
        machine("A", A=call({}, Retry=[{"ErrorEquals": ["x"], "JitterStrategy": "SOME"}])),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Retry[0]/JitterStrategy",
    ),
    "no condition": (
        machine("A", A={"Type": "Choice", "Choices": [{"Next": "E"}]}, **END),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Choices[0]",
    ),
    "no rules": (
        machine("A", A={"Type": "Choice", "Choices": [], "Default": "E"}, **END),
        "SCHEMA_VALIDATION_FAILED",
        "/States/A/Choices",
    ),
    "expression": (machine("A", A=put({"a": ["{% 1 + %}"]})), "INVALID_JSONATA_EXPRESSION", "/States/A/Output/a[0]"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str) -> None:
    definition, code, location = FAULTS[name]
    assert (code, location) in [(problem.code, problem.location) for problem in found(definition)]


def test_one_fault_is_one_problem() -> None:
    """Most of the table above has nothing else to say."""
    assert sum(len(found(definition)) == 1 for definition, _code, _location in FAULTS.values()) > len(FAULTS) * 0.8


GOOD = {
    "all types": machine(
        "A",
        A=put(1, "B", Assign={"v": 1}, Comment="c"),
        B={"Type": "Choice", "Choices": [RULE], "Default": "W", "Output": 1, "Assign": {"v": 2}},
        W=state("Wait", "T", Seconds="{% 1 %}"),
        T=ask(None, "P", TimeoutSeconds="{% 5 %}", HeartbeatSeconds=3, Retry=[{"ErrorEquals": ["States.ALL"]}]),
        P=parallel(branch("C", C=put(1)), following="M", Arguments={}, Output=1),
        M=state("Map", "S", Items=[1], ItemProcessor=ITEM, MaxConcurrency=0),
        S={"Type": "Succeed", "Output": 1},
        E=fail("x"),
    ),
    "paths": machine(
        "A",
        "JSONPath",
        A=state("Task", "M", Resource=INVOKE, Parameters={"x.$": "$.x"}, ResultPath=None, TimeoutSecondsPath="$.t"),
        M=state("Map", "W", ItemsPath="$.xs", ItemProcessor=branch("I", I=PATHS), ResultSelector={}),
        W=state("Wait", "C", TimestampPath="$.until"),
        C={"Type": "Choice", "Choices": [{"Not": {"Variable": "$.x", "IsPresent": True}, "Next": "F"}], "Default": "E"},
        F={"Type": "Fail", "ErrorPath": "$.e", "CausePath": "$.c"},
        E={"Type": "Pass", "QueryLanguage": "JSONata", "Output": 1, "End": True},
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_is_right_passes(name: str) -> None:
    assert found(GOOD[name]) == []


@pytest.mark.parametrize(
    "path",
    sorted(ROOT.glob("statemachines/*.json")) + sorted(ROOT.glob("tests/golden/definitions/*.json")),
    ids=lambda path: path.name,
)
def test_compiled_definitions_pass(path: Path) -> None:
    assert found(path.read_text()) == []
