"""Starting, creating, updating: what is refused, and what may be done twice."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.strict.emulator import ROLE, Emulator
from tests.strict.machines import machine, put, state

HOLD = machine("W", W=state("Wait", Seconds=3600))


def refused(call: Any, **fields: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**fields)
    return str(caught.value.response["Error"]["Code"])


def test_a_start_may_be_repeated_while_it_runs(strict: Emulator) -> None:
    states, arn, name = strict.client("stepfunctions"), strict.machine(HOLD), uuid.uuid4().hex
    start = {"stateMachineArn": arn, "name": name}
    first = states.start_execution(**start, input='{"n": 1}')
    again = states.start_execution(**start, input='{"n": 1}')
    assert again["executionArn"] == first["executionArn"] and again["startDate"] == first["startDate"]
    assert refused(states.start_execution, **start, input='{"n": 2}') == "ExecutionAlreadyExists"
    states.stop_execution(executionArn=first["executionArn"])
    assert refused(states.start_execution, **start, input='{"n": 1}') == "ExecutionAlreadyExists"


@pytest.mark.parametrize("name", ["a b", "a/b", "a#b", "a:b", "a\u0007b", "<a>"])
def test_names_have_an_alphabet(strict: Emulator, name: str) -> None:
    arn = strict.machine(HOLD)
    assert refused(strict.client("stepfunctions").start_execution, stateMachineArn=arn, name=name) == "InvalidName"


def test_names_have_80_characters(strict: Emulator) -> None:
    states, arn = strict.client("stepfunctions"), strict.machine(HOLD)
    fits = states.start_execution(stateMachineArn=arn, name="n" * 80)
    states.stop_execution(executionArn=fits["executionArn"])
    assert refused(states.start_execution, stateMachineArn=arn, name="n" * 81) == "ValidationException"
    create = {"definition": json.dumps(HOLD), "roleArn": ROLE}
    assert refused(states.create_state_machine, name="n" * 81, **create) == "ValidationException"


def test_an_input_is_json(strict: Emulator) -> None:
    arn = strict.machine(HOLD)
    assert refused(strict.client("stepfunctions").start_execution, stateMachineArn=arn, input="{nope") == (
        "InvalidExecutionInput"
    )


def test_a_stopped_execution_stays_stopped(strict: Emulator) -> None:
    states, arn = strict.client("stepfunctions"), strict.start(HOLD)
    first = states.stop_execution(executionArn=arn)
    assert states.stop_execution(executionArn=arn)["stopDate"] == first["stopDate"]
    assert [event["type"] for event in strict.history(arn)].count("ExecutionAborted") == 1


def test_definitions_are_checked(strict: Emulator) -> None:
    states = strict.client("stepfunctions")
    broken = json.dumps(machine("A", A=put(1, "B")))
    fields = {"name": "broken", "roleArn": ROLE}
    assert refused(states.create_state_machine, definition=broken, **fields) == "InvalidDefinition"
    assert refused(states.create_state_machine, definition="{nope", **fields) == "InvalidDefinition"
    large = json.dumps(machine("A", A=put("x" * 1_048_576)))
    assert refused(states.create_state_machine, definition=large, **fields) == "ValidationException"
    arn = strict.machine(HOLD)
    assert refused(states.update_state_machine, stateMachineArn=arn, definition=broken) == "InvalidDefinition"
    assert states.update_state_machine(stateMachineArn=arn, definition=json.dumps(machine("A", A=put(1))))["updateDate"]


def test_validate_tells_all(strict: Emulator) -> None:
    states = strict.client("stepfunctions")
    answer = states.validate_state_machine_definition(definition=json.dumps(machine("A", A=put(1, "B"))))
    assert answer["result"] == "FAIL"
    assert [(found["code"], found.get("location")) for found in answer["diagnostics"]] == [
        ("MISSING_TRANSITION_TARGET", "/States/A/Next"),
        ("MISSING_END_STATE", None),
    ]
    good = states.validate_state_machine_definition(definition=json.dumps(HOLD))
    assert (good["result"], good["diagnostics"]) == ("OK", [])
