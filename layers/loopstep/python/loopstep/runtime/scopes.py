"""What the stack's registry says of a scope that a node sends to: whether it is one, and how much a run may send.

Unlike skills and agents, scopes are not pinned: who lowers a limit or takes a scope out means the plans that run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from loopstep.registry.records import SCOPE
from loopstep.runs.quotas import claim
from loopstep.runtime.failures import SCOPE_LIMIT, SCOPE_UNKNOWN, NodeFailure
from loopstep.types.forms import is_scope

if TYPE_CHECKING:
    from loopstep.registry.store import RegistryStore
    from loopstep.runs.store import RunStore

FRESH_SECONDS = 15.0  # so long a function goes by what it has read
_KEPT = 256


class _Found(NamedTuple):
    registered: bool
    most: int | None
    read_at: float


class Scopes:
    """Checks scopes. `seconds` is a clock that only moves on; `demanded`: the stack takes registered scopes only."""

    def __init__(self, registry: RegistryStore, store: RunStore, demanded: bool, seconds: Callable[[], float]) -> None:
        self._registry, self._store, self._demanded, self._seconds = registry, store, demanded, seconds
        self._found: dict[str, _Found] = {}

    def check(self, scope: str) -> None:
        """Raises NodeFailure `scope.unknown` where the stack demands registration and there is none."""
        if self._demanded and not self._look_up(scope).registered:
            raise NodeFailure(SCOPE_UNKNOWN, f"the stack has no scope {scope}")

    def count(self, scope: str, run: str, activation: str) -> None:
        """Count what is about to be sent there, once. Raises NodeFailure `scope.limit`."""
        most = self._look_up(scope).most
        if most is not None and not claim(self._store, run, scope, activation, most):
            raise NodeFailure(SCOPE_LIMIT, f"the run has sent {most} times to {scope}, which is the most it may")

    def _look_up(self, scope: str) -> _Found:
        found, now = self._found.get(scope), self._seconds()
        if found is None or now - found.read_at >= FRESH_SECONDS or (self._demanded and not found.registered):
            entry = self._registry.latest(SCOPE, scope)
            found = _Found(entry is not None, entry.content["maxPerRun"] if entry else None, now)
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[scope] = found
        return found


def checked_scope(value: object, scopes: Scopes | None) -> str:
    """The value, where it is a scope that may be sent to. Raises NodeFailure `scope.unknown`."""
    if not isinstance(value, str) or not is_scope(value):
        raise NodeFailure(SCOPE_UNKNOWN, "a scope is a text of 1 to 256 characters")
    if scopes is not None:
        scopes.check(value)
    return value
