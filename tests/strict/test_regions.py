"""Parallel and Map: isolated branches that stop together."""

from __future__ import annotations

from typing import Any

import pytest

from tests.strict.emulator import Emulator
from tests.strict.machines import ask, branch, call, catch, fail, machine, parallel, put, state
from tests.strict.test_tasks import refused, token_of

HOUR = 3600


def wait(following: str | None = None, seconds: int = HOUR) -> dict[str, Any]:
    return state("Wait", following, Seconds=seconds)


def each(processor: dict[str, Any], following: str | None = None, **fields: Any) -> dict[str, Any]:
    return state("Map", following, ItemProcessor=processor, **fields)


def test_a_branch_that_fails_ends_the_waits_of_the_others(strict: Emulator) -> None:
    quick, slow = branch("F", F=fail("Lost")), branch("W", W=wait("X"), X=put("never"))
    found = strict.run(machine("P", P=parallel(quick, slow, Catch=catch("C")), C=put("{% $states.input.Error %}")))
    assert found.output == "Lost"
    assert "X" not in strict.entered(found.arn)


def test_no_state_is_entered_after_a_sibling_failed(strict: Emulator) -> None:
    """The function at work is not stopped, what would follow it is."""
    quick = branch("F", F=fail("Lost"))
    slow = branch("T", T=call({"do": "slow", "seconds": 1}, "X"), X=put("never"))
    after = {"C": wait("D", 2), "D": put("over")}
    found = strict.run(machine("P", P=parallel(quick, slow, Catch=catch("C")), **after))
    assert found.output == "over"
    assert "X" not in strict.entered(found.arn)


def test_the_token_of_a_stopped_branch_is_dead(strict: Emulator) -> None:
    fails = branch("T", T=ask(TimeoutSeconds=HOUR))
    waits = branch("U", U=ask(TimeoutSeconds=HOUR))
    arn = strict.start(machine("P", P=parallel(fails, waits, Catch=catch("C")), C=put("over")))
    first, second = token_of(strict, arn), token_of(strict, arn, 1)
    strict.client("stepfunctions").send_task_failure(taskToken=first, error="Lost")
    assert strict.result(arn).output == "over"
    assert refused("send_task_success", strict, second, output="1") == "TaskTimedOut"


def test_stopping_an_execution_stops_what_is_nested(strict: Emulator) -> None:
    inner = branch("M", M=each(branch("W", W=wait()), Items=[1, 2]))
    arn = strict.start(machine("P", P=parallel(inner, branch("V", V=wait()))))
    strict.waiting(arn, "W")
    strict.client("stepfunctions").stop_execution(executionArn=arn)
    events = len(strict.history(arn))
    assert strict.result(arn).status == "ABORTED"
    assert len(strict.history(arn)) == events


def test_an_item_that_fails_ends_the_map_and_begins_no_other(strict: Emulator) -> None:
    item = branch("K", K=state("Choice") | {"Choices": [{"Condition": "{% $states.input = 0 %}", "Next": "F"}]})
    item["States"]["K"].pop("End")
    item["States"]["K"]["Default"] = "W"
    item["States"] |= {"F": fail("Lost"), "W": wait()}
    over = each(item, Items="{% [0..9] %}", MaxConcurrency=2, Catch=catch("C"))
    found = strict.run(machine("M", M=over, C=put("{% $states.input.Error %}")))
    assert found.output == "Lost"
    assert strict.entered(found.arn).count("K") <= 3


def test_a_map_in_a_parallel_stops_with_it(strict: Emulator) -> None:
    inner = branch("M", M=each(branch("W", W=wait()), Items=[1, 2, 3]))
    found = strict.run(machine("P", P=parallel(inner, branch("V", V=wait("F", 1), F=fail("Lost")))))
    assert (found.status, found.error) == ("FAILED", "Lost")


def test_parallel_has_arguments_output_and_assign(strict: Emulator) -> None:
    two = [branch("A", A=put("{% $states.input.n * 2 %}")), branch("B", B=put("{% $states.input.n * 3 %}"))]
    both = parallel(
        *two,
        following="E",
        Arguments={"n": "{% $states.input.a %}"},
        Assign={"first": "{% $states.result[0] %}"},
        Output={"sum": "{% $sum($states.result) %}"},
    )
    found = strict.run(machine("P", P=both, E=put({"in": "{% $states.input %}", "first": "{% $first %}"})), {"a": 4})
    assert found.output == {"in": {"sum": 20}, "first": 8}


def test_what_a_branch_assigns_stays_in_it(strict: Emulator) -> None:
    inner = branch("A", A=put("{% $v %}", "B", Assign={"v": 2}), B=put("{% $v %}"))
    found = strict.run(
        machine("S", S=put(0, "P", Assign={"v": 1}), P=parallel(inner, inner_named(), following="E"), E=put("{% $v %}"))
    )
    assert found.output == 1


def inner_named() -> dict[str, Any]:
    return branch("Q", Q=put("{% $v %}", "R", Assign={"v": 3}), R=put("{% $v %}"))


def test_items_know_themselves_and_keep_their_order(strict: Emulator) -> None:
    item = branch("T", T=call({"i": "{% $states.input.i %}", "name": "{% $states.context.State.Name %}"}))
    select = {"i": "{% $states.context.Map.Item.Index %}"}
    found = strict.run(machine("M", M=each(item, Items=["a", "b", "c"], ItemSelector=select)))
    assert found.output == [{"i": index, "name": "T"} for index in range(3)]


def test_events_of_branches_and_items_are_written_down(strict: Emulator) -> None:
    inner = branch("M", M=each(branch("A", A=put(1)), Items=[1]))
    found = strict.run(machine("P", P=parallel(inner)))
    events = strict.history(found.arn)
    assert [event["type"] for event in events] == [
        "ExecutionStarted",
        "ParallelStateEntered",
        "ParallelStateStarted",
        "MapStateEntered",
        "MapStateStarted",
        "MapIterationStarted",
        "PassStateEntered",
        "PassStateExited",
        "MapIterationSucceeded",
        "MapStateSucceeded",
        "MapStateExited",
        "ParallelStateSucceeded",
        "ParallelStateExited",
        "ExecutionSucceeded",
    ]
    assert [event["previousEventId"] for event in events[1:8]] == [1, 2, 3, 4, 5, 6, 7]


DISTRIBUTED = {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}}


def distributed(tolerated: int) -> dict[str, Any]:
    """Items 0 to 3, of which 2 fails."""
    choice = {"Choices": [{"Condition": "{% $states.input = 2 %}", "Next": "F"}], "Default": "A"}
    item = branch("K", K={"Type": "Choice", **choice}, F=fail("Lost"), A=put("{% $states.context.Execution.Id %}"))
    processor = {**item, **DISTRIBUTED}
    return each(processor, "E", Items=[0, 1, 2, 3], ToleratedFailureCount=tolerated, MaxConcurrency=1)


def test_a_distributed_map_tolerates_and_its_items_are_executions(strict: Emulator) -> None:
    found = strict.run(machine("M", M=distributed(1), E=put({"all": "{% $states.input %}"})))
    children = found.output["all"]
    assert children[2] is None and len(set(children)) == 4 and found.arn not in children
    kinds = [event["type"] for event in strict.history(children[0])]
    assert kinds[0] == "ExecutionStarted" and kinds[-1] == "ExecutionSucceeded"


def test_a_distributed_map_fails_above_what_it_tolerates(strict: Emulator) -> None:
    found = strict.run(machine("M", M=distributed(0), E=put("never")))
    assert found.error == "States.ExceedToleratedFailureThreshold"
    runs = strict.client("stepfunctions").list_map_runs(executionArn=found.arn)["mapRuns"]
    described = strict.client("stepfunctions").describe_map_run(mapRunArn=runs[0]["mapRunArn"])
    assert (described["status"], described["executionCounts"]["pending"]) == ("FAILED", 1)


def test_a_distributed_map_writes_its_results(strict: Emulator) -> None:
    strict.client("s3").create_bucket(Bucket="results")
    writer = {"Resource": "arn:aws:states:::s3:putObject", "Arguments": {"Bucket": "results", "Prefix": "r"}}
    processor = {**branch("A", A=put("x" * 1000)), **DISTRIBUTED}
    found = strict.run(machine("M", M=each(processor, Items="{% [1..300] %}", ResultWriter=writer)))
    key = found.output["ResultWriterDetails"]["Key"]
    manifest = strict.client("s3").get_object(Bucket="results", Key=key)["Body"].read()
    assert b"SUCCEEDED_0.json" in manifest


@pytest.mark.parametrize("items", ["{% {'a': 1} %}", "{% 3 %}"])
def test_a_map_needs_an_array(strict: Emulator, items: str) -> None:
    found = strict.run(machine("M", M=each(branch("A", A=put(1)), Items=items)))
    assert found.error == "States.QueryEvaluationError"
