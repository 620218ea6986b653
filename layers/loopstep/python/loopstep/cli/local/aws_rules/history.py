"""Events of an execution: those AWS writes, in every branch and item, and no more than 25,000.

AWS, StateMachine history: each event names the one before it in its branch; event 25,000 is ExecutionFailed with
States.Runtime and "The execution reached the maximum number of history events (25000)."
"""

from __future__ import annotations

import contextvars
import threading
from typing import Any

from . import sizes, stopping
from .emulated import Failure, sfn

FULL = f"The execution reached the maximum number of history events ({sizes.HISTORY})."
ENDS = {
    "SUCCEEDED": ("ExecutionSucceeded", "executionSucceededEventDetails"),
    "FAILED": ("ExecutionFailed", "executionFailedEventDetails"),
    "TIMED_OUT": ("ExecutionTimedOut", "executionTimedOutEventDetails"),
}
_lock = threading.RLock()
_before: contextvars.ContextVar[int] = contextvars.ContextVar("before", default=1)


def add(execution: dict[str, Any], kind: str, **details: Any) -> None:
    """One more event of a running execution. Raises Stopped, and States.Runtime where the history is full."""
    with _lock:
        stopping.current().check()
        if len(execution["events"]) >= sizes.HISTORY - 1:
            raise Failure("States.Runtime", FULL)
        event = sfn._add_event(execution, kind, {"previousEventId": _before.get(), **details})
    _before.set(event["id"])


def begin() -> None:
    """What follows in this thread belongs to an execution that has only just started."""
    _before.set(1)


def entered(execution: dict[str, Any], kind: str, name: str, data: Any) -> None:
    """A state begins."""
    details = {"name": name, "input": sizes.text_of(data), "inputDetails": {"truncated": False}}
    add(execution, f"{kind}StateEntered", stateEnteredEventDetails=details)


def left(execution: dict[str, Any], kind: str, name: str, data: Any) -> None:
    """A state ends."""
    details = {"name": name, "output": sizes.text_of(data), "outputDetails": {"truncated": False}}
    add(execution, f"{kind}StateExited", stateExitedEventDetails=details)


def end(
    execution: dict[str, Any], status: str, output: Any = None, error: str | None = None, cause: str | None = None
) -> bool:
    """Close the execution: whoever comes first does, False for the others. What still runs in it is stopped.

    AWS, DescribeExecution: output only where it succeeded; States.Timeout where the machine's TimeoutSeconds passed.
    """
    kind, key = ENDS[status]
    text = sizes.text_of(output) if status == "SUCCEEDED" else None
    details = {"output": text} if text is not None else {"error": error, "cause": cause}
    with _lock:
        if execution["status"] != "RUNNING":
            return False
        execution.update(status=status, output=text, error=error, cause=cause, stopDate=sfn.now_iso())
        shown = {name: value for name, value in details.items() if value is not None}
        sfn._add_event(execution, kind, {"previousEventId": len(execution["events"]), key: shown})
    stopping.stop_execution(execution["executionArn"])
    return True


def stop(arn: str, original: Any, data: Any) -> Any:
    """StopExecution, in turn with the end by itself; what runs in the execution is stopped, its task tokens die."""
    with _lock:
        answer = original(data)
    if (sfn._executions.get(arn) or {}).get("status") == "ABORTED":
        stopping.stop_execution(arn)
    return answer
