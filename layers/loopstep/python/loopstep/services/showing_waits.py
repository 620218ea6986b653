"""Approvals and callbacks as answers show them. The engine's task token is in none of them."""

from __future__ import annotations

from typing import Any

from loopstep.access import actor
from loopstep.runs.records import Head
from loopstep.runs.values import Stored
from loopstep.runs.waits import APPROVAL, FAILED, Wait
from loopstep.runtime.announcing import contract_json
from loopstep.services.running import Running
from loopstep.services.secrets import Paths
from loopstep.services.showing import Item, secrets_of_version, shown


def show_wait(running: Running, wait: Wait, head: Head) -> Item:
    """An approval or a callback of ARCHITECTURE §5, with what was asked, until when, and how it ended."""
    text = running.values.read(wait.text)
    item: Item = {
        "id": wait.id,
        "runId": wait.run,
        "plan": head.plan,
        "version": head.version,
        "nodeId": wait.node,
        "activationId": wait.activation,
        "status": wait.status,
        "scope": wait.scope,
        "askedAt": wait.asked_at,
        "deadline": wait.until,
        "closedAt": wait.closed_at,
        "answeredBy": actor.shown(wait.caller),
    }
    if wait.kind == APPROVAL:
        item |= {"summary": text, "approvers": list(wait.approvers) or None, **_decision(running, wait)}
        return shown(running, item, {"summary": wait.text}, {})
    item |= {"text": text, "messageId": wait.message, "contract": contract_json(wait.output), **_answer(running, wait)}
    stored: dict[str, Stored | None] = {"text": wait.text}
    hidden: dict[str, Paths] = {}
    if item["output"] is not None:
        stored["output"] = wait.answer
        secrets = secrets_of_version(running, head.plan, head.version)
        hidden["output"] = secrets["nodes"].get(wait.node, {}).get("output", [])
    return shown(running, item, stored, hidden)


def _decision(running: Running, wait: Wait) -> Item:
    made: dict[str, Any] = running.values.read(wait.answer) if wait.answer is not None else {}
    names = ("decision", "decidedBy", "decidedAt", "comment")
    return {**{name: made.get(name) for name in names}, "claimed": wait.claimed}


def _answer(running: Running, wait: Wait) -> Item:
    given = running.values.read(wait.answer) if wait.answer is not None else None
    return {"output": None, "error": given} if wait.status == FAILED else {"output": given, "error": None}
