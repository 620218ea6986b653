"""Read what is registered, and take it out again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopstep.registry.records import SOURCE, Entry, Head, Version
from loopstep.registry.store import RegistryStore, UnknownEntry
from loopstep.services import paging
from loopstep.services.refusals import Conflicting, Unknown
from loopstep.types.forms import LONGEST_SCOPE

ATTEMPTS = 24  # each lost race means that somebody else's version was stored


def get_entry(registry: RegistryStore, kind: str, id: str) -> dict[str, Any]:
    """The newest version with its content. Raises Unknown `<kind>.unknown`."""
    head = _head(registry, kind, id)
    entry = registry.get(kind, id, head.latest)
    return {**shown(head), **entry.content}


def get_entry_version(registry: RegistryStore, kind: str, id: str, number: int) -> dict[str, Any]:
    """One version with its content, also of what is removed. Raises Unknown `<kind>.version_unknown`."""
    try:
        return shown_version(registry.get(kind, id, number))
    except UnknownEntry:
        raise Unknown(f"{kind}.version_unknown", f"The {kind} {id} has no version {number}.") from None


def list_entries(registry: RegistryStore, kind: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, by id."""
    listing = ["registry", kind]
    heads, after = registry.page(kind, limit, paging.take(listing, cursor, str, LONGEST_SCOPE))
    return {"items": [shown(head) for head in heads], "next": paging.give(listing, after)}


def list_entry_versions(registry: RegistryStore, kind: str, id: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, the newest first, also of what is removed. Raises Unknown `<kind>.unknown`."""
    listing = ["registry", kind, id]
    versions, before = registry.versions(kind, id, limit, paging.take(listing, cursor, int))
    if not versions and registry.head(kind, id) is None:
        raise unknown_entry(kind, id)
    return {"items": [_version(each) for each in versions], "next": paging.give(listing, before)}


def remove_entry(
    registry: RegistryStore, kind: str, id: str, owner: str, now: Callable[[], str], pause: Callable[[int], None]
) -> None:
    """No new plan version can use it from now on. Raises Unknown `<kind>.unknown`, Conflicting `registry.conflict`."""
    for attempt in range(1, ATTEMPTS + 1):
        if registry.remove(_head(registry, kind, id), owner, now()):
            return
        pause(attempt)
    raise Conflicting("registry.conflict", f"Others kept changing the {kind} {id} at the same time.")


def shown(head: Head) -> dict[str, Any]:
    """What lists show."""
    brief = {"id": head.id, "version": head.latest, "name": head.title, "description": head.description}
    source = {"kind": head.label, "enabled": head.enabled} if head.kind == SOURCE else {}
    return {**brief, **source, "createdAt": head.created_at, "updatedAt": head.updated_at}


def shown_version(entry: Entry) -> dict[str, Any]:
    """One version."""
    return {"id": entry.id, "version": entry.version, **entry.content}


def unknown_entry(kind: str, id: str) -> Unknown:
    """Nothing of that kind is registered under that id."""
    return Unknown(f"{kind}.unknown", f"There is no {kind} {id}.")


def _head(registry: RegistryStore, kind: str, id: str) -> Head:
    head = registry.head(kind, id)
    if head is None or head.removed:
        raise unknown_entry(kind, id)
    return head


def _version(version: Version) -> dict[str, Any]:
    return {"id": version.id, "version": version.number, "digest": version.digest, "createdAt": version.created_at}
