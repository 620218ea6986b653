"""What listings give out: records with their values read back, and the JSON that the API shows (ARCHITECTURE §5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from loopstep.access.actor import shown
from loopstep.runs.records import (
    COMPLETED,
    ENDED,
    TERMINAL,
    WAITING,
    Activation,
    Attempt,
    Failure,
    Head,
    Message,
    RunError,
)


@dataclass(frozen=True, slots=True)
class RunView:
    """A run; `input` and `output` are JSON data."""

    head: Head
    input: Any
    output: Any = None

    def to_json(self) -> dict[str, Any]:
        """`{runId, plan, version, status, epoch, input, output, error, startedAt, …}`; null for what is not."""
        head = self.head
        return {
            "runId": head.run,
            "plan": head.plan,
            "version": head.version,
            "status": head.status,
            "epoch": head.epoch,
            "input": self.input,
            "output": self.output,
            "error": error_json(head.error),
            "startedAt": head.started_at,
            "endedAt": head.ended_at,
            "startedBy": shown(head.started_by),
            "redrivenBy": shown(head.redriven_by),
            "cancelledBy": shown(head.cancelled_by),
        }


@dataclass(frozen=True, slots=True)
class ActivationView:
    """An activation; `input`, `output` and `wrote` (state fields that it assigned) are JSON data."""

    record: Activation
    input: Any = None
    output: Any = None
    wrote: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The API's activation; `attempts` is their number, `tries` what is known of each one that acted outside."""
        record = self.record
        shown: dict[str, Any] = {
            "id": record.id,
            "nodeId": record.node,
            "path": record.path,
            "status": record.status,
            "attempts": max(1, len(record.attempts)),
            "input": self.input,
            "output": self.output,
            "error": failure_json(record.error),
            "port": record.port,
            "edge": record.edge,
            "seen": record.seen,
            "source": record.source,
            "arrivedBy": record.arrived_by or None,
            "startedAt": record.started_at,
            "endedAt": record.ended_at,
            "tries": [_attempt_json(each) for each in record.attempts],
        }
        if record.until is not None:
            shown["until"] = record.until
        if record.rev is not None:
            shown |= {"wrote": self.wrote, "revision": record.rev}
        return shown


def seen_at(view: ActivationView, head: Head, now: str) -> ActivationView:
    """The activation as it stands at a time. A `wait` records its way on at once: it waits until that time has come.
    What was open when its run ended has ended with it; a redrive lets it go on.
    """
    record, over = view.record, head.ended_at if head.status in TERMINAL else None
    if record.until is not None and record.status == COMPLETED and record.wait is None:
        if min(over or now, now) >= record.until:
            record = record._replace(ended_at=record.until)
        else:
            record = record._replace(status=WAITING, ended_at=None, port=None, edge=None, seen=None, read=None)
    if over is not None and record.open:
        record = record._replace(status=ENDED, ended_at=over)
    return replace(view, record=record)


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message with its text."""

    run: str
    record: Message
    text: str

    def to_json(self) -> dict[str, Any]:
        """`{id, runId, nodeId, activationId, scope, text, sentAt, threadId}`."""
        record = self.record
        return {
            "id": record.id,
            "runId": self.run,
            "nodeId": record.node,
            "activationId": record.activation,
            "scope": record.scope,
            "text": self.text,
            "sentAt": record.sent_at,
            "threadId": record.thread,
        }


def error_json(error: RunError | None) -> dict[str, Any] | None:
    """A run's error `{code, message, nodeId}`."""
    return None if error is None else {"code": error.code, "message": error.message, "nodeId": error.node}


def failure_json(error: Failure | None) -> dict[str, Any] | None:
    """An activation's error `{code, message}`."""
    return None if error is None else {"code": error.code, "message": error.message}


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    shown = {
        "number": attempt.number,
        "epoch": attempt.epoch,
        "startedAt": attempt.started_at,
        "endedAt": attempt.ended_at,
        "code": attempt.code,
    }
    return shown if attempt.usage is None else {**shown, "usage": dict(attempt.usage)}
