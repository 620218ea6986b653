"""Register callers with their roles, list them, take them out."""

from __future__ import annotations

from typing import Any

from loopstep.access.actor import Actor, shown
from loopstep.access.roles import ADMIN
from loopstep.access.store import Registered
from loopstep.services import paging
from loopstep.services.access import Access
from loopstep.services.refusals import Conflicting, Unknown

ATTEMPTS = 5  # each lost race means that somebody else's change was stored
LONGEST_ID = 400  # characters


def put_caller(access: Access, id: str, name: str, roles: tuple[str, ...], by: Actor) -> tuple[Registered, bool]:
    """The caller as it now stands, and whether it is new.

    Raises Conflicting `key.own` where who asks would take `admin` from itself, `key.conflict`.
    """
    if ADMIN not in roles:
        _not_own(access, id, by)
    for _ in range(ATTEMPTS):
        before = access.callers.get(id)
        if before is not None and (before.name, before.roles) == (name, roles):
            return before, False
        now = access.now()
        made = Registered(id, name, roles, access.new_id(), before.created_at if before else now, now, by)
        if access.callers.put(made, before):
            access.forget(id)
            return made, before is None
    raise _conflict()


def remove_caller(access: Access, id: str, by: Actor) -> None:
    """Take a caller out. Raises Unknown `key.unknown`, Conflicting `key.own`, `key.conflict`."""
    _not_own(access, id, by)
    for _ in range(ATTEMPTS):
        if access.callers.remove(_find(access, id)):
            access.forget(id)
            return
    raise _conflict()


def get_caller(access: Access, id: str) -> dict[str, Any]:
    """One caller. Raises Unknown `key.unknown`."""
    return show(_find(access, id))


def list_callers(access: Access, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, by id. Raises Malformed `request.cursor`."""
    found, after = access.callers.page(limit, paging.take(["keys"], cursor, str, LONGEST_ID))
    return {"items": [show(each) for each in found], "next": paging.give(["keys"], after)}


def show(caller: Registered) -> dict[str, Any]:
    """As the API shows it."""
    return {
        "id": caller.id,
        "name": caller.name,
        "roles": list(caller.roles),
        "createdAt": caller.created_at,
        "updatedAt": caller.updated_at,
        "updatedBy": shown(caller.updated_by),
    }


def _find(access: Access, id: str) -> Registered:
    found = access.callers.get(id)
    if found is None:
        raise Unknown("key.unknown", "There is no caller of that id.")
    return found


def _not_own(access: Access, id: str, by: Actor) -> None:
    """Nobody may lock itself out, and with it perhaps everybody; the stack's own caller cannot be."""
    if id == by.id and id != access.admin:
        raise Conflicting("key.own", "Who calls cannot take the role admin from itself. Another admin can.")


def _conflict() -> Conflicting:
    return Conflicting("key.conflict", "Others kept changing this caller at the same time; nothing was stored.")
