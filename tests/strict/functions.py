"""The function that the machines of these tests call: its event says what it does. It runs in the strict emulator and,
in-process, under moto."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


class Flaky(Exception):
    """Raised on purpose."""


class Decided(Exception):
    """Raised on purpose, with a name that has a dot."""


Decided.__name__ = "Loopstep.Decided"
ERRORS: dict[str, type[Exception]] = {"Flaky": Flaky, "Loopstep.Decided": Decided, "ValueError": ValueError}


def handler(event: dict[str, Any], context: Any) -> Any:
    """`{"do": what, …}`; without `do` the event comes back."""
    print(json.dumps({"do": event.get("do")}))
    return ACTIONS[event.get("do", "echo")](event)


def echo(event: dict[str, Any]) -> Any:
    return event


def value(event: dict[str, Any]) -> Any:
    """`value`, as it is."""
    return event["value"]


def fail(event: dict[str, Any]) -> Any:
    """Raises `error`."""
    raise ERRORS[event["error"]](event.get("message", "on purpose"))


def flaky(event: dict[str, Any]) -> Any:
    """Raises `error` (Flaky) until `tried` is `good`, which comes back."""
    if event["tried"] < event["good"]:
        raise ERRORS[event.get("error", "Flaky")]("not yet")
    return {"tried": event["tried"]}


def large(event: dict[str, Any]) -> Any:
    """A text of `size` bytes."""
    return "x" * int(event["size"])


def slow(event: dict[str, Any]) -> Any:
    """Sleeps, then the event comes back."""
    time.sleep(event["seconds"])
    return event


def leave(event: dict[str, Any]) -> Any:
    """The process ends."""
    if event.get("how") == "exit":
        sys.exit(3)
    os._exit(3)


def odd(event: dict[str, Any]) -> Any:
    """Something that JSON cannot hold."""
    return {"set": {1, 2}}


def answer(event: dict[str, Any]) -> Any:
    """Answers through the task token by itself: with `error`, else `output`."""
    import boto3

    states = boto3.client("stepfunctions")
    if "error" in event:
        states.send_task_failure(taskToken=event["token"], error=event["error"], cause="on purpose")
    else:
        states.send_task_success(taskToken=event["token"], output=json.dumps(event["output"]))
    return None


ACTIONS = {
    "echo": echo,
    "value": value,
    "fail": fail,
    "flaky": flaky,
    "large": large,
    "slow": slow,
    "leave": leave,
    "odd": odd,
    "answer": answer,
}
