"""Sizes and counts at their borders."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.strict.emulator import Emulator
from tests.strict.machines import ask, branch, call, catch, machine, parallel, put, state

PAYLOAD = 262_144
QUOTES = 2


def double(text: str) -> str:
    """An expression whose result has twice the length of the input's."""
    return f"{{% $states.input & $states.input & '{text}' %}}"


def code(caught: pytest.ExceptionInfo[ClientError]) -> str:
    return str(caught.value.response["Error"]["Code"])


@pytest.mark.parametrize(("more", "error"), [(0, None), (1, "States.DataLimitExceeded")])
def test_the_output_of_a_state(strict: Emulator, more: int, error: str | None) -> None:
    half = "x" * (PAYLOAD // 2 - QUOTES)
    found = strict.run(machine("A", A=put(double("y" * (QUOTES + more)), "B"), B=put("ok")), half)
    assert (found.error, found.output) == (error, None if error else "ok")


def test_bytes_are_counted_not_characters(strict: Emulator) -> None:
    found = strict.run(machine("A", A=put("{% $states.input & $states.input %}")), "é" * 80_000)
    assert found.error == "States.DataLimitExceeded"


def test_the_input_of_an_execution(strict: Emulator) -> None:
    arn = strict.machine(machine("A", A=put("ok")))
    states = strict.client("stepfunctions")
    fits = states.start_execution(stateMachineArn=arn, input=json.dumps("x" * (PAYLOAD - QUOTES)))
    assert strict.result(fits["executionArn"]).status == "SUCCEEDED"
    with pytest.raises(ClientError) as caught:
        states.start_execution(stateMachineArn=arn, input=json.dumps("é" * (PAYLOAD // 2), ensure_ascii=False))
    assert code(caught) == "ValidationException"


def test_the_reply_of_a_task_even_where_little_is_kept_of_it(strict: Emulator) -> None:
    task = call({"do": "large", "size": PAYLOAD}, Output="{% $length($states.result.Payload) %}")
    assert strict.run(machine("T", T=task)).error == "States.DataLimitExceeded"


def test_the_arguments_of_a_task(strict: Emulator) -> None:
    task = call({"a": "{% $states.input %}", "b": "{% $states.input %}"})
    assert strict.run(machine("T", T=task), "x" * 200_000).error == "States.DataLimitExceeded"


def test_the_results_of_a_region(strict: Emulator) -> None:
    branches = [branch(name, **{name: put("{% $states.input %}")}) for name in ("A", "B")]
    assert strict.run(machine("P", P=parallel(*branches)), "x" * 140_000).error == "States.DataLimitExceeded"


@pytest.mark.parametrize("names", [["States.ALL"], ["States.TaskFailed"]])
def test_a_wildcard_does_not_catch_it(strict: Emulator, names: list[str]) -> None:
    task = call({"do": "large", "size": PAYLOAD}, Catch=catch("C", *names))
    assert strict.run(machine("T", T=task, C=put("caught"))).error == "States.DataLimitExceeded"


def test_its_name_catches_it(strict: Emulator) -> None:
    task = call({"do": "large", "size": PAYLOAD}, Catch=catch("C", "States.DataLimitExceeded", Output="caught"))
    assert strict.run(machine("T", T=task, C=put("{% $states.input %}"))).output == "caught"


def test_runtime_errors_are_never_caught(strict: Emulator) -> None:
    inner = branch("A", A=state("Pass", InputPath="$.missing"))
    region = state("Parallel", Branches=[inner], Catch=[{"ErrorEquals": ["States.Runtime"], "Next": "C"}])
    found = strict.run(machine("P", "JSONPath", P=region, C=state("Pass")))
    assert (found.status, found.error) == ("FAILED", "States.Runtime")


def test_the_history_is_full_at_25000_events(strict: Emulator) -> None:
    spin = {"Condition": "{% $states.input.end = true %}", "Next": "E"}
    loop = machine("A", A=state("Pass", "C"), C={"Type": "Choice", "Choices": [spin], "Default": "A"}, E=put(1))
    loop["States"]["A"] = {"Type": "Pass", "Next": "C"}
    found = strict.run(loop)
    text = "The execution reached the maximum number of history events (25000)."
    assert (found.status, found.error, found.cause) == ("FAILED", "States.Runtime", text)
    events = strict.history(found.arn)
    assert (len(events), events[-1]["id"], events[-1]["type"]) == (25_000, 25_000, "ExecutionFailed")


def test_the_events_of_items_count(strict: Emulator) -> None:
    """6,500 items of four events each do not fit."""
    over = state("Map", Items="{% [1..6500] %}", ItemProcessor=branch("A", A={"Type": "Pass", "End": True}))
    found = strict.run(machine("M", M=over))
    assert (found.status, found.error) == ("FAILED", "States.Runtime")


def test_entries_of_an_event_bus(strict: Emulator) -> None:
    events = strict.client("events")

    def entry(size: int) -> dict[str, Any]:
        return {"Source": "s", "DetailType": "t", "Detail": json.dumps({"x": "x" * (size - 9 - 2)})}

    assert events.put_events(Entries=[entry(131_072), entry(131_072)])["FailedEntryCount"] == 0
    with pytest.raises(ClientError) as caught:
        events.put_events(Entries=[entry(131_072), entry(131_073)])
    assert code(caught) == "ValidationException"


def test_a_detail_must_be_an_object(strict: Emulator) -> None:
    good = {"Source": "s", "DetailType": "t", "Detail": "{}"}
    answer = strict.client("events").put_events(Entries=[good, {**good, "Detail": "text"}, {**good, "Detail": "[1]"}])
    assert answer["FailedEntryCount"] == 2
    assert [entry.get("ErrorCode") for entry in answer["Entries"]] == [None, "MalformedDetail", "MalformedDetail"]


def test_payloads_of_functions(strict: Emulator) -> None:
    functions = strict.client("lambda")
    with pytest.raises(ClientError) as caught:
        functions.invoke(FunctionName="work", Payload=json.dumps({"x": "x" * 6_291_456}))
    assert code(caught) == "RequestTooLargeException"
    with pytest.raises(ClientError) as caught:
        functions.invoke(FunctionName="work", Payload=json.dumps({"x": "x" * 1_048_576}), InvocationType="Event")
    assert code(caught) == "RequestTooLargeException"
    fits = functions.invoke(FunctionName="work", Payload=json.dumps({"do": "large", "size": 6_291_556 - QUOTES}))
    assert "FunctionError" not in fits
    large = functions.invoke(FunctionName="work", Payload=json.dumps({"do": "large", "size": 6_291_557 - QUOTES}))
    assert json.loads(large["Payload"].read())["errorType"] == "Function.ResponseSizeTooLarge"


def test_errors_and_causes_through_a_token(strict: Emulator) -> None:
    with pytest.raises(ClientError) as caught:
        strict.client("stepfunctions").send_task_failure(taskToken="t", error="e" * 257)
    assert code(caught) == "ValidationException"
    assert ask()["Resource"].endswith(".waitForTaskToken")
