"""What callers may do, as the registry of callers and the stack's parameters say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loopstep.access.actor import Actor
from loopstep.access.roles import ADMIN, NONE, known
from loopstep.access.store import CallerStore, Registered

KEPT_SECONDS = 10.0  # that a caller's registration is believed without asking again
_MOST_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Access:
    """`mode` says how the gateway proves who calls (`key`, `iam`, `jwt`).

    `admin` is the id of the caller that may do everything whatever is registered: the stack's own key, or the ARN of
    parameter ApiAdmin; "" for none. `others` are the roles of callers without any of their own. `clock` gives seconds.
    """

    callers: CallerStore
    mode: str
    admin: str
    others: tuple[str, ...]
    now: Callable[[], str]
    new_id: Callable[[], str]
    clock: Callable[[], float]
    _kept: dict[str, tuple[float, Registered | None]] = field(default_factory=dict)

    def known(self, actor: Actor, claimed: tuple[str, ...] | None) -> tuple[Actor, tuple[str, ...]]:
        """The actor with its registered name, and its roles. `claimed` are those of a token, None where it has none."""
        if actor.id == self.admin and claimed is None:
            return actor if actor.name else actor._replace(name="admin"), (ADMIN,)
        if claimed is not None:
            return actor, claimed or self.others
        found = self._registered(actor.id)
        if found is None:
            return actor, self.others
        return actor._replace(name=found.name), found.roles

    def forget(self, id: str) -> None:
        """Ask again about this caller."""
        self._kept.pop(id, None)

    def _registered(self, id: str) -> Registered | None:
        now = self.clock()
        kept = self._kept.get(id)
        if kept is not None and now - kept[0] < KEPT_SECONDS:
            return kept[1]
        found = self.callers.get(id)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[id] = (now, found)
        return found


def compose_access(
    environment: Mapping[str, str],
    client: Callable[[str], Any],
    now: Callable[[], str],
    new_id: Callable[[], str],
    clock: Callable[[], float],
) -> Access:
    """Access from PLANS_TABLE, API_AUTH, ADMIN_CALLER and OTHER_CALLERS."""
    others = environment["OTHER_CALLERS"]
    return Access(
        callers=CallerStore(client("dynamodb"), environment["PLANS_TABLE"]),
        mode=environment["API_AUTH"],
        admin=environment["ADMIN_CALLER"],
        others=() if others == NONE else known([others]),
        now=now,
        new_id=new_id,
        clock=clock,
    )
