"""The one port to language models: a request in, a reply out, two ways to fail (CANVAS §3).

What a model says is untrusted. A Reply holds it as plain data: texts that can be stored, calls of tools that nobody has
checked yet. `gateways.bedrock` is the adapter; node functions get theirs from `runtime.composition.models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

Message = dict[str, Any]  # as Amazon Bedrock's Converse has it: {"role", "content": [blocks]}

EMPTY = "(empty)"  # stands for a text without a visible character, which Converse refuses
ANSWERED, TOOLS, CUT = "end_turn", "tool_use", "max_tokens"  # the usual values of `Reply.stop`


class Tool(NamedTuple):
    """What the model may call; `schema` is the JSON Schema of its input, an object."""

    name: str
    description: str
    schema: dict[str, Any]


class ToolCall(NamedTuple):
    """A call that the model asks for, as it said it: `name` may be no tool's and `input` any JSON."""

    id: str
    name: str
    input: Any


class ToolResult(NamedTuple):
    """The answer to the call of that id; `failed` tells the model that it was not done."""

    id: str
    text: str
    failed: bool = False


class Usage(NamedTuple):
    """What was used: answered calls of the model, and tokens as the model's service counts them."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


NONE = Usage()


class Request(NamedTuple):
    """One call. `model` "" is the stack's, `messages` begin with one of the user, `max_tokens` bounds the answer.

    `temperature` is a wish: it is left out for a model that takes none.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None


class Reply(NamedTuple):
    """What came back. `message` goes on with the conversation, `stop` says why the answer ends, `model` who gave it."""

    text: str
    calls: tuple[ToolCall, ...]
    message: Message
    usage: Usage
    stop: str = ANSWERED
    model: str = ""


class ModelUnavailable(Exception):
    """No answer came, another try may bring one; a sentence without data."""

    def __init__(self, message: str, usage: Usage = NONE) -> None:
        super().__init__(message)
        self.usage = usage


class ModelRefused(Exception):
    """The model or a guardrail does not take the request, and would not take it again; a sentence without data."""

    def __init__(self, message: str, usage: Usage = NONE) -> None:
        super().__init__(message)
        self.usage = usage


class Models(Protocol):
    """Whoever answers requests."""

    def converse(self, request: Request, seconds: float) -> Reply:
        """The reply, within that many seconds. Raises ModelUnavailable and ModelRefused, nothing else."""
        ...


def user(text: str) -> Message:
    """A message of the user."""
    return {"role": "user", "content": [{"text": text if text.strip() else EMPTY}]}


def assistant(text: str) -> Message:
    """A message of the model that was no more than this text."""
    return {"role": "assistant", "content": [{"text": text if text.strip() else EMPTY}]}


def results(answers: Sequence[ToolResult]) -> Message:
    """The message that answers all calls of the reply before it, in their order."""
    return {"role": "user", "content": [_result(each) for each in answers]}


def _result(answer: ToolResult) -> dict[str, Any]:
    text = answer.text if answer.text.strip() else EMPTY
    status = "error" if answer.failed else "success"
    return {"toolResult": {"toolUseId": answer.id, "content": [{"text": text}], "status": status}}
