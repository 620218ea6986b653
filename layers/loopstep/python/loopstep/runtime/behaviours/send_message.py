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
from loopstep.runtime.announcing import announce, depth_of, publish
from loopstep.runtime.behaviour import Behaviour, Effect, Question, Situation
from loopstep.runtime.scopes import Scopes, checked_scope
from loopstep.runtime.times import milliseconds

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

    def __init__(self, bus: EventBus, scopes: Scopes | None = None) -> None:
        self._bus, self._scopes = bus, scopes

    def prepare(self, data: dict[str, Any]) -> _Config:
        scope, text = compile_tree(data["scope"]), compile_template(data["text"])
        return _Config(scope, text, bool(data.get("thread")), data.get("output", {}))

    def ready(self, situation: Situation) -> tuple[str, str]:
        config: _Config = situation.spec.config
        return checked_scope(config.scope(situation.data), self._scopes), config.text(situation.data)

    def act(self, situation: Situation, ready: tuple[str, str]) -> Effect:
        message = _message(situation, *ready)
        self._count(situation, message.scope)
        self._publish(situation, message)
        output = {"messageId": message.id, "threadId": message.thread} if message.thread else None
        return Effect("completed", output=output, message=message)

    def ask(self, situation: Situation, ready: tuple[str, str]) -> Question:
        config: _Config = situation.spec.config
        return Question(CALLBACK, *ready, output=config.output, message=_message(situation, *ready))

    def announce(self, situation: Situation, question: Question, wait: Wait) -> None:
        assert question.message is not None
        self._count(situation, question.scope)
        self._publish(situation, question.message)
        announce(self._bus, situation, question, wait)

    def _count(self, situation: Situation, scope: str) -> None:
        if self._scopes is not None:
            self._scopes.count(scope, situation.head.run, situation.activation)

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
            "loopstep": depth_of(head),
        }
        publish(self._bus, DETAIL_TYPE, detail, "text")


def _message(situation: Situation, scope: str, text: str) -> Outgoing:
    """The message under the id that every repetition gives it."""
    config: _Config = situation.spec.config
    identity = message_id(situation.head.run, situation.activation, milliseconds(situation.first))
    return Outgoing(identity, scope, text, situation.first, identity if config.thread else None)
