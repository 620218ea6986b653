"""The engine in this process: machines, executions that are walked, Tasks that wait under tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from loopstep.gateways.step_functions import NOT_THERE, RUNNING, MachineMissing, execution_arn
from loopstep.testing.clock import Clock
from loopstep.testing.machine import NEVER, NOW, Engine, Stopped, Walk

_PREFIX = "arn:aws:states:us-east-1:000000000000:stateMachine:"


class TaskTokens:
    """Tokens of Tasks, and the client that services answer through."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[str, tuple[Any, str] | None] = {}

    def open(self) -> str:
        """A token under which a Task waits from now on."""
        self._count += 1
        self._open[f"task-{self._count}"] = None
        return f"task-{self._count}"

    def close(self, token: str) -> None:
        """The Task waits no longer."""
        self._open.pop(token, None)

    def told(self, token: str) -> tuple[Any, str] | None:
        """The output and "", or None and an error's name; None while nobody has answered."""
        return self._open[token]

    def send_task_success(self, taskToken: str, output: str) -> None:
        """End the Task with this output, as the client of Step Functions does."""
        self._tell(taskToken, (json.loads(output), ""))

    def send_task_failure(self, taskToken: str, error: str, cause: str) -> None:
        """End the Task with an error."""
        self._tell(taskToken, (None, error))

    def _tell(self, token: str, outcome: tuple[Any, str]) -> None:
        if token not in self._open or self._open[token] is not None:
            raise ClientError({"Error": {"Code": "TaskDoesNotExist", "Message": ""}}, "SendTask")
        self._open[token] = outcome


class _Execution:
    def __init__(self, machine: str, name: str, walk: Walk, ends: float) -> None:
        self.machine, self.name, self.walk, self.ends = machine, name, walk, ends
        self.status = RUNNING
        self.until = NOW


class Executions:
    """What services ask of the engine, and what drives it. `ended` hears of every end, as EventBridge says it."""

    def __init__(self, engine: Callable[[], Engine], clock: Clock, ended: Callable[[dict[str, Any]], None]) -> None:
        self._engine, self._clock, self._ended = engine, clock, ended
        self._machines: dict[str, dict[str, Any]] = {}
        self._executions: dict[str, _Execution] = {}

    def create_machine(self, name: str, definition: str, role: str, tags: dict[str, str]) -> str:
        """The ARN of the machine."""
        self._machines[_PREFIX + name] = json.loads(definition)
        return _PREFIX + name

    def start(self, machine: str, execution: str, text: str) -> None:
        """Start the execution, or find it started before. Raises MachineMissing."""
        if machine not in self._machines:
            raise MachineMissing(machine)
        arn = execution_arn(machine, execution)
        if arn not in self._executions:
            definition = self._machines[machine]
            walk = self._engine().walk(definition, json.loads(text), {})
            ends = self._clock.seconds + definition["TimeoutSeconds"]
            self._executions[arn] = _Execution(machine, execution, walk, ends)

    def stop(self, machine: str, execution: str, error: str, cause: str) -> None:
        """Stop the execution; one that never began or has ended is left as it is."""
        found = self._executions.get(execution_arn(machine, execution))
        if found is not None and found.status == RUNNING:
            self._end(found, "ABORTED")

    def status(self, machine: str, execution: str) -> str:
        """What DescribeExecution would say."""
        found = self._executions.get(execution_arn(machine, execution))
        return NOT_THERE if found is None else found.status

    def advance(self) -> float | None:
        """Walk until nothing can go on without time or an answer: until when that is, None where all have ended."""
        while True:
            running = list(self._running())
            if not running:
                return None
            for execution in running:
                self._turn(execution)
            until = min((each.until for each in self._running()), default=None)
            if until is None or until > self._clock.seconds:
                return until

    def _running(self) -> Iterator[_Execution]:
        return (each for each in self._executions.values() if each.status == RUNNING)

    def _turn(self, execution: _Execution) -> None:
        try:
            if self._clock.seconds >= execution.ends:
                self._end(execution, "TIMED_OUT")
                return
            execution.until = min(next(execution.walk), execution.ends)
        except StopIteration:
            self._end(execution, "SUCCEEDED")
        except Stopped:
            self._end(execution, "FAILED")

    def _end(self, execution: _Execution, status: str) -> None:
        execution.status, execution.until = status, NEVER
        with suppress(ValueError):  # it is this very walk that stops its own execution
            execution.walk.close()
        arn = execution_arn(execution.machine, execution.name)
        self._ended({
            "executionArn": arn, "stateMachineArn": execution.machine, "name": execution.name, "status": status,
        })  # fmt: skip
