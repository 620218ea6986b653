"""`send_message`: stores a message with the activation's record, and publishes it on the bus (LANGUAGE §7).

With `completion: callback` it then waits for one answer, under a task token (`runtime.waiting`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.expressions.render import compile_template
from loopstep.gateways.events import EventBus
from loopstep.runs.keys import message_id
from loopstep.runs.records import Outgoing
from loopstep.runs.waits import CALLBACK, Wait
from loopstep.runtime.announcing import announce, publish
from loopstep.runtime.behaviour import Behaviour, Effect, Question, Situation
from loopstep.runtime.failures import SCOPE_UNKNOWN, NodeFailure
from loopstep.runtime.times import milliseconds
from loopstep.types.forms import is_scope

DETAIL_TYPE = "loopstep.message"


class _Config(NamedTuple):
    scope: Closure
    text: Callable[[dict[str, Any]], str]
    thread: bool
    output: dict[str, Any]  # contract of the answer


class SendMessage(Behaviour):
    """Published at least once under the message's id, then stored exactly once with the record.

    The id and `sentAt` come from the first recorded attempt, so every repetition publishes the same event. A receiver
    that is told to fetch a long text may be faster than the record and asks again.
    """

    acts_outside = True

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus

    def prepare(self, data: dict[str, Any]) -> _Config:
        scope, text = compile_tree(data["scope"]), compile_template(data["text"])
        return _Config(scope, text, bool(data.get("thread")), data.get("output", {}))

    def ready(self, situation: Situation) -> tuple[str, str]:
        config: _Config = situation.spec.config
        scope = config.scope(situation.data)
        if not isinstance(scope, str) or not is_scope(scope):
            raise NodeFailure(SCOPE_UNKNOWN, "a scope is a text of 1 to 256 characters")
        return scope, config.text(situation.data)

    def act(self, situation: Situation, ready: tuple[str, str]) -> Effect:
        message = _message(situation, *ready)
        self._publish(situation, message)
        output = {"messageId": message.id, "threadId": message.thread} if message.thread else None
        return Effect("completed", output=output, message=message)

    def ask(self, situation: Situation, ready: tuple[str, str]) -> Question:
        config: _Config = situation.spec.config
        return Question(CALLBACK, *ready, output=config.output, message=_message(situation, *ready))

    def announce(self, situation: Situation, question: Question, wait: Wait) -> None:
        assert question.message is not None
        self._publish(situation, question.message)
        announce(self._bus, situation, question, wait)

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
        publish(self._bus, DETAIL_TYPE, detail, "text")


def _message(situation: Situation, scope: str, text: str) -> Outgoing:
    """The message under the id that every repetition gives it."""
    config: _Config = situation.spec.config
    identity = message_id(situation.head.run, situation.activation, milliseconds(situation.first))
    return Outgoing(identity, scope, text, situation.first, identity if config.thread else None)
