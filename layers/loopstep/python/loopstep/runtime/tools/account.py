"""What the model work of one activation came to: the record that people see, and the tokens that are bounded."""

from __future__ import annotations

from typing import Any

from loopstep.gateways.models import CUT, Reply, Usage
from loopstep.runtime.tools.weight import cut, on_one_line, readable

DONE, FAILED, REFUSED = "done", "failed", "refused"

_LISTED = 100  # tool calls; what comes after these is counted
_NAME_CHARACTERS = 64
_REASON_CHARACTERS = 200
_WARNINGS = 20


class Account:
    """Counts as the work goes on, so that a node that fails in the middle has its record too."""

    def __init__(self) -> None:
        self._model = ""
        self._usage = Usage()
        self._calls: list[dict[str, str]] = []
        self._omitted = 0
        self._warnings: list[str] = []

    @property
    def tokens(self) -> int:
        """What went in and what came out, over all model calls so far."""
        return self._usage.input_tokens + self._usage.output_tokens

    def spend(self, usage: Usage, model: str = "") -> None:
        """Count model calls, whoever made them; the first `model` that says who it is names the record."""
        self._usage = self._usage.plus(usage)
        self._model = self._model or model

    def heard(self, reply: Reply) -> None:
        """Warn of a reply that is taken as the answer and is cut or empty."""
        if reply.stop == CUT:
            self.warn("the answer was cut at the model's limit")
        if not reply.text.strip():
            self.warn("the model answered with an empty text")

    def called(self, tool: str, outcome: str, reason: str = "") -> None:
        """Record one tool call. The name is the model's own word, so it is cut and made readable."""
        if len(self._calls) >= _LISTED:
            self._omitted += 1
            return
        entry = {"tool": _shown(tool, _NAME_CHARACTERS), "outcome": outcome}
        if reason:
            entry["reason"] = _shown(reason, _REASON_CHARACTERS)
        self._calls.append(entry)

    def omit(self, count: int) -> None:
        """Count calls that nothing else is told of."""
        self._omitted += count

    def warn(self, sentence: str) -> None:
        """Something that people should know and that fails nothing; each sentence once."""
        if sentence not in self._warnings and len(self._warnings) < _WARNINGS:
            self._warnings.append(sentence)

    def to_json(self) -> dict[str, Any] | None:
        """As an attempt shows it; None where no model answered and there is nothing to say beside."""
        if not (self._usage.calls or self._calls or self._omitted or self._warnings):
            return None
        made: dict[str, Any] = {
            "model": self._model,
            "calls": self._usage.calls,
            "inputTokens": self._usage.input_tokens,
            "outputTokens": self._usage.output_tokens,
        }
        if self._calls:
            made["toolCalls"] = [dict(each) for each in self._calls]
        if self._omitted:
            made["omitted"] = self._omitted
        if self._warnings:
            made["warnings"] = list(self._warnings)
        return made


def _shown(text: str, most: int) -> str:
    return on_one_line(cut(readable(text), most, "…"))
