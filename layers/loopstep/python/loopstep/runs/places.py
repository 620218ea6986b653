"""Where listings of the runs table go on: index keys as paging tokens have them, and back."""

from __future__ import annotations

from typing import Any

from loopstep.runs.errors import BadPageToken
from loopstep.runs.items import Item, text
from loopstep.runs.timeline import Place


def place_in(item: Item, sort: str) -> dict[str, str]:
    return {"at": item[sort]["S"], "run": item["run"]["S"], "sk": item["sk"]["S"]}


def table_key(place: dict[str, Any]) -> dict[str, Any]:
    return {"run": text(place["run"]), "sk": text(place["sk"])}


def place_of_start(place: Any) -> Place | None:
    if place is None:
        return None
    if not isinstance(place, list) or [type(each) for each in place] != [str, str, bool]:
        raise BadPageToken
    return Place(*place)


def start_of(place: Any, source: str) -> dict[str, Any] | None:
    if place is None:
        return None
    if not isinstance(place, dict):
        raise BadPageToken
    return plain_start(place.get(source))


def plain_start(place: Any) -> dict[str, Any] | None:
    if place is None:
        return None
    if not isinstance(place, dict) or any(not isinstance(place.get(name), str) for name in ("at", "run", "sk")):
        raise BadPageToken
    return place
