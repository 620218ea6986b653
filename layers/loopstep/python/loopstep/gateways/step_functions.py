"""Step Functions: machines that are created once and never updated, executions that are started and stopped.

Both engines are met: AWS answers a repeated start with the same arguments, the local one refuses the name; AWS stops
an ended execution in silence, the local one refuses. Either way the caller hears that it is done.
"""

from __future__ import annotations

from typing import Any, Protocol

# What `status` says besides SUCCEEDED, FAILED, TIMED_OUT, ABORTED.
RUNNING = "RUNNING"
NOT_THERE = "NOT_THERE"


class MachineTaken(Exception):
    """A machine of this name exists with another definition, or is being deleted; the message is its name."""


class MachineMissing(Exception):
    """The machine to start does not exist (any more); the message is its ARN."""


class Engine(Protocol):
    """What services ask of the engine."""

    def create_machine(self, name: str, definition: str, role: str, tags: dict[str, str]) -> str: ...

    def start(self, machine: str, execution: str, text: str) -> None: ...

    def stop(self, machine: str, execution: str, error: str, cause: str) -> None: ...

    def status(self, machine: str, execution: str) -> str: ...


class StepFunctions:
    """The engine behind a boto3 client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def create_machine(self, name: str, definition: str, role: str, tags: dict[str, str]) -> str:
        """The ARN of the machine of this name and definition, created unless it exists. Raises MachineTaken."""
        errors = self._client.exceptions
        try:
            answer = self._client.create_state_machine(
                name=name,
                definition=definition,
                roleArn=role,
                type="STANDARD",
                tags=[{"key": key, "value": value} for key, value in tags.items()],
            )
        except (errors.StateMachineAlreadyExists, errors.StateMachineDeleting):
            raise MachineTaken(name) from None
        arn: str = answer["stateMachineArn"]
        return arn

    def start(self, machine: str, execution: str, text: str) -> None:
        """Start the execution, or find it started before. Raises MachineMissing."""
        errors = self._client.exceptions
        try:
            self._client.start_execution(stateMachineArn=machine, name=execution, input=text)
        except errors.ExecutionAlreadyExists:
            return
        except (errors.StateMachineDoesNotExist, errors.StateMachineDeleting):
            raise MachineMissing(machine) from None

    def stop(self, machine: str, execution: str, error: str, cause: str) -> None:
        """Stop the execution; one that never began or has ended is left as it is."""
        arn = execution_arn(machine, execution)
        try:
            self._client.stop_execution(executionArn=arn, error=error, cause=cause)
        except self._client.exceptions.ExecutionDoesNotExist:
            return
        except self._client.exceptions.ClientError as refused:
            if refused.response["Error"]["Code"] != "ValidationException":
                raise

    def status(self, machine: str, execution: str) -> str:
        """What DescribeExecution says; NOT_THERE for one that never began. AWS may lag a moment behind."""
        try:
            answer = self._client.describe_execution(executionArn=execution_arn(machine, execution))
        except self._client.exceptions.ExecutionDoesNotExist:
            return NOT_THERE
        status: str = answer["status"]
        return RUNNING if status == "PENDING_REDRIVE" else status


def execution_arn(machine: str, execution: str) -> str:
    """The ARN of an execution by its machine's ARN and its own name."""
    return f"{machine.replace(':stateMachine:', ':execution:', 1)}:{execution}"
