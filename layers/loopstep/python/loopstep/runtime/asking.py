"""Model calls of one activation: bounded by its time, counted, and failed as the plan hears of it (LANGUAGE §9)."""

from __future__ import annotations

from loopstep.gateways.models import ModelRefused, Models, ModelUnavailable, Reply, Request
from loopstep.runtime.deadline import Deadline
from loopstep.runtime.failures import MODEL_REFUSED, MODEL_UNAVAILABLE, NODE_TIMEOUT, NodeFailure
from loopstep.runtime.tools.account import Account

SHORTEST = 1.0  # seconds; with less left the model is not asked


class Asking:
    """Asks in the name of one attempt; `account` has what was used, for its outcome either way."""

    def __init__(self, models: Models, deadline: Deadline, account: Account) -> None:
        self._models, self._deadline, self.account = models, deadline, account

    def ask(self, request: Request) -> Reply:
        """The reply. Raises NodeFailure, with what was used so far."""
        left = self._deadline.seconds()
        if left < SHORTEST:
            raise self.failure(self._out_of_time(), "no time was left to ask the model")
        try:
            reply = self._models.converse(request, left)
        except ModelUnavailable as error:
            self.account.spend(error.usage, request.model)
            late = self._deadline.seconds() < SHORTEST
            raise self.failure(self._out_of_time() if late else MODEL_UNAVAILABLE, str(error)) from None
        except ModelRefused as error:
            self.account.spend(error.usage, request.model)
            raise self.failure(MODEL_REFUSED, str(error)) from None
        self.account.spend(reply.usage, reply.model)
        self.account.heard(reply)
        return reply

    def failure(self, code: str, message: str) -> NodeFailure:
        """A failure that says what was used, if anything was."""
        return NodeFailure(code, message, self.account.to_json())

    def _out_of_time(self) -> str:
        return NODE_TIMEOUT if self._deadline.of_node else MODEL_UNAVAILABLE
