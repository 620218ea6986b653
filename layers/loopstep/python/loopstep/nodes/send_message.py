"""`send_message`: sends a text to a scope; may wait for an answer or open a thread (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import CHOICE, DURATION, TEMPLATE, VALUE, Field
from loopstep.nodes.node_type import INVALID_VALUE, MAY_DECLARE, Exits, NodeType, Problem, fields_json
from loopstep.types.schema import Fields, Schema

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView

SENT, CALLBACK = "sent", "callback"
ANSWER_TIMEOUT = 7 * 86_400  # seconds: P7D, for callbacks and approvals

THREAD: Fields = {
    "messageId": Schema("string", required=True, description="Id of the message that was sent."),
    "threadId": Schema("string", required=True, description="Id of the thread that was opened."),
}

_SENT = Exits(("completed", "failed"))
_CALLBACK = Exits(("completed", "timed_out", "failed"))
_EITHER = Exits(("completed", "timed_out", "failed"), exempt=("timed_out", "failed"))


def exits(node: NodeView) -> Exits:
    """`timed_out` only where an answer is awaited."""
    return {SENT: _SENT, CALLBACK: _CALLBACK}.get(node.config.get("completion", ""), _EITHER)


def outputs(node: NodeView) -> dict[str, Fields] | None:
    """The declared answer, with the thread's ids added."""
    completion = node.config.get("completion")
    if completion is None or not node.broken.isdisjoint(("thread", "output")):
        return None
    fields = dict(node.output or {}) if completion == CALLBACK else {}
    if "thread" in node.config:
        fields.update(THREAD)
    return {"completed": fields} if completion == CALLBACK or fields else {}


def problems(node: NodeView) -> Iterator[Problem]:
    """An output and a time to wait for need an answer; the thread's own fields are not to be declared again."""
    if node.config.get("completion") == SENT and "timeout" in node.config:
        message = "`timeout` bounds the wait for an answer, and this message waits for none"
        hint = "set `completion: callback`, or write it beside `sendMessage` to bound an attempt"
        yield Problem(INVALID_VALUE, ("sendMessage", "timeout"), message, hint)
    if node.output is None:
        return
    if node.config.get("completion") == SENT:
        message = "a message that waits for no answer has no declared output"
        yield Problem(INVALID_VALUE, ("output",), message, "set `completion: callback` to wait for an answer")
    elif "thread" in node.config:
        for name in THREAD.keys() & node.output.keys():
            yield Problem(INVALID_VALUE, ("output", name), f"`thread: open` adds `{name}` to the output itself")


def wait(node: NodeView) -> int | None:
    """How long an answer is awaited."""
    timeout: int = node.config.get("timeout", ANSWER_TIMEOUT)
    return timeout if node.config.get("completion") == CALLBACK else None


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """Where to, what, and whether to wait."""
    made: dict[str, Any] = {
        "scope": lower.value(node.config["scope"]),
        "text": lower.template(node.config["text"], False),
    }
    if node.config["completion"] == CALLBACK:
        made["completion"] = CALLBACK
        made["output"] = fields_json(node.output or {})
    if "thread" in node.config:
        made["thread"] = True
    return made


SEND_MESSAGE = NodeType(
    name="send_message",
    config_key="sendMessage",
    summary="Sends a text to a scope, and may wait for one answer or open a thread.",
    ports="completed, failed; with callback also timed_out",
    exposes="with `completion: callback` the declared output; with `thread: open` also messageId and threadId",
    fields=(
        Field("scope", VALUE, "Where the message goes.", required=True, schema=Schema("scope", required=True)),
        Field("text", TEMPLATE, "The message.", required=True),
        Field(
            "completion", CHOICE, "Done when sent, or when the answer is there.", choices=(SENT, CALLBACK), default=SENT
        ),
        Field("thread", CHOICE, "Opens a thread, whose ids become output.", choices=("open",)),
        Field(
            "timeout",
            DURATION,
            "With callback: how long the answer is awaited (default P7D); then `timed_out`.",
            only_with=("completion", CALLBACK),
        ),
    ),
    exits=exits,
    spec=spec,
    declares_output=MAY_DECLARE,
    outputs=outputs,
    problems=problems,
    wait=wait,
    acts_outside=True,
    notes=(
        "**Two timeouts.** `sendMessage.timeout` bounds the wait for an answer, so it needs `completion: callback`; "
        "the node's own `timeout`, beside it, bounds an attempt to send.",
        "**An answer** is taken once, and only if it satisfies the declared `output`; an error that the receiver "
        "sends leaves through `failed` with its code ([how](../api.md#people)).",
    ),
)
