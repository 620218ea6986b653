"""Answers to Tasks that wait under a task token (`.waitForTaskToken`).

An engine that no longer waits under a token says so in three ways (AWS: TaskTimedOut, InvalidToken; locally
TaskDoesNotExist). All of them mean that somebody was quicker, which is no fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from loopstep.types.text import json_text

_OVER = {"TaskDoesNotExist", "TaskTimedOut", "InvalidToken"}
_CAUSE_LIMIT = 1024  # characters; AWS takes 32,768


class NotAnswered(Exception):
    """The engine did not take the answer; the argument is its error code, never the token."""


class TaskAnswers:
    """Sends outcomes of waiting Tasks. `stepfunctions` gives the client and is called at the first one."""

    def __init__(self, stepfunctions: Callable[[], Any]) -> None:
        self._stepfunctions = stepfunctions

    def succeed(self, task_token: str, output: dict[str, Any]) -> bool:
        """End the Task with this output; False where it is over already. Raises NotAnswered."""
        return self._send(lambda client: client.send_task_success(taskToken=task_token, output=json_text(output)))

    def fail(self, task_token: str, error: str, cause: str) -> bool:
        """End the Task with an error; False where it is over already. Raises NotAnswered."""
        cause = cause[:_CAUSE_LIMIT]
        return self._send(lambda client: client.send_task_failure(taskToken=task_token, error=error, cause=cause))

    def _send(self, act: Callable[[Any], Any]) -> bool:
        try:
            act(self._stepfunctions())
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code.rpartition("#")[2] in _OVER:
                return False
            raise NotAnswered(code) from None
        except BotoCoreError as error:
            raise NotAnswered(type(error).__name__) from None
        return True
