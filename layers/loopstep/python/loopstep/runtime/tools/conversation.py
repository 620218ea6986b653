"""The messages of a tool loop, kept under the size that a model takes: the oldest give way, with a mark.

Of a reply only what was understood goes back to the model: its text and the calls that were answered, under ids that
are valid and stand once each.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from loopstep.gateways.models import Message, ToolResult, results
from loopstep.runtime.tools.limits import CONVERSATION_BYTES, SAID_CHARACTERS
from loopstep.runtime.tools.weight import cut, readable, text_bytes, weight

LEFT_OUT = "[left out: the conversation became too long]"

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # of a tool and of a call, as Converse has them
_SMALL = 400  # bytes of an input that stays as it is
_BRIEF = 400  # characters of an old text


class Answered(NamedTuple):
    """A call and its result. `input` is what is told again: {} where it was not fit to be."""

    id: str
    name: str
    input: dict[str, Any]
    result: str
    failed: bool


class _Round(NamedTuple):
    text: str
    answered: tuple[Answered, ...]

    @property
    def size(self) -> int:
        inputs = sum(weight(each.input, 64) + len(each.name) + len(each.id) for each in self.answered)
        return text_bytes(self.text) + inputs + sum(text_bytes(each.result) for each in self.answered)

    def without_results(self) -> _Round:
        answered = [
            each if len(each.result) <= len(LEFT_OUT) else each._replace(result=LEFT_OUT) for each in self.answered
        ]
        return self._replace(answered=tuple(answered))

    def brief(self) -> _Round:
        answered = [
            each if weight(each.input, 64) <= _SMALL else each._replace(input={"left_out": LEFT_OUT})
            for each in self.without_results().answered
        ]
        return _Round(cut(self.text, _BRIEF), tuple(answered))


class Conversation:
    """Begins with messages that stay; then one round after the other, what the model said and what it heard."""

    def __init__(self, begin: tuple[Message, ...]) -> None:
        self._begin = begin
        self._rounds: list[_Round] = []
        self._sizes: list[int] = []
        self._ids: set[str] = set()
        self._number = 0
        self._room = CONVERSATION_BYTES - sum(weight(message, 64) for message in begin)

    def add(self, text: str, answered: list[Answered]) -> bool:
        """Add a round and make room for it; False where there is none to make."""
        named = [each._replace(id=self._id(each.id)) for each in answered]
        self._rounds.append(_Round(cut(text, SAID_CHARACTERS), tuple(named)))
        self._sizes.append(self._rounds[-1].size)
        return self._fit()

    def messages(self) -> tuple[Message, ...]:
        """All of it, as a request carries it."""
        told = [message for each in self._rounds for message in _messages(each)]
        return (*self._begin, *told)

    def _id(self, own: str) -> str:
        """The call's own id, or one of ours where it is no id or taken: nine digits, which every model takes."""
        free = own
        while free in self._ids or not _NAME.fullmatch(free):
            self._number += 1
            free = f"{self._number:09d}"
        self._ids.add(free)
        return free

    def _fit(self) -> bool:
        for shorten in (_Round.without_results, _Round.brief):
            for number in range(len(self._rounds) - 1):  # the newest stays whole
                if sum(self._sizes) <= self._room:
                    return True
                self._rounds[number] = shorten(self._rounds[number])
                self._sizes[number] = self._rounds[number].size
        return sum(self._sizes) <= self._room


def _messages(each: _Round) -> list[Message]:
    """What the model said and what it heard, in Converse's form. A text of blanks is no text there."""
    said: list[dict[str, Any]] = [{"text": each.text}] if each.text.strip() else []
    for call in each.answered:
        said.append({"toolUse": {"toolUseId": call.id, "name": tool_name(call.name), "input": call.input}})
    heard = [ToolResult(call.id, call.result, call.failed) for call in each.answered]
    return [{"role": "assistant", "content": said}, results(heard)]


def tool_name(name: str) -> str:
    """A name that a request may carry: a model can make up one that is none."""
    known = readable(name)
    return known if _NAME.fullmatch(known) else "unknown_tool"
