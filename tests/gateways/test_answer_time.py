"""A service that hangs: whoever waits is answered in time, and told that it may help to ask again."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from loopstep.gateways import service_clients
from loopstep.gateways.answer_time import TimeIsUp, answer_within, seconds_left
from loopstep.gateways.functions import FunctionFailed, Functions
from loopstep.gateways.passing import passes


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """An endpoint that takes every connection and says nothing."""
    with socket.socket() as endpoint:
        endpoint.bind(("127.0.0.1", 0))
        endpoint.listen(50)
        endpoint.setblocking(False)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{endpoint.getsockname()[1]}")
        for name, value in (("REGION", "us-east-1"), ("ACCESS_KEY_ID", "x"), ("SECRET_ACCESS_KEY", "x")):
            monkeypatch.setenv(f"AWS_{name}", value)
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        service_clients.client.cache_clear()
        yield endpoint
    service_clients.client.cache_clear()
    answer_within(float("inf"))


def calls(endpoint: socket.socket) -> int:
    """How many have come."""
    taken = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            endpoint.accept()[0].close()
            taken += 1
    return taken


def test_no_call_begins_that_could_outlast_the_time(hanging: socket.socket) -> None:
    client: Any = service_clients.client("stepfunctions", 1)
    answer_within(2.6)
    with pytest.raises(TimeIsUp) as late:
        client.stop_execution(executionArn="arn:aws:states:us-east-1:123456789012:execution:m:e")
    assert calls(hanging) in (1, 2)  # of five tries; a busy machine gets to fewer
    assert passes(late.value) and "stepfunctions" in str(late.value)


def test_a_late_request_is_not_even_sent(hanging: socket.socket) -> None:
    answer_within(0.5)
    with pytest.raises(TimeIsUp):
        service_clients.LazyClient("dynamodb").get_item(TableName="t", Key={"k": {"S": "x"}})
    assert calls(hanging) == 0


def test_a_function_is_waited_for_as_long_as_there_is_time(
    hanging: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_clients, "_CALL_SECONDS", (25, 1))
    service_clients.client("lambda", 1)  # to make one takes its time
    answer_within(1.9)
    with pytest.raises(FunctionFailed, match="compile: TimeIsUp"):
        Functions(service_clients.LazyClient("lambda")).call("compile", {})
    assert calls(hanging) == 1


def test_without_a_limit_there_is_none() -> None:
    answer_within(float("inf"))
    assert seconds_left() == float("inf")
