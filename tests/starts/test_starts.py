"""Sixty starts, sixteen at a time, in this process, while calls fail anywhere; and the checks find what is wrong."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from loopstep.services.refusals import Conflicting, Refused
from loopstep.services.start_run import StartRequest, start_run
from tests.chaos import checking as records
from tests.starts import checking
from tests.starts.rules import HELD, OUTAGES, SHARES, rules
from tests.starts.starting import (
    ACCEPTED,
    CONFLICT,
    HURRIED,
    KEYLESS,
    KINDS,
    NOTHING,
    ONCE,
    PATIENT,
    TWIN,
    Answer,
    Start,
    Starter,
    Told,
    starts,
)

STARTS, AT_ONCE = 60, 16
INPUT = {"number": {"type": "integer", "required": True}, "text": {"type": "string", "required": True}}
FAULTS = ("throttled", "lost", "dies before", "dies after")


class Died(BaseException):
    """The process that served a start is gone."""


class Failing:
    """A client whose calls happen one after the other, as each is atomic; a share of them fails while `armed`."""

    def __init__(self, client: Any, share: float, seed: int, faults: dict[str, int]) -> None:
        self._client, self._share, self._chosen = client, share, random.Random(seed)
        self._lock, self._faults, self.armed = threading.Lock(), faults, True

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return (lambda **arguments: self._call(name, found, arguments)) if callable(found) else found

    def _call(self, name: str, act: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        with self._lock:
            fault = self._chosen.choice(FAULTS) if self.armed and self._chosen.random() < self._share else ""
            if fault:
                self._faults[fault] = self._faults.get(fault, 0) + 1
            if fault == "throttled":
                raise ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, name)
            if fault == "dies before":
                raise Died(name)
            reply = act(**arguments)
            if fault == "lost":
                raise ReadTimeoutError(endpoint_url=name)
            if fault == "dies after":
                raise Died(name)
            return reply


class Here(Starter):
    """Starts by the service itself; a fault leaves no answer."""

    def __init__(self, stack: Any) -> None:
        super().__init__("http://127.0.0.1:1", "", "p", lambda payload: Answer(NOTHING))
        self._stack = stack

    def once(self, start: Start) -> Answer:
        try:
            head = start_run(self._stack.running(), StartRequest("p", start.input, key=start.key))
        except Conflicting as refused:
            return Answer(CONFLICT, None, refused.code)
        except Refused as refused:
            return Answer(503, None, refused.code)
        except (ClientError, ReadTimeoutError, Died):
            return Answer(NOTHING)
        return Answer(ACCEPTED, head.run)

    def _hang_up(self, start: Start) -> Answer:
        self.once(start)
        return Answer(NOTHING)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_accepted_start_is_one_run(aws: Any, seed: int) -> None:
    aws.store_version(input=INPUT)
    faults: dict[str, int] = {}
    aws.dynamodb = Failing(aws.dynamodb, 0.06, seed, faults)
    engine = aws.stepfunctions
    aws.stepfunctions = Failing(engine, 0.3, seed, faults)
    aws.s3 = Failing(aws.s3, 0.1, seed, faults)
    wanted = starts(seed, STARTS, (PATIENT, TWIN, HURRIED, ONCE, KEYLESS))
    starter = Here(aws)
    told = starter.all(wanted, AT_ONCE)
    assert faults.keys() == set(FAULTS) and sum(faults.values()) > 20
    aws.dynamodb.armed = aws.stepfunctions.armed = aws.s3.armed = False
    assert checking.told_alike(told) + checking.right_runs(told, runs(aws)) == []
    keyed = [each for each in wanted if each.key is not None]
    again = {each.number: starter.once(each) for each in keyed}
    assert checking.found_by_key(told, again) == []
    assert checking.conflicts({each.number: starter.other(each) for each in keyed[:20]}) == []
    there = runs(aws)
    assert checking.complete(wanted, there) == []
    swept(aws, there)
    executions = [(each["name"], "SUCCEEDED") for each in aws.executions()]
    assert records.executions({each["runId"]: 1 for each in there}, executions) == []


def runs(aws: Any) -> list[dict[str, Any]]:
    """The runs on record, as far as the checks look at them."""
    heads = [each for each in aws.dynamodb.scan(TableName="runs")["Items"] if each["sk"]["S"] == "head"]
    reader = aws.running().reader
    found = []
    for item in heads:
        run = reader.get_run(item["run"]["S"])
        found.append({"runId": item["run"]["S"], "input": aws.running().values.read(run.head.input)})
    return found


def swept(aws: Any, there: list[dict[str, Any]]) -> None:
    """What the sweeper does with a run whose start was lost behind its record, and no key leads to."""
    from loopstep.services.redrive_run import resume

    running = aws.running()
    for each in there:
        resume(running, running.head(each["runId"]))


# -- the checks find what they are for -------------------------------------------------------------------------------


def start(number: int, kind: str = PATIENT) -> Start:
    return Start(number, kind, None if kind == KEYLESS else f"k{number}", {"number": number, "text": ""})


def run(number: int, name: str = "") -> dict[str, Any]:
    output = {"number": number}
    return {
        "runId": name or f"r{number}",
        "input": {"number": number},
        "status": "succeeded",
        "output": output,
        "error": None,
    }


TOLD = [
    Told(start(0), (Answer(500), Answer(ACCEPTED, "r0"))),
    Told(start(1, TWIN), (Answer(ACCEPTED, "r1"),)),
    Told(start(1, TWIN), (Answer(ACCEPTED, "r1"),)),
    Told(start(2, HURRIED), (Answer(NOTHING),)),
    Told(start(3, KEYLESS), (Answer(502),)),
    Told(start(4, ONCE), (Answer(429),)),
]
RUNS = [run(0), run(1), run(2)]


def test_good_starts_pass() -> None:
    assert checking.told_alike(TOLD) == [] == checking.right_runs(TOLD, RUNS)
    assert checking.right_runs(TOLD, [*RUNS, run(3)]) == []
    assert checking.complete([each.start for each in TOLD[:5]], RUNS) == [] == checking.ended(RUNS)
    assert checking.found_by_key(TOLD, {0: Answer(ACCEPTED, "r0"), 4: Answer(ACCEPTED, "r4")}) == []
    assert checking.conflicts({0: Answer(CONFLICT, None, "idempotency.conflict")}) == []


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (lambda: checking.right_runs(TOLD, RUNS[1:]), "start 0 (patient) was accepted as ['r0'], which is lost"),
        (lambda: checking.right_runs(TOLD, [*RUNS, run(1, "x")]), "start 1 (twin) is 2 runs"),
        (lambda: checking.right_runs(TOLD, [*RUNS, run(3), run(3, "x")]), "start 3 (keyless) is 2 runs"),
        (lambda: checking.right_runs(TOLD, [*RUNS, run(4)]), "start 4 (once) is the run r4, though every answer"),
        (lambda: checking.right_runs(TOLD, [*RUNS, run(9)]), "belong to no start"),
        (lambda: checking.right_runs(TOLD, [run(0, "x"), *RUNS[1:]]), "accepted as ['r0'], which is lost"),
        (lambda: checking.told_alike([*TOLD, Told(start(1), (Answer(ACCEPTED, "x"),))]), "start 1 was told of"),
        (lambda: checking.told_alike([Told(start(1), (Answer(409, None, "c"),))]), "was refused: 409 c"),
        (lambda: checking.complete([start(7)], RUNS), "start 7 has no run"),
        (lambda: checking.ended([{**run(0), "status": "running"}]), "is running"),
        (lambda: checking.ended([{**run(0), "output": {"number": 1}}]), "with {'number': 1}"),
        (lambda: checking.found_by_key(TOLD, {0: Answer(ACCEPTED, "x")}), "was r0, asked again it is x"),
        (lambda: checking.found_by_key(TOLD, {0: Answer(500)}), "was answered 500"),
        (lambda: checking.conflicts({0: Answer(ACCEPTED, "r0")}), "with another input was answered 202"),
    ],
)
def test_what_is_wrong_is_found(found: Callable[[], list[str]], words: str) -> None:
    assert any(words in each for each in found()), found()


def test_the_same_seed_gives_the_same_starts_and_rules() -> None:
    assert starts(3, 200) == starts(3, 200) != starts(4, 200)
    assert {each.kind for each in starts(3, len(KINDS))} == set(KINDS)
    assert rules(3, 1000) == rules(3, 1000) != rules(4, 1000)
    assert {(each.service, each.operation) for each in rules(1, 60)} == {*SHARES, *HELD, *OUTAGES}
