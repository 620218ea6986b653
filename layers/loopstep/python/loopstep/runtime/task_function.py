"""A node function that may be started with a task token: then its outcome goes through the token (ARCHITECTURE §3).

Everything it does, its first read too, happens inside the `try` that answers: a local engine never hears of an
exception of such a Task and would wait until its timeout.
"""

from __future__ import annotations

from typing import Any

from loopstep.gateways.task_answers import TaskAnswers
from loopstep.runtime.activation import Activator
from loopstep.runtime.failures import NODE_CRASHED, Failed, Retry, TimedOut
from loopstep.runtime.waiting import WaitingActivator


class TaskFunction:
    """A Lambda handler: `{"token", "spec", "taskToken"?}` → the next token, by reply or through the task token."""

    def __init__(self, activator: Activator, waiting: WaitingActivator, answers: TaskAnswers) -> None:
        self._activator, self._waiting, self._answers = activator, waiting, answers

    def __call__(self, event: dict[str, Any], context: Any = None) -> dict[str, Any]:
        """Answer one invocation. Raises NotAnswered where the engine did not take the answer."""
        task_token = event.get("taskToken")
        if task_token is None:
            return self._activator(event)
        try:
            reply = self._waiting(event)
        except (Failed, TimedOut, Retry) as told:
            self._answers.fail(task_token, type(told).__name__, str(told))
        except Exception:  # what cannot be read before it has a name; its message could hold data
            self._answers.fail(task_token, Retry.__name__, NODE_CRASHED)
        else:
            if reply:
                self._answers.succeed(task_token, reply)
        return {}
