"""How long an activation may act: its invocation's time, its node's, whichever ends first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loopstep.runtime.deadline import UNBOUNDED, Deadline, attempt_end, invocation_end

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("invocation", "node", "seconds", "of_node"),
    [(None, None, 10**9, False), (10, None, 10, False), (None, 3, 3, True), (10, 3, 3, True), (3, 10, 3, False),
     (5, 5, 5, True), (-1, 10, 0, False)],
)  # fmt: skip
def test_what_is_left(invocation: float | None, node: float | None, seconds: float, of_node: bool) -> None:
    ends = [None if each is None else after(each) for each in (invocation, node)]
    deadline = Deadline(lambda: NOW, *ends)
    assert (deadline.seconds(), deadline.of_node, deadline.passed) == (seconds, of_node, seconds == 0)


def test_without_bounds_there_is_always_time() -> None:
    assert UNBOUNDED.seconds() > 10**8


@pytest.mark.parametrize(("left", "seconds"), [(900, 895), (20, 15), (8, 6), (0, 0), (-5, 0)])
def test_an_invocation_keeps_time_for_its_last_write(left: float, seconds: float) -> None:
    assert invocation_end(NOW, left) == after(seconds)


@pytest.mark.parametrize(("timeout", "seconds"), [(1, 0.9), (5, 4.5), (60, 59), (3600, 3599)])
def test_an_attempt_ends_before_the_engine_gives_it_up(timeout: int, seconds: float) -> None:
    assert attempt_end(NOW, timeout) == after(seconds)


def test_an_attempt_without_timeout() -> None:
    assert attempt_end(NOW, 0) is None
