"""What a record keeps of the models' use: all of it, as far as there is room."""

from __future__ import annotations

import json
from typing import Any

from loopstep.runs.items import attempt_text
from loopstep.runs.records import Attempt
from loopstep.runtime.usage import LARGEST, TOGETHER, kept

COUNTS = {"model": "m", "calls": 12, "inputTokens": 5, "outputTokens": 6}


def attempt(usage: Any) -> Attempt:
    return Attempt(1, 1, "2026-03-01T12:00:00.000Z", "o", usage=usage)


def size(usage: Any) -> int:
    return len(json.dumps(usage, ensure_ascii=False).encode())


def calls(count: int, reason: str = "because") -> list[dict[str, str]]:
    return [{"tool": f"t{number}", "outcome": "refused", "reason": reason} for number in range(count)]


def test_nothing_and_little_stay() -> None:
    assert kept(None, []) is None
    usage = {**COUNTS, "toolCalls": calls(3), "warnings": ["w"]}
    assert kept(usage, [attempt(usage)] * 3) == usage


def test_the_last_calls_give_way() -> None:
    usage = {**COUNTS, "toolCalls": calls(100, "ü" * 200), "omitted": 7}
    found = kept(usage, [])
    assert found is not None and size(found) <= LARGEST * 1.05
    assert found["toolCalls"] == usage["toolCalls"][: len(found["toolCalls"])]
    assert found["omitted"] + len(found["toolCalls"]) == 107
    assert len(usage["toolCalls"]) == 100


def test_warnings_give_way_last() -> None:
    found = kept({**COUNTS, "warnings": ["x" * 9000]}, [])
    assert found == COUNTS


def test_counts_stay_whatever_came_before() -> None:
    full = {**COUNTS, "toolCalls": calls(40, "r" * 100)}
    earlier: list[Attempt] = []
    for _ in range(100):
        earlier.append(attempt(kept(full, earlier)))
    together = sum(size(each.usage) for each in earlier)
    assert together < TOGETHER + 100 * size(COUNTS)
    assert all(each.usage is not None and each.usage["calls"] == 12 for each in earlier)
    assert sum(len(attempt_text(each)) for each in earlier) < 100_000
