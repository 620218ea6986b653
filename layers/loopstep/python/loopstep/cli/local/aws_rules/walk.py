"""An execution from its first state to its end: limits of data and history, the timeout, isolated branches."""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable
from typing import Any

from . import failures, history, regions, sizes, stopping, tasks
from .data import is_jsonata
from .emulated import Failure, replace, sfn, wrap

Step = tuple[Any, str | None]  # a state's output and the next state


def apply() -> None:
    """Patch the emulator."""
    replace(sfn, "_run_execution", run_execution)
    replace(sfn, "_run_sub_machine", run_branch)
    replace(sfn, "_execute_choice", choose)
    replace(sfn, "_execute_task", run_task)
    replace(sfn, "_execute_parallel", run_parallel)
    replace(sfn, "_execute_map", run_map)
    replace(sfn, "_with_retry_and_catch", with_retry_and_catch)
    wrap(sfn, "_execute_wait", parsed_wait)
    wrap(sfn, "_nested_execution_failure", nested_failure)
    tasks.apply()
    regions.apply()


def run_execution(exec_arn: str) -> None:
    """Walk the machine to its end; no fixed delay before it starts, and TimeoutSeconds of the machine holds."""
    execution = sfn._executions.get(exec_arn)
    if not execution:
        return
    with stopping.execution(exec_arn):
        if execution["status"] != "RUNNING":
            return
        machine = sfn._state_machines.get(execution["stateMachineArn"]) or {}
        definition = json.loads(machine.get("definition", "{}"))
        timer = _timer(execution, definition.get("TimeoutSeconds"))
        try:
            data = json.loads(execution["input"])
            ctx = _context(execution, machine, definition, data)
            output = run_branch(definition.get("States", {}), definition.get("StartAt"), data, execution, ctx)
            ended = history.end(execution, "SUCCEEDED", output)
        except stopping.Stopped:
            ended = False
        except Failure as failure:
            ended = history.end(execution, "FAILED", None, failure.error, failure.cause)
        except Exception as fault:
            sfn.logger.exception("Unexpected error in execution %s", exec_arn)
            ended = history.end(execution, "FAILED", None, "States.Runtime", str(fault))
        finally:
            if timer is not None:
                timer.cancel()
    if ended:
        sfn._emit_execution_status_event(execution)


def _timer(execution: dict[str, Any], seconds: float | None) -> threading.Timer | None:
    """State machine structure, TimeoutSeconds: the execution fails with States.Timeout, status TIMED_OUT."""

    def expire() -> None:
        if history.end(execution, "TIMED_OUT", None, "States.Timeout"):
            sfn._emit_execution_status_event(execution)

    if seconds is None:
        return None
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), contextvars.copy_context().run, (expire,))
    timer.daemon = True
    timer.start()
    return timer


def _context(
    execution: dict[str, Any], machine: dict[str, Any], definition: dict[str, Any], data: Any
) -> dict[str, Any]:
    """The context object, RoleArn and RedriveCount included, with the emulator's own keys."""
    return {
        "QueryLanguage": definition.get("QueryLanguage", "JSONPath"),
        "Execution": {
            "Id": execution["executionArn"],
            "Input": data,
            "Name": execution["name"],
            "RoleArn": machine["roleArn"],
            "StartTime": execution["startDate"],
            "RedriveCount": 0,
        },
        "StateMachine": {"Id": execution["stateMachineArn"], "Name": machine["name"]},
        "variables": {},
    }


def run_branch(states: Any, start_at: Any, input_data: Any, execution: Any, ctx: Any) -> Any:
    """Walk a machine, a branch or an item from its start to its end; the last output."""
    name, data = start_at, input_data
    while name is not None:
        stopping.current().check()
        state = states.get(name)
        if not state:
            raise Failure("States.Runtime", f"State '{name}' not found in definition")
        ctx["State"] = {"Name": name, "EnteredTime": sfn.now_iso(), "RetryCount": 0}
        ctx.pop("Task", None)
        history.entered(execution, state["Type"], name, data)
        output, following = _STATES[state["Type"]](state, data, execution, ctx)
        data = sizes.hold(output, name, "returned a result")
        history.left(execution, state["Type"], name, data)
        name = following
    return data


def _pass(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    output, following = sfn._execute_pass(state, data, ctx)
    return output, following


def _choice(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    return choose(state, data, ctx)


def _wait(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    output, following = sfn._execute_wait(state, data, ctx)
    return output, following


def _succeed(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    """Succeed workflow state: its JSONata Output is the output."""
    if is_jsonata(state, ctx):
        return sfn._apply_jsonata_output(state, data, ctx, default=data), None
    return sfn._apply_output_path(state, sfn._apply_input_path(state, data, ctx), ctx), None


def _fail(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    raise Failure(*sfn._fail_state_error(state, data, ctx))


def choose(state_def: Any, raw_input: Any, ctx: Any = None) -> Step:
    """Choice workflow state: a rule that matches has its own Output and Assign; those of the state are for Default."""
    if not is_jsonata(state_def, ctx):
        return _choose_by_path(state_def, raw_input, ctx)
    for rule in state_def.get("Choices", []):
        if sfn._evaluate_jsonata_choice_rule(rule, raw_input, ctx):
            return _chosen(rule, rule["Next"], raw_input, ctx)
    if "Default" in state_def:
        return _chosen(state_def, state_def["Default"], raw_input, ctx)
    raise Failure("States.NoChoiceMatched", "No choice rule matched and no Default")


def _chosen(fields: Any, following: str, data: Any, ctx: Any) -> Step:
    fields = {**fields, "QueryLanguage": "JSONata"}
    output = sfn._apply_jsonata_output(fields, data, ctx, default=data)
    sfn._apply_state_assign(fields, data, ctx)
    return output, following


def _choose_by_path(state: Any, data: Any, ctx: Any) -> Step:
    effective = sfn._apply_input_path(state, data, ctx)
    matched = (rule["Next"] for rule in state.get("Choices", []) if sfn._evaluate_rule(rule, effective, ctx))
    following = next(matched, state.get("Default"))
    if following is None:
        raise Failure("States.NoChoiceMatched", "No choice rule matched and no Default")
    return sfn._apply_output_path(state, effective, ctx), following


def parsed_wait(original: Callable[..., Step]) -> Callable[..., Step]:
    """Wait workflow state: a path to something that is no time fails with States.Runtime instead of not waiting."""

    def wait(state_def: Any, raw_input: Any, ctx: Any = None) -> Step:
        if not is_jsonata(state_def, ctx):
            for field, valid in (("SecondsPath", _is_seconds), ("TimestampPath", sfn._is_timestamp)):
                if field in state_def and not valid(sfn._resolve_path_or_ctx(state_def[field], raw_input, ctx)):
                    raise Failure("States.Runtime", f"{field} does not refer to a value that can be waited for")
        return original(state_def, raw_input, ctx)

    return wait


def _is_seconds(value: Any) -> bool:
    return bool(sfn._is_num(value)) and value >= 0 and float(value).is_integer()


def run_task(state_def: Any, raw_input: Any, execution: Any, ctx: Any) -> Step:
    """A Task under its Retry and Catch."""
    attempt = lambda: tasks.attempt(state_def, raw_input, execution, ctx)  # noqa: E731
    return with_retry_and_catch(state_def, raw_input, ctx, attempt)


def run_parallel(state_def: Any, raw_input: Any, execution: Any, ctx: Any) -> Step:
    """A Parallel under its Retry and Catch."""
    attempt = lambda: regions.parallel(state_def, raw_input, execution, ctx)  # noqa: E731
    return with_retry_and_catch(state_def, raw_input, ctx, attempt)


def run_map(state_def: Any, raw_input: Any, execution: Any, ctx: Any) -> Step:
    """A Map under its Retry and Catch."""
    attempt = lambda: regions.mapped(state_def, raw_input, execution, ctx)  # noqa: E731
    return with_retry_and_catch(state_def, raw_input, ctx, attempt)


def with_retry_and_catch(state_def: Any, raw_input: Any, ctx: Any, attempt: Callable[[], Step]) -> Step:
    """Retriers count for themselves, MaxDelaySeconds and JitterStrategy hold, terminal errors pass by both."""
    counts: dict[int, int] = {}
    while True:
        ctx["State"]["RetryCount"] = sum(counts.values())
        try:
            return attempt()
        except Failure as failure:
            index = _retrier(state_def.get("Retry", []), failure, counts)
            if index is None:
                return _caught(state_def, raw_input, ctx, failure)
            scaled = failures.delay(state_def["Retry"][index], counts.get(index, 0))
            counts[index] = counts.get(index, 0) + 1
        sfn._scaled_sleep(scaled)


def _retrier(retriers: list[dict[str, Any]], failure: Any, counts: dict[int, int]) -> int | None:
    """The first retrier that matches decides, with what it has left."""
    for index, retrier in enumerate(retriers):
        if failures.matches(retrier["ErrorEquals"], failure.error, failure.cause):
            return index if counts.get(index, 0) < retrier.get("MaxAttempts", 3) else None
    return None


def _caught(state: Any, data: Any, ctx: Any, failure: Any) -> Step:
    for catcher in state.get("Catch", []):
        if failures.matches(catcher["ErrorEquals"], failure.error, failure.cause):
            language = "JSONata" if is_jsonata(state, ctx) else "JSONPath"
            error_output = {"Error": failure.error, "Cause": failure.cause}
            fields = {**catcher, "QueryLanguage": language}
            return sfn._apply_catcher(fields, data, ctx, language, error_output), catcher["Next"]
    raise failure


def nested_failure(original: Callable[..., Any]) -> Callable[..., Any]:
    """startExecution.sync: a child that fails is States.TaskFailed for its parent, the child's words are the cause."""

    def failure(payload: Any) -> tuple[str, str]:
        return "States.TaskFailed", sizes.text_of(payload)

    return failure


_STATES: dict[str, Callable[[Any, Any, Any, Any], Step]] = {
    "Pass": _pass,
    "Choice": _choice,
    "Wait": _wait,
    "Succeed": _succeed,
    "Fail": _fail,
    "Task": run_task,
    "Parallel": run_parallel,
    "Map": run_map,
}
