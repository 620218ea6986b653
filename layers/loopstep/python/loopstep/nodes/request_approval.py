"""`request_approval`: waits for a person's decision (LANGUAGE §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import DURATION, TEMPLATE, TEXTS, VALUE, Field
from loopstep.nodes.node_type import NodeType, exits
from loopstep.types.schema import Fields, Schema

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView

ANSWER_TIMEOUT = 7 * 86_400  # seconds: P7D

DECISION: Fields = {
    "decision": Schema("string", required=True, enum=("approved", "rejected"), description="What was decided."),
    "decidedBy": Schema("string", required=True, description="Who decided."),
    "decidedAt": Schema("datetime", required=True, description="When."),
    "comment": Schema("string", description="What was said with it."),
}


def outputs(node: NodeView) -> dict[str, Fields] | None:
    """The decision, either way."""
    return {"approved": DECISION, "rejected": DECISION}


def wait(node: NodeView) -> int | None:
    """How long the decision is awaited."""
    timeout: int = node.config.get("timeout", ANSWER_TIMEOUT)
    return timeout


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """Who is asked what; `approvers` left out: anyone."""
    made: dict[str, Any] = {
        "scope": lower.value(node.config["scope"]),
        "summary": lower.template(node.config["summary"], False),
    }
    if node.config.get("approvers"):
        made["approvers"] = list(node.config["approvers"])
    return made


REQUEST_APPROVAL = NodeType(
    name="request_approval",
    config_key="requestApproval",
    summary="Asks for a decision and waits until it is made.",
    ports="approved, rejected, timed_out, failed",
    exposes="on approved and rejected: decision, decidedBy, decidedAt, comment (optional)",
    fields=(
        Field("scope", VALUE, "Where the request is announced.", required=True, schema=Schema("scope", required=True)),
        Field("summary", TEMPLATE, "What is to be decided.", required=True),
        Field("approvers", TEXTS, "Who may decide; left out: anyone."),
        Field("timeout", DURATION, "How long the decision is awaited (default P7D); then `timed_out`."),
    ),
    exits=exits("approved", "rejected", "timed_out", "failed"),
    spec=spec,
    outputs=outputs,
    wait=wait,
    acts_outside=True,
    notes=(
        "**Two timeouts.** `requestApproval.timeout` bounds the wait for the decision and leads to `timed_out`; the "
        "node's own `timeout`, beside it, bounds an attempt to ask.",
        "**Approvers** are compared as texts with who decides, upper and lower case apart. An empty list is "
        "refused: left out, anyone may decide.",
    ),
)
