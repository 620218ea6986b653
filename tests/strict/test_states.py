"""Choice, Succeed, Pass, Wait and paths, as AWS has them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.strict.emulator import Emulator
from tests.strict.machines import machine, put, state


def choice(rules: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {"Type": "Choice", "Choices": rules, **fields}


def test_assign_sees_the_variables_as_they_were(strict: Emulator) -> None:
    start = put(0, "B", Assign={"a": 1, "b": 2})
    swap = put(0, "E", Assign={"a": "{% $b %}", "b": "{% $a %}"})
    assert strict.run(machine("A", A=start, B=swap, E=put(["{% $a %}", "{% $b %}"]))).output == [2, 1]


def test_succeed_has_an_output(strict: Emulator) -> None:
    end = {"Type": "Succeed", "Output": {"n": "{% $states.input.n + 1 %}"}}
    assert strict.run(machine("S", S=end), {"n": 1}).output == {"n": 2}


def test_default_of_a_choice_has_an_output_and_assign(strict: Emulator) -> None:
    rule = {"Condition": "{% $states.input.n = 1 %}", "Next": "E", "Output": "rule", "Assign": {"v": "rule"}}
    asks = choice([rule], Default="E", Output="default", Assign={"v": "default"})
    end = put(["{% $states.input %}", "{% $v %}"])
    assert strict.run(machine("C", C=asks, E=end), {"n": 1}).output == ["rule", "rule"]
    assert strict.run(machine("C", C=asks, E=end), {"n": 2}).output == ["default", "default"]


@pytest.mark.parametrize("condition", ["{% 'yes' %}", "{% 1 %}", "{% $states.input.missing %}", "{% null %}"])
def test_a_condition_must_be_a_boolean(strict: Emulator, condition: str) -> None:
    rule = {"Condition": condition, "Next": "E"}
    assert strict.run(machine("C", C=choice([rule], Default="E"), E=put(1))).error == "States.QueryEvaluationError"


def test_no_rule_and_no_default(strict: Emulator) -> None:
    rule = {"Condition": "{% false %}", "Next": "E"}
    assert strict.run(machine("C", C=choice([rule]), E=put(1))).error == "States.NoChoiceMatched"


def test_eval_is_not_there(strict: Emulator) -> None:
    assert strict.run(machine("A", A=put("{% $eval('1 + 1') %}"))).error == "States.QueryEvaluationError"


def test_the_context_is_whole(strict: Emulator) -> None:
    context = "$states.context.Execution"
    shown = {"role": f"{{% {context}.RoleArn %}}", "redrive": f"{{% {context}.RedriveCount %}}"}
    found = strict.run(machine("A", A=put(shown)))
    assert found.output == {"role": "arn:aws:iam::000000000000:role/strict", "redrive": 0}


@pytest.mark.parametrize("path", ["$.missing", "$.list[7]", "$.text.below"])
def test_a_path_to_nothing_fails(strict: Emulator, path: str) -> None:
    data = {"list": [1], "text": "t", "none": None}
    given = machine("A", "JSONPath", A=state("Pass", InputPath=path))
    assert strict.run(given, data).error == "States.Runtime"
    parameters = machine("A", "JSONPath", A=state("Pass", Parameters={"x.$": path}))
    assert strict.run(parameters, data).error == "States.ParameterPathFailure"


def test_null_is_something(strict: Emulator) -> None:
    given = machine("A", "JSONPath", A=state("Pass", Parameters={"x.$": "$.none"}))
    assert strict.run(given, {"none": None}).output == {"x": None}
    rule = {"Variable": "$.none", "IsPresent": True, "Next": "Y"}
    asks = machine(
        "C", "JSONPath", C=choice([rule], Default="N"), Y=state("Pass", Result="y"), N=state("Pass", Result="n")
    )
    assert strict.run(asks, {"none": None}).output == "y"
    assert strict.run(asks, {}).output == "n"


@pytest.mark.parametrize("until", ["soon", 5, None])
def test_a_wait_needs_a_time(strict: Emulator, until: Any) -> None:
    waits = machine("W", "JSONPath", W=state("Wait", TimestampPath="$.until"))
    assert strict.run(waits, {"until": until}).error == "States.Runtime"


def test_outputs_are_compact_and_not_escaped(strict: Emulator) -> None:
    found = strict.run(machine("A", A=put("{% $states.input %}")), {"a": "é😀", "b": 1})
    described = strict.client("stepfunctions").describe_execution(executionArn=found.arn)
    assert described["output"] == '{"a":"é😀","b":1}'


def test_a_failed_execution_has_no_output(strict: Emulator) -> None:
    found = strict.run(machine("A", A={"Type": "Fail", "Error": "Lost", "Cause": "why"}))
    assert (found.status, found.output, found.error, found.cause) == ("FAILED", None, "Lost", "why")
