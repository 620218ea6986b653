"""Requests to Step Functions that AWS refuses, or answers in another way, than the emulator does."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

from . import definitions, history, sizes, stopping, tasks
from .emulated import UnexpectedEmulator, provisioners, refusal, replace, sfn, wrap

NAME = 80  # characters of an execution's or a machine's name
ERROR, CAUSE = 256, 32_768  # characters; SendTaskFailure
_BAD_NAME = re.compile(r"[\s<>{}\[\]?*\"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
Handler = Callable[[Any], Any]


def apply() -> None:
    """Patch the emulator."""
    if sfn.jsonata is None:
        raise UnexpectedEmulator("jsonata-python is not installed")
    wrap(sfn, "_create_state_machine", checked_create)
    wrap(sfn, "_update_state_machine", checked_update)
    wrap(provisioners, "_sfn_definition", checked_template)
    replace(sfn, "_validate_state_machine_definition", validate)
    wrap(sfn, "_start_execution", idempotent_start)
    wrap(sfn, "_stop_execution", stopping_stop)
    replace(sfn, "_send_task_success", send_success)
    replace(sfn, "_send_task_failure", send_failure)
    replace(sfn, "_send_task_heartbeat", send_heartbeat)
    wrap(sfn, "reset", stopping_reset)


def parses(expression: str) -> str | None:
    """What is wrong with a JSONata expression."""
    try:
        sfn.jsonata.Jsonata.jsonata(expression)
    except Exception as fault:
        return str(fault)
    return None


def name_refusal(name: Any) -> Any:
    """StartExecution and CreateStateMachine, `name`: at most 80 characters, no white space, brackets, wildcards, or
    special or control characters."""
    if not isinstance(name, str) or not 0 < len(name) <= NAME:
        return refusal("ValidationException", _constraint("name", f"length less than or equal to {NAME}"))
    return refusal("InvalidName", f"Invalid Name: '{name}'") if _BAD_NAME.search(name) else None


def _constraint(field: str, rule: str) -> str:
    return f"1 validation error detected: Value at '{field}' failed to satisfy constraint: Member must have {rule}"


def definition_refusal(text: Any) -> Any:
    """InvalidDefinition with every problem; ValidationException above 1 MiB."""
    if not isinstance(text, str) or not text or sizes.bytes_of(text) > sizes.DEFINITION:
        rule = f"length between 1 and {sizes.DEFINITION}"
        return refusal("ValidationException", _constraint("definition", rule))
    found = ", ".join(str(problem) for problem in definitions.problems(text, parses))
    return refusal("InvalidDefinition", f"Invalid State Machine Definition: '{found}'") if found else None


def checked_create(original: Handler) -> Handler:
    """CreateStateMachine: names and definitions are checked."""

    def create(data: Any) -> Any:
        return name_refusal(data.get("name")) or definition_refusal(data.get("definition")) or original(data)

    return create


def checked_update(original: Handler) -> Handler:
    """UpdateStateMachine: the new definition is checked."""

    def update(data: Any) -> Any:
        return (definition_refusal(data["definition"]) if "definition" in data else None) or original(data)

    return update


def checked_template(original: Callable[..., Any]) -> Callable[..., Any]:
    """CloudFormation: the definition of a machine in a template is checked in the same way."""

    def definition(props: Any) -> Any:
        text = original(props)
        refused = definition_refusal(text)
        if refused:
            raise provisioners._sfn_service_error(refused)
        return text

    return definition


def validate(data: Any) -> Any:
    """ValidateStateMachineDefinition: the same checks as for creating, as a list."""
    found = definitions.problems(data.get("definition", ""), parses)
    most = data.get("maxResults") or 100
    shown = []
    for problem in found[:most]:
        entry = {"severity": "ERROR", "code": problem.code, "message": problem.message}
        shown.append({**entry, "location": problem.location} if problem.location else entry)
    answer = {"result": "FAIL" if found else "OK", "diagnostics": shown, "truncated": len(found) > most}
    return sfn.json_response(answer)


def idempotent_start(original: Handler) -> Handler:
    """StartExecution: input is JSON of at most 262,144 bytes; name and input of a running execution give that
    execution, any other use of a name ExecutionAlreadyExists (a closed one's, for 90 days)."""

    def start(data: Any) -> Any:
        text = data.get("input", "{}")
        refused = name_refusal(data["name"]) if "name" in data else None
        refused = refused or _too_large("input", text) or _not_json("InvalidExecutionInput", text)
        if refused:
            return refused
        running = sfn._executions.get(_execution_arn(data))
        if running and running["status"] == "RUNNING" and running["input"] == text:
            return sfn.json_response({"executionArn": running["executionArn"], "startDate": running["startDate"]})
        return original(data)

    return start


def _execution_arn(data: Any) -> str:
    machine = sfn._resolve_state_machine_arn(data.get("stateMachineArn", "")) or ""
    return machine.replace(":stateMachine:", ":execution:") + f":{data.get('name')}"


def _too_large(field: str, text: str) -> Any:
    if sizes.bytes_of(text) <= sizes.PAYLOAD:
        return None
    return refusal("ValidationException", _constraint(field, f"length less than or equal to {sizes.PAYLOAD}"))


def _not_json(code: str, text: str) -> Any:
    try:
        json.loads(text)
    except ValueError as fault:
        return refusal(code, f"Invalid JSON: {fault}")
    return None


def stopping_stop(original: Handler) -> Handler:
    """StopExecution: nothing of the execution runs on, its task tokens are dead."""

    def stop(data: Any) -> Any:
        return history.stop(data.get("executionArn"), original, data)

    return stop


def _open_task(token: Any) -> Any:
    """The task of a token, or the refusal: InvalidToken for what was none, TaskTimedOut for a task that is over."""
    task = sfn._task_tokens.get(token)
    if task and not task.get("closed"):
        return task, None
    if task or token in tasks.closed:
        return None, refusal("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'")
    return None, refusal("InvalidToken", "Invalid Token: 'Invalid token'")


def _settled(task: Any, **answer: Any) -> Any:
    if tasks.settle(task, **answer):
        return sfn.json_response({})
    return refusal("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'")


def send_success(data: Any) -> Any:
    """SendTaskSuccess: JSON of at most 262,144 bytes, to a task that waits."""
    output = data.get("output")
    if not isinstance(output, str):
        return refusal("ValidationException", _constraint("output", "a value"))
    task, refused = _open_task(data.get("taskToken"))
    refused = _too_large("output", output) or refused or _not_json("InvalidOutput", output)
    return refused or _settled(task, result=output)


def send_failure(data: Any) -> Any:
    """SendTaskFailure: an error of at most 256 and a cause of at most 32,768 characters, to a task that waits."""
    error, cause = data.get("error"), data.get("cause")
    for field, value, most in (("error", error, ERROR), ("cause", cause, CAUSE)):
        if len(value or "") > most:
            return refusal("ValidationException", _constraint(field, f"length less than or equal to {most}"))
    task, refused = _open_task(data.get("taskToken"))
    return refused or _settled(task, error={"Error": error or "States.TaskFailed", "Cause": cause or ""})


def send_heartbeat(data: Any) -> Any:
    """SendTaskHeartbeat: HeartbeatSeconds of the task start anew."""
    task, refused = _open_task(data.get("taskToken"))
    if refused:
        return refused
    task["beat"] = time.monotonic()
    return sfn.json_response({})


def stopping_reset(original: Callable[[], None]) -> Callable[[], None]:
    """A reset of the emulator stops what runs, too."""

    def reset() -> None:
        stopping.stop_all()
        original()

    return reset
