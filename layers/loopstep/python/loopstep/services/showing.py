"""Records as answers show them: secrets hidden, what is too large named, pages that a reply can carry."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from loopstep.runs.paging import Page
from loopstep.runs.records import Head
from loopstep.runs.values import Pointer, Stored
from loopstep.runs.views import ActivationView, MessageView, RunView, seen_at
from loopstep.runtime.token import numbers
from loopstep.services import paging
from loopstep.services.running import Running
from loopstep.services.secrets import Paths, hide
from loopstep.services.shown_values import REPLY_BYTES, Omitted
from loopstep.services.structure import NOTHING, choice, regions_around, shown_seen

V = TypeVar("V")
Item = dict[str, Any]


def show_run(running: Running, view: RunView, listed: bool) -> Item:
    """A run of ARCHITECTURE §5. Secret input is hidden; secret output only in lists, else nobody could ever read it."""
    secrets = secrets_of_version(running, view.head.plan, view.head.version)
    hidden = {"input": secrets["input"], "output": secrets["output"] if listed else []}
    return shown(running, view.to_json(), {"input": view.head.input, "output": view.head.output}, hidden)


def show_activation(
    running: Running, head: Head, view: ActivationView, secrets: dict[str, Any], plan: dict[str, Any] = NOTHING
) -> Item:
    """An activation of ARCHITECTURE §5: `path` as a list of integers, `enclosing` regions, and the `choice` it made.

    `plan` is the version's structure.
    """
    view = seen_at(view, head, running.now())
    record = view.record
    item = view.to_json()
    item["path"] = numbers(record.path)
    item["enclosing"] = regions_around(plan, record.node, item["path"])
    item["choice"] = choice(plan, record.node, record.port, record.seen, record.read)
    item["seen"] = shown_seen(plan, record.node, record.port, record.seen)
    hidden: dict[str, Paths] = secrets["nodes"].get(record.node, {})
    stored: dict[str, Stored | None] = {"input": record.input, "output": record.output}
    for name, value in item.pop("wrote", {}).items():
        place = f"wrote.{name}"
        item[place], stored[place] = value, record.wrote[name]
        hidden = {**hidden, place: [path[1:] for path in secrets["state"] if path[0] == name]}
    item = shown(running, item, stored, hidden)
    wrote = {name: item.pop(f"wrote.{name}") for name in record.wrote}
    return {**item, "wrote": wrote} if record.rev is not None else item


def show_message(running: Running, view: MessageView) -> Item:
    """A message of ARCHITECTURE §5."""
    return shown(running, view.to_json(), {"text": view.record.text}, {})


def secrets_of_version(running: Running, plan: str, version: int) -> dict[str, Any]:
    """What the version declares secret, as `secrets.secrets_of` has it."""
    found = running.plans.version(plan, version)
    if found is None:
        return {"input": [], "output": [], "state": [], "nodes": {}}
    secrets: dict[str, Any] = json.loads(running.plans.text(found, "secrets"))
    return secrets


def structure_of_version(running: Running, plan: str, version: int) -> dict[str, Any]:
    """The version's structure, as `describe_structure` has it; nothing of one that was published without."""
    found = running.plans.version(plan, version)
    if found is None or "structure" not in found.texts:
        return NOTHING
    structure: dict[str, Any] = json.loads(running.plans.text(found, "structure"))
    return structure or NOTHING


def list_page(
    fetch: Callable[[int, str | None], Page[V]], show: Callable[[V], Item], limit: int, cursor: str | None
) -> dict[str, Any]:
    """`{items, next}` of a listing, with fewer items than asked for where more would not fit into a reply.

    Raises Malformed `request.cursor` for a cursor of another list.
    """
    while True:
        with paging.refusing():
            page = fetch(limit, cursor)
        items = [show(each) for each in page.items]
        fit = _how_many_fit(items)
        if fit == len(items):
            return {"items": items, "next": page.next}
        limit = fit


def _how_many_fit(items: list[Item]) -> int:
    total = 0
    for count, item in enumerate(items):
        total += _cost(item)
        if total > REPLY_BYTES:
            return max(1, count)
    return len(items)


def _cost(item: Item) -> int:
    """The bytes of an item in a function's reply, whose body is JSON within JSON."""
    return len(json.dumps(json.dumps(item, ensure_ascii=False)))


def shown(running: Running, item: Item, stored: dict[str, Stored | None], hidden: dict[str, Paths]) -> Item:
    """The item with secrets hidden, null for values that a reply cannot carry, and `omitted` that says where they are.

    Of a value with secrets in it no link is given.
    """
    omitted = {name: item[name] for name in stored if isinstance(item[name], Omitted)}
    item = {**item, **dict.fromkeys(omitted)}
    item = {name: hide(value, hidden.get(name, [])) for name, value in item.items()}
    movable = {name: place for name, place in stored.items() if isinstance(place, Pointer) and name not in omitted}
    for name in sorted(movable, key=lambda each: -movable[each].size):
        if _cost(item) <= REPLY_BYTES:
            break
        item[name], omitted[name] = None, running.values.leave_out(movable[name])
    if not omitted:
        return item
    links = {
        name: {"bytes": value.bytes, "url": None if hidden.get(name) else value.url} for name, value in omitted.items()
    }
    return {**item, "omitted": links}
