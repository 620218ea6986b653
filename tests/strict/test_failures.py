"""Which error meets which list, and how long a retry waits."""

from __future__ import annotations

import random

import pytest

from loopstep.cli.local.aws_rules.failures import HEARTBEAT_CAUSE, delay, matches

WILD = ["States.ALL", "States.TaskFailed"]


@pytest.mark.parametrize(
    ("error", "listed"),
    [
        ("Flaky", {"Flaky", *WILD}),
        ("Sandbox.Timedout", {"Sandbox.Timedout", *WILD}),
        ("States.QueryEvaluationError", {"States.QueryEvaluationError", *WILD}),
        ("States.Timeout", {"States.Timeout", "States.ALL"}),
        ("States.DataLimitExceeded", {"States.DataLimitExceeded"}),
        ("States.Runtime", set()),
    ],
)
def test_what_catches_an_error(error: str, listed: set[str]) -> None:
    assert {name for name in [error, *WILD, "Other", "States.HeartbeatTimeout"] if matches([name], error)} == listed


def test_a_heartbeat_has_two_names() -> None:
    found = {*WILD, "States.Timeout", "States.HeartbeatTimeout"}
    assert {name for name in found if matches([name], "States.Timeout", HEARTBEAT_CAUSE)} == found - {
        "States.TaskFailed"
    }


def test_delays_grow_up_to_their_cap() -> None:
    assert [delay({}, retried) for retried in range(3)] == [1, 2, 4]
    capped = {"IntervalSeconds": 3, "BackoffRate": 3.0, "MaxDelaySeconds": 20}
    assert [delay(capped, retried) for retried in range(4)] == [3, 9, 20, 20]


def test_jitter_takes_a_part() -> None:
    full = {"IntervalSeconds": 10, "JitterStrategy": "FULL"}
    found = [delay(full, 0, random.Random(seed)) for seed in range(50)]
    assert all(0 <= seconds <= 10 for seconds in found) and min(found) < 3 and max(found) > 7
    assert delay({**full, "JitterStrategy": "NONE"}, 0) == 10
