"""Requests as Converse takes them, and its replies as far as they are understood.

A reply is a model's: blocks of unknown shape are left out, ids and names that the service would not take back are
replaced in the message that goes on with the conversation, and no text has half a character in it.
"""

from __future__ import annotations

import re
from typing import Any

from loopstep.gateways.models import EMPTY, Message, ModelRefused, Reply, Request, Tool, ToolCall, Usage

_IDENTITY = re.compile(r"[A-Za-z0-9_-]{1,64}")  # of a tool and of a call, as the service has them
_SURROGATE = "[\ud800-\udfff]"
_REFUSED = {"guardrail_intervened", "content_filtered"}


def arguments(request: Request) -> dict[str, Any]:
    """The arguments of `converse`; what is left out has the service's default."""
    asked: dict[str, Any] = {"modelId": request.model, "messages": list(request.messages)}
    if request.system.strip():
        asked["system"] = [{"text": request.system}]
    limits = {"maxTokens": request.max_tokens, "temperature": request.temperature}
    if limits := {name: value for name, value in limits.items() if value is not None}:
        asked["inferenceConfig"] = limits
    if request.tools:
        asked["toolConfig"] = {"tools": [_tool(each) for each in request.tools]}
    return asked


def _tool(tool: Tool) -> dict[str, Any]:
    spec = {"name": tool.name, "description": tool.description or tool.name, "inputSchema": {"json": tool.schema}}
    return {"toolSpec": spec}


def read_reply(data: Any, model: str) -> Reply | None:
    """The reply, None where there is none in the data. Raises ModelRefused for one that a guardrail stopped."""
    output = data.get("output") if isinstance(data, dict) else None
    message = output.get("message") if isinstance(output, dict) else None
    blocks = message.get("content") if isinstance(message, dict) else None
    usage, stop = _usage(data), str(data.get("stopReason", "")) if isinstance(data, dict) else ""
    if stop in _REFUSED:
        raise ModelRefused("a guardrail or the model itself stopped the answer", usage)
    if not isinstance(blocks, list):
        return None
    texts: list[str] = []
    calls: list[ToolCall] = []
    said: list[dict[str, Any]] = []
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if isinstance(text := block.get("text"), str):
            texts.append(whole(text))
            if text.strip():
                said.append({"text": texts[-1]})
        elif isinstance(use := block.get("toolUse"), dict):
            call = _call(use, {each.id for each in calls})
            calls.append(call)
            said.append({"toolUse": _told(call)})
    return Reply("".join(texts), tuple(calls), _message(said), usage, stop, model)


def _message(blocks: list[dict[str, Any]]) -> Message:
    return {"role": "assistant", "content": blocks or [{"text": EMPTY}]}


def _call(use: dict[str, Any], taken: set[str]) -> ToolCall:
    identity, name = use.get("toolUseId"), use.get("name")
    if not isinstance(identity, str) or not _IDENTITY.fullmatch(identity) or identity in taken:
        identity = next(each for each in (f"call_{number}" for number in range(len(taken) + 1)) if each not in taken)
    return ToolCall(identity, whole(name) if isinstance(name, str) else "", use.get("input"))


def _told(call: ToolCall) -> dict[str, Any]:
    """A call as the model hears of it again."""
    name = call.name if _IDENTITY.fullmatch(call.name) else "unknown"
    given = call.input if isinstance(call.input, dict) else {"value": call.input}
    return {"toolUseId": call.id, "name": name, "input": given}


def _usage(data: Any) -> Usage:
    used = data.get("usage") if isinstance(data, dict) else None
    used = used if isinstance(used, dict) else {}
    return Usage(1, _count(used.get("inputTokens")), _count(used.get("outputTokens")))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def whole(text: str) -> str:
    """The text with U+FFFD for halves of surrogate pairs, which no store and no encoder takes."""
    if text.isascii() or not re.search(_SURROGATE, text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
