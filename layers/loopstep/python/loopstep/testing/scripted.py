"""Models that say what a case has them say, to the node that asks."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from loopstep.gateways.models import (
    ANSWERED,
    TOOLS,
    ModelRefused,
    ModelUnavailable,
    Reply,
    Request,
    ToolCall,
    Usage,
    assistant,
)
from loopstep.testing.cases import ANY_NODE, Answer, Answers
from loopstep.testing.clock import Clock
from loopstep.testing.sleeping import sleeper

_MODEL = "scripted"
_TOKEN = 4  # characters, about
_SHOWN = 300  # characters of a request that nobody answers, its end


class ScriptedModels:
    """The port to models. `faults` has a sentence for every request that nobody had an answer for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answers: dict[str, list[Answer]] = {}
        self._left: dict[tuple[str, int], int] = {}
        self._here = threading.local()
        self._asked: dict[str, int] = {}
        self._own: dict[str, int] = {}  # how many answers are the case's own, by node
        self.faults: list[str] = []

    def load(self, own: Answers, shared: Answers) -> None:
        """Begin anew, with a case's own answers and those of its file, which come behind them."""
        self._answers, self._left, self._asked, self.faults = {}, {}, {}, []
        self._own = {node: len(answers) for node, answers in own.items()}
        for script in (own, shared):
            for node, answers in script.items():
                self._answers.setdefault(node, []).extend(answers)

    @property
    def may_sleep(self) -> bool:
        """Whether some answer takes its time."""
        return any(answer.delay for answers in self._answers.values() for answer in answers)

    def unused(self) -> list[str]:
        """A sentence for each answer of a list of the case's own that nobody asked for."""
        return [
            f"nobody asked for answer {index + 1} under models.{node}"
            for node, count in self._own.items()
            for index, answer in enumerate(self._answers[node][:count])
            if answer.times is not None and not answer.match and self._left.get((node, index), answer.times)
        ]

    def asks(self, node: str) -> None:
        """From now on it is this node that asks, in this thread."""
        self._here.node = node

    def converse(self, request: Request, seconds: float) -> Reply:
        """The next answer that fits. Raises ModelUnavailable and ModelRefused."""
        node = getattr(self._here, "node", "")
        self._asked[node] = self._asked.get(node, 0) + 1
        text = _texts(request)
        answer = self._next(node, text)
        if answer is None:
            told = _unanswered(node, self._asked[node], node in self._answers)
            self.faults.append(f"{told}; it asks: {' '.join(text.split())[-_SHOWN:]}")
            raise ModelRefused("the case has no answer for it")
        self._wait(answer.delay, seconds)
        if answer.error == "unavailable":
            raise ModelUnavailable("the model is away, the case says")
        if answer.error:
            raise ModelRefused("the model refuses, the case says")
        return _reply(request, answer)

    def _next(self, node: str, text: str) -> Answer | None:
        for name in (node, ANY_NODE):
            for index, answer in enumerate(self._answers.get(name, ())):
                left = self._left.get((name, index), answer.times)
                if left != 0 and all(part in text for part in answer.match):
                    if left is not None:
                        self._left[name, index] = left - 1
                    return answer
        return None

    def _wait(self, delay: float, seconds: float) -> None:
        invocation = sleeper()
        if invocation is not None and delay:
            invocation.sleep(lambda: self._clock.seconds, self._clock.seconds + min(delay, seconds))
        if delay > seconds:
            raise ModelUnavailable("the model did not answer in time")


def _unanswered(node: str, count: int, has_some: bool) -> str:
    if has_some:
        times = "once" if count == 1 else f"{count} times"
        return f"`{node}` asked a model {times}; no answer under models.{node} is left that fits the last request"
    return f"`{node}` asks a model; the case has no answer for it: write one under models.{node}"


def _texts(request: Request) -> str:
    blocks = [block for message in request.messages for block in message["content"]]
    return "\n".join([request.system, *(_block(block) for block in blocks)])


def _block(block: Mapping[str, Any]) -> str:
    return block["text"] if "text" in block else json.dumps(block, ensure_ascii=False)


def _reply(request: Request, answer: Answer) -> Reply:
    calls = tuple(ToolCall(f"call_{number}", name, given) for number, (name, given) in enumerate(answer.calls))
    message = assistant(answer.reply)
    if calls:
        uses = [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.input}} for call in calls]
        said = [{"text": answer.reply}] if answer.reply.strip() else []
        message = {"role": "assistant", "content": [*said, *uses]}
    usage = Usage(1, len(_texts(request)) // _TOKEN + 1, len(answer.reply) // _TOKEN + 1)
    return Reply(answer.reply, calls, message, usage, TOOLS if calls else ANSWERED, request.model or _MODEL)
