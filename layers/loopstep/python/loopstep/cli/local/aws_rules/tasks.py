"""One attempt of a Task: its arguments, its call or callback, its timeouts, its output."""

from __future__ import annotations

import base64
import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from . import history, sizes, stopping
from .data import is_jsonata
from .emulated import Failure, sfn, wrap
from .failures import HEARTBEAT_CAUSE

Step = tuple[Any, str | None]
CALLBACK = ".waitForTaskToken"
LONGEST = 99_999_999  # seconds; Task workflow state: the default of TimeoutSeconds

closed: set[str] = set()  # tokens of tasks that are over, so that a late answer is TaskTimedOut and not InvalidToken
_settling = threading.Lock()


def apply() -> None:
    """Patch the emulator."""
    wrap(sfn, "_call_lambda", named_throttle)


def attempt(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    """Arguments, call, output. A new task token for each attempt (context object, Task.Token)."""
    name, jsonata, resource = ctx["State"]["Name"], is_jsonata(state, ctx), state["Resource"]
    token = new_token() if CALLBACK in resource else None
    if token is not None:
        ctx["Task"] = {"Token": token}
    effective = sizes.hold(_arguments(state, data, ctx, jsonata), name, "was given an input")
    timeout, heartbeat = (_seconds(state, field, data, ctx) for field in ("TimeoutSeconds", "HeartbeatSeconds"))
    result = _recorded(
        execution,
        resource,
        effective,
        timeout,
        heartbeat,
        lambda: _call(resource, effective, token, timeout, heartbeat),
    )
    sizes.hold(result, resource.removesuffix(CALLBACK), "returned a result")
    if jsonata:
        output = sfn._apply_jsonata_output(state, data, ctx, result=result, default=result)
        sfn._apply_state_assign(state, data, ctx, result=result)
    else:
        output = sfn._apply_result_path(state, data, sfn._apply_result_selector(state, result))
        output = sfn._apply_output_path(state, output, ctx)
    return sizes.hold(output, name, "returned a result"), sfn._next_or_end(state)


def _arguments(state: Any, data: Any, ctx: Any, jsonata: bool) -> Any:
    if jsonata:
        return sfn._apply_jsonata_arguments(state, data, ctx)
    return sfn._apply_parameters(state, sfn._apply_input_path(state, data, ctx), ctx)


def _seconds(state: Any, field: str, data: Any, ctx: Any) -> float | None:
    """TimeoutSeconds or HeartbeatSeconds: a number, a JSONata expression, or a path; a positive integer."""
    if field in state:
        value = sfn._jsonata_state_field(state, field, "number", data, ctx) if is_jsonata(state, ctx) else state[field]
    elif f"{field}Path" in state:
        value = sfn._resolve_path_or_ctx(state[f"{field}Path"], data, ctx)
    else:
        return None
    if not sfn._is_num(value) or value <= 0 or not float(value).is_integer():
        error = "States.QueryEvaluationError" if is_jsonata(state, ctx) else "States.Runtime"
        raise Failure(error, f"The field '{field}' must be a positive integer but was: {json.dumps(value)}")
    return float(value)


def _recorded(
    execution: Any,
    resource: str,
    effective: Any,
    timeout: float | None,
    heartbeat: float | None,
    call: Callable[[], Any],
) -> Any:
    """The call between its events."""
    kind, action = _names(resource)
    named = {"resourceType": kind, "resource": action}
    limits = {"timeoutInSeconds": timeout, "heartbeatInSeconds": heartbeat}
    scheduled = {**named, "region": sfn.get_region(), "parameters": sizes.text_of(effective)}
    scheduled |= {name: int(value) for name, value in limits.items() if value is not None}
    history.add(execution, "TaskScheduled", taskScheduledEventDetails=scheduled)
    history.add(execution, "TaskStarted", taskStartedEventDetails=named)
    if CALLBACK in resource:
        history.add(execution, "TaskSubmitted", taskSubmittedEventDetails=named)
    try:
        result = call()
    except Failure as failure:
        late = failure.error == "States.Timeout"
        key = "taskTimedOutEventDetails" if late else "taskFailedEventDetails"
        details = {**named, "error": failure.error, "cause": failure.cause}
        history.add(execution, "TaskTimedOut" if late else "TaskFailed", **{key: details})
        raise
    done = {**named, "output": sizes.text_of(result)}
    history.add(execution, "TaskSucceeded", taskSucceededEventDetails=done)
    return result


def _names(resource: str) -> tuple[str, str]:
    """`arn:aws:states:::lambda:invoke.waitForTaskToken` → lambda, invoke.waitForTaskToken."""
    if ":states:::" in resource:
        kind, _, action = resource.split(":::")[1].rpartition(":")
        return kind, action
    return "lambda", resource


def _call(resource: str, effective: Any, token: str | None, timeout: float | None, heartbeat: float | None) -> Any:
    if token is not None:
        return _by_callback(resource, effective, token, timeout or LONGEST, heartbeat)
    box, done = _begin(lambda: sfn._invoke_resource(resource, effective))
    with stopping.current().waking(done.set):
        done.wait(timeout)
    if "failure" in box:
        raise box["failure"]
    if "value" not in box:
        raise Failure("States.Timeout", f"Task timed out after {timeout} seconds")
    return box["value"]


def _begin(
    work: Callable[[], Any], after: Callable[[dict[str, Any]], None] | None = None
) -> tuple[dict[str, Any], Any]:
    """Run `work` aside: the box gets "value" or "failure", then the event is set."""
    box: dict[str, Any] = {}
    done = threading.Event()

    def run() -> None:
        try:
            box["value"] = work()
        except Failure as failure:
            box["failure"] = failure
        except Exception as fault:
            box["failure"] = Failure("States.Runtime", str(fault))
        if after is not None:
            after(box)
        done.set()

    stopping.spawn(run)
    return box, done


def _by_callback(resource: str, effective: Any, token: str, timeout: float, heartbeat: float | None) -> Any:
    """waitForTaskToken: the answer through the token ends the task, or the call that fails, or a timeout; both timeouts
    run from the start. Whatever ends it, the token is dead afterwards."""
    task: dict[str, Any] = {
        "event": threading.Event(),
        "result": None,
        "error": None,
        "heartbeat": None,
        "beat": time.monotonic(),
    }
    sfn._task_tokens[token] = task

    def after(box: dict[str, Any]) -> None:
        if "failure" in box:
            settle(task, error={"Error": box["failure"].error, "Cause": box["failure"].cause})

    try:
        _begin(lambda: _submit(resource, effective), after)
        with stopping.current().waking(lambda: settle(task)):
            _await(task, time.monotonic() + timeout, heartbeat)
    finally:
        settle(task)
        closed.add(token)
        sfn._task_tokens.pop(token, None)
    if task["error"]:
        raise Failure(task["error"]["Error"], task["error"]["Cause"])
    return json.loads(task["result"])


def _submit(resource: str, effective: Any) -> Any:
    return sfn._invoke_resource(resource.replace(CALLBACK, ""), effective)


def _await(task: dict[str, Any], deadline: float, heartbeat: float | None) -> None:
    while not task["event"].is_set():
        beat_by = task["beat"] + heartbeat if heartbeat is not None else deadline
        now = time.monotonic()
        if now >= deadline:
            settle(task, error={"Error": "States.Timeout", "Cause": "Task timed out waiting for its callback"})
        elif now >= beat_by:
            settle(task, error={"Error": "States.Timeout", "Cause": HEARTBEAT_CAUSE})
        else:
            task["event"].wait(min(deadline, beat_by, now + threading.TIMEOUT_MAX) - now)


def settle(task: dict[str, Any], result: str | None = None, error: dict[str, Any] | None = None) -> bool:
    """End a task: the first call does, False for the others."""
    with _settling:
        if task.get("closed"):
            return False
        task.update(closed=True, result=result, error=error)
    task["event"].set()
    return True


def new_token() -> str:
    """As long as those of AWS (SendTaskSuccess: 1 to 2,048 characters), so that nothing is built on short ones."""
    return "AQC" + base64.b64encode(os.urandom(576)).decode()


def named_throttle(original: Callable[..., Any]) -> Callable[..., Any]:
    """Lambda integration: a throttled invocation is Lambda.TooManyRequestsException, not Lambda.Unknown."""

    def call(func_ref: Any, event: Any) -> Any:
        try:
            return original(func_ref, event)
        except Failure as failure:
            if failure.error == "Lambda.Unknown" and '"TooManyRequestsException"' in failure.cause:
                raise Failure("Lambda.TooManyRequestsException", failure.cause) from None
            raise

    return call
