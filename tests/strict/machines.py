"""Pieces of state machines."""

from __future__ import annotations

from typing import Any

Machine = dict[str, Any]
WORK = "arn:aws:lambda:us-east-1:000000000000:function:work"
INVOKE = "arn:aws:states:::lambda:invoke"


def machine(start: str, language: str = "JSONata", /, **states: Machine) -> Machine:
    """A machine of named states."""
    return {"QueryLanguage": language, "StartAt": start, "States": states}


def branch(start: str, /, **states: Machine) -> Machine:
    """A branch, or an item processor."""
    return {"StartAt": start, "States": states}


def onward(following: str | None) -> Machine:
    """`Next`, or `End`."""
    return {"Next": following} if following else {"End": True}


def state(kind: str, following: str | None = None, **fields: Any) -> Machine:
    """A state that goes on to another, or ends."""
    return {"Type": kind, **fields, **onward(following)}


def put(output: Any, following: str | None = None, **fields: Any) -> Machine:
    """A Pass with an Output."""
    return state("Pass", following, Output=output, **fields)


def call(payload: Any, following: str | None = None, **fields: Any) -> Machine:
    """A Task that invokes the function; its output is the reply."""
    fields = {"Output": "{% $states.result.Payload %}", **fields}
    return state("Task", following, Resource=INVOKE, Arguments={"FunctionName": WORK, "Payload": payload}, **fields)


def ask(payload: Any = None, following: str | None = None, **fields: Any) -> Machine:
    """A Task that waits for its token, which the function gets as `token`."""
    given = {**(payload or {}), "token": "{% $states.context.Task.Token %}"}
    resource = INVOKE + ".waitForTaskToken"
    return state("Task", following, Resource=resource, Arguments={"FunctionName": WORK, "Payload": given}, **fields)


def parallel(*branches: Machine, following: str | None = None, **fields: Any) -> Machine:
    return state("Parallel", following, Branches=list(branches), **fields)


def fail(error: str, cause: str = "on purpose") -> Machine:
    return {"Type": "Fail", "Error": error, "Cause": cause}


def catch(following: str, *names: str, **fields: Any) -> list[Machine]:
    return [{"ErrorEquals": list(names or ("States.ALL",)), "Next": following, **fields}]


def retry(*names: str, **fields: Any) -> list[Machine]:
    return [{"ErrorEquals": list(names), "IntervalSeconds": 1, **fields}]
