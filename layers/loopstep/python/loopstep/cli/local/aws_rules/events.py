"""EventBridge: the size and form of what is put on a bus; the scheduler looks every second."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import sizes
from .emulated import UnexpectedEmulator, eventbridge, refusal, scheduler, sfn, wrap

SWEEP = 1  # seconds; AWS starts a schedule within its minute, the emulator looked every ten seconds
TIME = 14  # bytes that a Time counts


def apply() -> None:
    """Patch the emulator."""
    wrap(eventbridge, "_put_events", limited_put)
    if scheduler._SCHEDULE_TICK_INTERVAL != 10:
        raise UnexpectedEmulator("the scheduler does not look every ten seconds")
    scheduler._SCHEDULE_TICK_INTERVAL = SWEEP


def limited_put(original: Callable[..., Any]) -> Callable[..., Any]:
    """PutEvents: 256 KiB for the entries together ("Calculating event entry size"), Detail is a JSON object."""

    def put(data: Any, allow_aws_source: Any = False) -> Any:
        entries = data.get("Entries", [])
        if not allow_aws_source and sum(map(entry_size, entries)) > sizes.EVENTS:
            text = f"Total size of the entries in the request is over the limit: {sizes.EVENTS}"
            return refusal("ValidationException", text)
        broken = {index for index, entry in enumerate(entries) if not is_detail(entry.get("Detail"))}
        if not broken:
            return original(data, allow_aws_source)
        return _put_the_others(original, data, allow_aws_source, broken)

    return put


def _put_the_others(original: Callable[..., Any], data: Any, allow_aws_source: Any, broken: set[int]) -> Any:
    entries = data["Entries"]
    good = [entry for index, entry in enumerate(entries) if index not in broken]
    status, headers, body = original({**data, "Entries": good}, allow_aws_source)
    answer = json.loads(body)
    results = iter(answer.get("Entries", []))
    refused = {"ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed."}
    merged = [refused if index in broken else next(results) for index in range(len(entries))]
    failed = answer.get("FailedEntryCount", 0) + len(broken)
    return (
        sfn.json_response({"FailedEntryCount": failed, "Entries": merged}) if status == 200 else (status, headers, body)
    )


def entry_size(entry: dict[str, Any]) -> int:
    """Bytes of an entry, as PutEvents counts them."""
    texts = [entry.get("Source"), entry.get("DetailType"), entry.get("Detail"), *(entry.get("Resources") or [])]
    return sum(sizes.bytes_of(text) for text in texts if text) + (TIME if entry.get("Time") else 0)


def is_detail(text: Any) -> bool:
    """Whether it is a JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except (TypeError, ValueError):
        return False
