"""`send_message`: stores a message with the activation's record, and publishes it on the bus (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.expressions.render import compile_template
from loopstep.gateways.events import EventBus, NotPublished
from loopstep.runs.keys import message_id
from loopstep.runs.records import Outgoing
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import NODE_CRASHED, SCOPE_UNKNOWN, NodeFailure
from loopstep.runtime.times import milliseconds
from loopstep.types.forms import is_scope

DETAIL_TYPE = "loopstep.message"


class _Config(NamedTuple):
    scope: Closure
    text: Callable[[dict[str, Any]], str]
    thread: bool


class SendMessage(Behaviour):
    """Published at least once under the message's id, then stored exactly once with the record.

    The id and `sentAt` come from the first recorded attempt, so every repetition publishes the same event. A receiver
    that is told to fetch a long text may be faster than the record and asks again.
    """

    acts_outside = True

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus

    def prepare(self, data: dict[str, Any]) -> _Config:
        return _Config(compile_tree(data["scope"]), compile_template(data["text"]), bool(data.get("thread")))

    def ready(self, situation: Situation) -> tuple[str, str]:
        config: _Config = situation.spec.config
        scope = config.scope(situation.data)
        if not isinstance(scope, str) or not is_scope(scope):
            raise NodeFailure(SCOPE_UNKNOWN, "a scope is a text of 1 to 256 characters")
        return scope, config.text(situation.data)

    def act(self, situation: Situation, ready: tuple[str, str]) -> Effect:
        scope, text = ready
        config: _Config = situation.spec.config
        run = situation.head.run
        identity = message_id(run, situation.activation, milliseconds(situation.first))
        message = Outgoing(identity, scope, text, situation.first, identity if config.thread else None)
        self._publish(situation, message)
        output = {"messageId": identity, "threadId": identity} if config.thread else None
        return Effect("completed", output=output, message=message)

    def _publish(self, situation: Situation, message: Outgoing) -> None:
        head = situation.head
        detail = {
            "messageId": message.id,
            "runId": head.run,
            "plan": head.plan,
            "version": head.version,
            "nodeId": situation.spec.node,
            "activationId": situation.activation,
            "scope": message.scope,
            "sentAt": message.sent_at,
            "threadId": message.thread,
            "text": message.text,
        }
        try:
            self._bus.publish(DETAIL_TYPE, {name: value for name, value in detail.items() if value is not None}, "text")
        except NotPublished as error:
            raise NodeFailure(NODE_CRASHED, f"the event bus did not take the message: {error}") from None
