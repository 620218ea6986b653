"""`request_approval`: asks for a decision and waits until it is made (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.expressions.render import compile_template
from loopstep.gateways.events import EventBus
from loopstep.runs.waits import APPROVAL, Wait
from loopstep.runtime.announcing import announce
from loopstep.runtime.behaviour import Behaviour, Question, Situation
from loopstep.runtime.scopes import Scopes, checked_scope


class _Config(NamedTuple):
    scope: Closure
    summary: Callable[[dict[str, Any]], str]
    approvers: tuple[str, ...]


class RequestApproval(Behaviour):
    """Records and publishes the request; whoever decides leaves through `approved` or `rejected`."""

    acts_outside = True

    def __init__(self, bus: EventBus, scopes: Scopes | None = None) -> None:
        self._bus, self._scopes = bus, scopes

    def prepare(self, data: dict[str, Any]) -> _Config:
        approvers = tuple(data.get("approvers", ()))
        return _Config(compile_tree(data["scope"]), compile_template(data["summary"]), approvers)

    def ready(self, situation: Situation) -> tuple[str, str]:
        config: _Config = situation.spec.config
        return checked_scope(config.scope(situation.data), self._scopes), config.summary(situation.data)

    def ask(self, situation: Situation, ready: tuple[str, str]) -> Question:
        config: _Config = situation.spec.config
        return Question(APPROVAL, *ready, approvers=config.approvers)

    def announce(self, situation: Situation, question: Question, wait: Wait) -> None:
        if self._scopes is not None:
            self._scopes.count(question.scope, situation.head.run, situation.activation)
        announce(self._bus, situation, question, wait)
