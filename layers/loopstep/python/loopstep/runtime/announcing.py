"""Events about open waits: what a worker needs to show a question and to answer it (ARCHITECTURE §3)."""

from __future__ import annotations

from typing import Any

from loopstep.gateways.events import EventBus, NotPublished
from loopstep.runs.records import Head
from loopstep.runs.waits import APPROVAL, Wait
from loopstep.runtime.behaviour import Question, Situation
from loopstep.runtime.failures import NODE_CRASHED, NodeFailure
from loopstep.types.schema import Schema

DETAIL_TYPES = {APPROVAL: "loopstep.approval", "callback": "loopstep.callback"}
TEXT_FIELD = {APPROVAL: "summary", "callback": "text"}


def announce(bus: EventBus, situation: Situation, question: Question, wait: Wait) -> None:
    """Publish that a wait is open. Raises NodeFailure where the bus does not take it.

    The detail has `id`, under which `answerAt` takes the answer, run and node, `scope`, the summary or text, until when
    (`deadline`) and, of a callback, the `contract` of its output.
    """
    head, field = situation.head, TEXT_FIELD[wait.kind]
    detail = {
        "id": wait.id,
        "answerAt": f"/{wait.kind}s/{wait.id}",
        "runId": head.run,
        "plan": head.plan,
        "version": head.version,
        "nodeId": wait.node,
        "activationId": wait.activation,
        "scope": wait.scope,
        field: question.text,
        "approvers": list(wait.approvers) or None,
        "contract": contract_json(wait.output),
        "messageId": wait.message,
        "askedAt": wait.asked_at,
        "loopstep": depth_of(head),
        "deadline": wait.until,
    }
    publish(bus, DETAIL_TYPES[wait.kind], detail, field)


def publish(bus: EventBus, detail_type: str, detail: dict[str, Any], large: str) -> None:
    """Publish what of a detail is there. Raises NodeFailure, which another attempt may mend."""
    try:
        bus.publish(detail_type, {name: value for name, value in detail.items() if value is not None}, large)
    except NotPublished as error:
        raise NodeFailure(NODE_CRASHED, f"the event bus did not take the event: {error}") from None


def depth_of(head: Head) -> dict[str, int] | None:
    """What an event says of the runs that led to it, so that a chain of triggers ends."""
    return {"depth": head.depth} if head.depth else None


def contract_json(fields: dict[str, Any] | None) -> dict[str, Any] | None:
    """A contract of a spec, in which Schemas may be brief, as a document would write it."""
    if fields is None:
        return None
    return {name: Schema.from_json(schema).to_json() for name, schema in fields.items()}
