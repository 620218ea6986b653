"""What an attempt used of models, as its record keeps it: never so large that the record has no room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loopstep.runs.items import compact
from loopstep.runs.records import Attempt

LARGEST = 8 * 1024  # bytes of one attempt's
TOGETHER = 64 * 1024  # bytes of all attempts of a record; an item is kept under 200 KiB of 400 without them

_LISTS = ("toolCalls", "warnings")


def kept(usage: dict[str, Any] | None, earlier: Iterable[Attempt]) -> dict[str, Any] | None:
    """The usage with its last tool calls counted in `omitted` where it is too large.

    Only counts stay where what `earlier` attempts used takes the room already.
    """
    if usage is None:
        return None
    if sum(_size(each.usage) for each in earlier if each.usage) > TOGETHER - LARGEST:
        return {name: value for name, value in usage.items() if name not in _LISTS}
    usage = dict(usage)
    while _size(usage) > LARGEST and usage.get("toolCalls"):
        calls = usage["toolCalls"]
        left = len(calls) * 3 // 4
        usage |= {"toolCalls": calls[:left], "omitted": usage.get("omitted", 0) + len(calls) - left}
    if _size(usage) > LARGEST:
        usage.pop("warnings", None)
    return usage


def _size(usage: Any) -> int:
    return len(compact(usage).encode(errors="replace"))
