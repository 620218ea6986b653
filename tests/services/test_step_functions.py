"""The engine's gateway says the same whichever engine answers."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from loopstep.gateways.step_functions import MachineMissing, MachineTaken, StepFunctions, execution_arn

PASS = '{"StartAt":"a","States":{"a":{"Type":"Pass","End":true}}}'
ROLE = "arn:aws:iam::123456789012:role/machines"


def test_a_machine_is_made_once(aws: Any) -> None:
    engine = StepFunctions(aws.stepfunctions)
    arn = engine.create_machine("m", PASS, ROLE, {"loopstep:plan": "p"})
    assert arn.endswith(":stateMachine:m")
    assert aws.stepfunctions.list_tags_for_resource(resourceArn=arn)["tags"] == [{"key": "loopstep:plan", "value": "p"}]


def test_an_execution_is_started_once_and_stopped(aws: Any) -> None:
    engine = StepFunctions(aws.stepfunctions)
    arn = engine.create_machine("m", PASS, ROLE, {})
    engine.start(arn, "run-1", "{}")
    engine.start(arn, "run-1", "{}")
    assert len(aws.executions()) == 1
    engine.stop(arn, "run-1", "run.cancelled", "why")
    engine.stop(arn, "run-1", "run.cancelled", "why")
    assert aws.executions()[0]["status"] == "ABORTED"


def test_stopping_what_never_began_is_nothing(aws: Any) -> None:
    engine = StepFunctions(aws.stepfunctions)
    arn = engine.create_machine("m", PASS, ROLE, {})
    engine.stop(arn, "run-9", "run.cancelled", "why")


def test_starting_a_machine_that_is_gone(aws: Any) -> None:
    with pytest.raises(MachineMissing):
        StepFunctions(aws.stepfunctions).start("arn:aws:states:us-east-1:123456789012:stateMachine:x", "run-1", "{}")


class Refusing:
    """A client every call of which is refused with one code."""

    def __init__(self, client: Any, code: str) -> None:
        self.exceptions = client.exceptions
        self._error = self.exceptions.from_code(code)({"Error": {"Code": code, "Message": ""}}, "Call")

    def __getattr__(self, name: str) -> Any:
        def call(**arguments: Any) -> None:
            raise self._error

        return call


def test_what_the_engines_answer_means_the_same(aws: Any) -> None:
    def engine(code: str) -> StepFunctions:
        return StepFunctions(Refusing(aws.stepfunctions, code))

    engine("ExecutionAlreadyExists").start("arn", "run-1", "{}")
    engine("ExecutionDoesNotExist").stop("arn", "run-1", "e", "c")
    engine("ValidationException").stop("arn", "run-1", "e", "c")
    with pytest.raises(MachineTaken):
        engine("StateMachineAlreadyExists").create_machine("m", PASS, ROLE, {})
    with pytest.raises(ClientError):
        engine("ThrottlingException").stop("arn", "run-1", "e", "c")
    with pytest.raises(ClientError):
        engine("ThrottlingException").start("arn", "run-1", "{}")


def test_an_executions_arn() -> None:
    machine = "arn:aws:states:eu-west-1:123456789012:stateMachine:s-p-0"
    assert execution_arn(machine, "r-1") == "arn:aws:states:eu-west-1:123456789012:execution:s-p-0:r-1"
