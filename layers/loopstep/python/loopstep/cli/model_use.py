"""What an activation used of models, below its line in the timeline: calls, tokens, tools, and what was odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from loopstep.cli import table

_SHOWN = 5  # refused and failed tool calls, and warnings, each


def used(activation: dict[str, Any]) -> list[str]:
    """The lines; none for an activation that asked no model."""
    uses = [each["usage"] for each in activation.get("tries") or [] if each.get("usage")]
    return list(_lines(uses)) if uses else []


def _lines(uses: list[dict[str, Any]]) -> Iterator[str]:
    calls, told, said = (sum(use[name] for use in uses) for name in ("calls", "inputTokens", "outputTokens"))
    model = next((use["model"] for use in reversed(uses) if use.get("model")), "model")
    yield f"{table.plain(model)}: {calls} {'call' if calls == 1 else 'calls'}, {told:,} tokens in, {said:,} out"
    tools = [call for use in uses for call in use.get("toolCalls") or []]
    if tools:
        yield "tools: " + ", ".join(_counted(tools))
    odd = [call for call in tools if call["outcome"] != "done"]
    yield from _some([f"{_name(call)} {call['outcome']}: {table.plain(call.get('reason') or '')}" for call in odd])
    if omitted := sum(use.get("omitted") or 0 for use in uses):
        yield f"and {omitted} tool calls that are not listed"
    yield from _some([table.plain(warning) for use in uses for warning in use.get("warnings") or []])


def _counted(tools: list[dict[str, Any]]) -> list[str]:
    counts = Counter((_name(call), call["outcome"]) for call in tools)
    return [f"{name} {outcome}" + (f" ×{count}" if count > 1 else "") for (name, outcome), count in counts.items()]


def _name(call: dict[str, Any]) -> str:
    return table.plain(call["tool"]) or "(no name)"


def _some(lines: list[str]) -> Iterator[str]:
    yield from (f"! {line}" for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"! and {len(lines) - _SHOWN} more"
