"""What a store found instead of what a condition demanded. The store says what happened, callers what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopstep.runs.records import Activation, Head


class StoreError(Exception):
    """Base of everything here; carries codes and ids, never values."""


class RunNotFound(StoreError):
    """No run has this id."""


class RunExists(StoreError):
    """Another request has created a run of this id; `found` is its head."""

    def __init__(self, found: Head) -> None:
        super().__init__(found.run)
        self.found = found


class RunNotOpen(StoreError):
    """The run has ended, is not started, or runs in another epoch: nothing may be committed to it.

    `status` and `epoch` are those found, None where a fence gave no more than the refusal.
    """

    def __init__(self, run: str, status: str | None = None, epoch: int | None = None) -> None:
        super().__init__(run)
        self.run = run
        self.status = status
        self.epoch = epoch


class NothingToReopen(StoreError):
    """A redrive of this run would end as the run did: no failure is behind its end that could go another way."""


class ActivationClosed(StoreError):
    """Somebody else has closed the activation; `found` is its record."""

    def __init__(self, found: Activation) -> None:
        super().__init__(found.id)
        self.found = found


class AttemptTaken(StoreError):
    """Another invocation has recorded this attempt: read again and decide again."""


class StateMoved(StoreError):
    """Another commit has changed the state since it was read: read again, evaluate again."""


class RegionDecided(StoreError):
    """The join of a region around the activation is decided: nothing may be committed inside any more."""


class Contended(StoreError):
    """The database kept refusing for contention or throttling; nothing was written, and trying again is safe."""


class BadPageToken(StoreError):
    """A paging token that this listing did not give out."""
