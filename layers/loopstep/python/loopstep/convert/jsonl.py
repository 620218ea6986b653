"""`loopstep convert --jsonl`: one conversion a line (ARCHITECTURE §6)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from loopstep.convert.registry import convert


def lines(asked: Iterable[str]) -> Iterator[str]:
    """For every line `{kind, to, mode?, topK?, value}` one line `{value, reason}`; blank lines are passed over."""
    for line in asked:
        if line.strip():
            yield written(_answer(line), {"value": None, "reason": "unsupported"})


def written(answer: dict[str, Any], otherwise: dict[str, Any]) -> str:
    """The answer as a line of JSON; `otherwise` for what no JSON can say (too deep, not finite)."""
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair has no UTF-8
        text = json.dumps(answer, allow_nan=False)
    except (RecursionError, ValueError):
        text = json.dumps(otherwise)
    return text


def _answer(line: str) -> dict[str, Any]:
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return {"value": None, "reason": "not_json"}
    if not isinstance(asked, dict):
        return {"value": None, "reason": "not_json"}
    kind, to = str(asked.get("kind", "value")), str(asked.get("to"))
    mode, top_k = asked.get("mode"), asked.get("topK")
    top_k = top_k if isinstance(top_k, int) else None
    value, reason = convert(asked.get("value"), kind, to, None if mode is None else str(mode), top_k)
    return {"value": value, "reason": reason}
