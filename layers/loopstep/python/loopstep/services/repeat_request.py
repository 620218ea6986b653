"""Do a request once, however often it comes under one Idempotency-Key; a repetition gets the first answer again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from loopstep.access.actor import Actor
from loopstep.runs.replies import Reply, ReplyStore
from loopstep.services.refusals import Conflicting

# What tells only that nothing was done leaves the key free: the request may be mended, or tried again.
_PASSING = (400, 413, 429)
IN_PROGRESS = "idempotency.in_progress"


@dataclass(frozen=True, slots=True)
class Repeating:
    """`new_owner` gives a random text."""

    replies: ReplyStore
    new_owner: Callable[[], str]


def once(
    repeating: Repeating, id: str, request: str, act: Callable[[], Reply], lost: Callable[[Exception], None]
) -> tuple[Reply, bool]:
    """The answer, and whether it is an earlier one. `id` names key, caller and address, `request` the content.

    `lost` hears why an answer could not be kept; what was done stays done. Raises Conflicting `idempotency.conflict`
    for another request under the key, `idempotency.in_progress` while the first one goes on.
    """
    owner = repeating.new_owner()
    found = repeating.replies.claim(id, request, owner)
    if found is not None:
        if found.request != request:
            raise other_request()
        if found.reply is None:
            raise Conflicting(IN_PROGRESS, "The first request with this Idempotency-Key is still going on.")
        return found.reply, True
    reply = act()
    try:
        if reply.status >= 500 or reply.status in _PASSING:
            repeating.replies.free(id, owner)
        else:
            repeating.replies.keep(id, owner, reply)
    except Exception as error:
        lost(error)
    return reply, False


def key_of(actor: Actor, address: str, key: str) -> str:
    """What an Idempotency-Key names: it is the caller's own, and counts for one method and path."""
    return digest_of(actor.kind, actor.id, address, key)


def digest_of(*parts: str) -> str:
    """SHA-256 of some texts, told apart, in hex."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def other_request() -> Conflicting:
    """Another request under a key that is taken."""
    return Conflicting("idempotency.conflict", "Another request was made with this Idempotency-Key.")
