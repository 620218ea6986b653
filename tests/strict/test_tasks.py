"""Tasks: names of errors, retries, timeouts, heartbeats, task tokens."""

from __future__ import annotations

import json
import time

import pytest
from botocore.exceptions import ClientError

from tests.strict.emulator import Emulator, until
from tests.strict.machines import ask, branch, call, catch, machine, parallel, put, retry, state

TOKEN = {"token": "{% $states.context.Task.Token %}"}


def token_of(strict: Emulator, arn: str, number: int = 0) -> str:
    """The token that the function of an execution was given."""

    def given() -> str | None:
        events = [event for event in strict.history(arn) if event["type"] == "TaskScheduled"]
        payloads = [json.loads(event["taskScheduledEventDetails"]["parameters"])["Payload"] for event in events]
        tokens = [payload["token"] for payload in payloads if "token" in payload]
        return str(tokens[number]) if len(tokens) > number else None

    return str(until(given))


def refused(answer: str, strict: Emulator, token: str, **fields: str) -> str:
    """The code that an answer through a token is refused with."""
    with pytest.raises(ClientError) as caught:
        getattr(strict.client("stepfunctions"), answer)(taskToken=token, **fields)
    return str(caught.value.response["Error"]["Code"])


@pytest.mark.parametrize("name", ["Flaky", "Loopstep.Decided", "ValueError"])
def test_the_class_of_an_exception_is_the_error(strict: Emulator, name: str) -> None:
    caught = catch("C", name, Output={"caught": "{% $states.errorOutput.Error %}"})
    found = strict.run(machine("T", T=call({"do": "fail", "error": name}, Catch=caught), C=put("{% $states.input %}")))
    assert found.output == {"caught": name}


def test_the_cause_is_the_error_as_json(strict: Emulator) -> None:
    found = strict.run(machine("T", T=call({"do": "fail", "error": "Flaky", "message": "warum"})))
    cause = json.loads(found.cause or "")
    assert (found.status, found.error) == ("FAILED", "Flaky")
    assert (cause["errorType"], cause["errorMessage"]) == ("Flaky", "warum")


def test_a_retry_matches_by_class_and_counts(strict: Emulator) -> None:
    payload = {"do": "flaky", "good": 2, "tried": "{% $states.context.State.RetryCount %}"}
    retries = [*retry("ValueError", MaxAttempts=5), *retry("Flaky", MaxAttempts=2)]
    with strict.scaled(0.01):
        found = strict.run(machine("T", T=call(payload, Retry=retries)))
    assert found.output == {"tried": 2}


def test_max_delay_and_jitter_hold(strict: Emulator) -> None:
    retries = retry("Flaky", MaxAttempts=3, BackoffRate=90.0, MaxDelaySeconds=2, JitterStrategy="FULL")
    payload = {"do": "flaky", "good": 3, "tried": "{% $states.context.State.RetryCount %}"}
    with strict.scaled(0.01):
        found = strict.run(machine("T", T=call(payload, Retry=retries)))
    assert found.output == {"tried": 3}


def test_a_throttled_function_has_the_name_of_aws(strict: Emulator) -> None:
    arn = strict.function("full")
    strict.client("lambda").put_function_concurrency(FunctionName="full", ReservedConcurrentExecutions=0)
    task = call({}, Catch=catch("C", "Lambda.TooManyRequestsException", Output="caught"))
    task["Arguments"]["FunctionName"] = arn
    assert strict.run(machine("T", T=task, C=put("{% $states.input %}"))).output == "caught"


def test_task_failed_matches_all_but_a_timeout(strict: Emulator) -> None:
    caught = [*catch("A", "States.TaskFailed"), *catch("B", "States.Timeout")]
    ends = {"A": put("failed"), "B": put("late")}
    slow = call({"do": "slow", "seconds": 5}, TimeoutSeconds=1, Catch=caught)
    broken = call({"do": "fail", "error": "Flaky"}, Catch=caught)
    assert strict.run(machine("T", T=slow, **ends)).output == "late"
    assert strict.run(machine("T", T=broken, **ends)).output == "failed"


def test_a_timeout_can_be_an_expression(strict: Emulator) -> None:
    found = strict.run(machine("T", T=ask(TimeoutSeconds="{% $states.input.limit %}")), {"limit": 1})
    assert (found.status, found.error) == ("FAILED", "States.Timeout")


@pytest.mark.parametrize("name", ["States.HeartbeatTimeout", "States.Timeout"])
def test_a_missing_heartbeat_ends_the_task(strict: Emulator, name: str) -> None:
    waits = ask(TimeoutSeconds=60, HeartbeatSeconds=1, Catch=catch("C", name, Output="{% $states.errorOutput.Error %}"))
    assert strict.run(machine("T", T=waits, C=put("{% $states.input %}"))).output == "States.Timeout"


def test_heartbeats_keep_a_task_alive(strict: Emulator) -> None:
    arn = strict.start(machine("T", T=ask(TimeoutSeconds=60, HeartbeatSeconds=3)))
    token, end = token_of(strict, arn), time.monotonic() + 4
    while time.monotonic() < end:
        strict.client("stepfunctions").send_task_heartbeat(taskToken=token)
        time.sleep(0.2)
    strict.client("stepfunctions").send_task_success(taskToken=token, output='"alive"')
    assert strict.result(arn).output == "alive"


def test_a_function_that_raises_fails_its_waiting_task(strict: Emulator) -> None:
    caught = catch("C", "Flaky", Output="caught")
    waits = ask({"do": "fail", "error": "Flaky"}, TimeoutSeconds=60, Catch=caught)
    assert strict.run(machine("T", T=waits, C=put("{% $states.input %}"))).output == "caught"


def test_a_function_may_answer_by_itself(strict: Emulator) -> None:
    good = ask({"do": "answer", "output": {"ok": True}}, TimeoutSeconds=60)
    bad = ask({"do": "answer", "error": "Loopstep.TimedOut"}, TimeoutSeconds=60)
    assert strict.run(machine("T", T=good)).output == {"ok": True}
    assert strict.run(machine("T", T=bad)).error == "Loopstep.TimedOut"


def test_one_answer_counts_and_later_ones_are_refused(strict: Emulator) -> None:
    arn = strict.start(machine("T", T=ask(TimeoutSeconds=60)))
    token = token_of(strict, arn)
    strict.client("stepfunctions").send_task_success(taskToken=token, output='{"n": 1}')
    assert refused("send_task_success", strict, token, output='{"n": 2}') == "TaskTimedOut"
    assert strict.result(arn).output == {"n": 1}
    assert refused("send_task_failure", strict, token, error="x") == "TaskTimedOut"
    assert refused("send_task_success", strict, "forged", output="1") == "InvalidToken"


def test_an_answer_must_be_json_and_small(strict: Emulator) -> None:
    arn = strict.start(machine("T", T=ask(TimeoutSeconds=60)))
    token = token_of(strict, arn)
    assert refused("send_task_success", strict, token, output="{nope") == "InvalidOutput"
    assert refused("send_task_success", strict, token, output=json.dumps("é" * 131_072, ensure_ascii=False)) == (
        "ValidationException"
    )
    strict.client("stepfunctions").send_task_success(taskToken=token, output="null")
    assert strict.result(arn).status == "SUCCEEDED"


def test_the_token_of_a_stopped_execution_is_dead(strict: Emulator) -> None:
    arn = strict.start(machine("T", T=ask(TimeoutSeconds=60)))
    token = token_of(strict, arn)
    strict.client("stepfunctions").stop_execution(executionArn=arn)
    assert refused("send_task_success", strict, token, output="1") == "TaskTimedOut"
    assert strict.result(arn).status == "ABORTED"


def test_each_attempt_has_a_token_of_its_own(strict: Emulator) -> None:
    arn = strict.start(machine("T", T=ask(TimeoutSeconds=60, Retry=retry("Again", MaxAttempts=1))))
    first = token_of(strict, arn)
    strict.client("stepfunctions").send_task_failure(taskToken=first, error="Again")
    second = token_of(strict, arn, 1)
    assert second != first
    assert refused("send_task_success", strict, first, output="1") == "TaskTimedOut"
    strict.client("stepfunctions").send_task_success(taskToken=second, output='"second"')
    assert strict.result(arn).output == "second"


def test_tokens_of_branches_do_not_cross(strict: Emulator) -> None:
    """16 branches, each answered with its own name."""
    names = [f"B{number}" for number in range(16)]
    branches = [branch(name, **{name: ask({"do": "answer", "output": name}, TimeoutSeconds=60)}) for name in names]
    assert strict.run(machine("P", P=parallel(*branches))).output == names


def test_arguments_that_cannot_be_evaluated_are_caught(strict: Emulator) -> None:
    caught = catch("C", "States.QueryEvaluationError", Output="caught")
    task = call({"x": "{% $states.input.missing %}"}, Catch=caught)
    assert strict.run(machine("T", T=task, C=put("{% $states.input %}"))).output == "caught"


def test_a_state_machine_task_is_written_down_as_on_aws(strict: Emulator) -> None:
    found = strict.run(
        machine(
            "T",
            T=call({}),
        )
    )
    assert [event["type"] for event in strict.history(found.arn)] == [
        "ExecutionStarted",
        "TaskStateEntered",
        "TaskScheduled",
        "TaskStarted",
        "TaskSucceeded",
        "TaskStateExited",
        "ExecutionSucceeded",
    ]


def test_a_machine_has_its_own_timeout(strict: Emulator) -> None:
    late = {**machine("W", W=state("Wait", Seconds=600)), "TimeoutSeconds": 1}
    found = strict.run(late)
    assert (found.status, found.error, found.output) == ("TIMED_OUT", "States.Timeout", None)
