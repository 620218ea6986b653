"""Decide an approval: once, by one of its approvers (ARCHITECTURE §5)."""

from __future__ import annotations

from typing import NamedTuple

from loopstep.access.actor import Actor
from loopstep.runs.waits import APPROVAL, APPROVED, REJECTED
from loopstep.runtime.behaviour import Effect
from loopstep.runtime.settling import Outcome
from loopstep.services.answering import find_wait, refuse_closed, settle
from loopstep.services.refusals import Forbidden
from loopstep.services.running import Running
from loopstep.services.showing import Item


class Verdict(NamedTuple):
    """A decision. `by` is who decides; `claimed`: by their own word, not by a proof of the caller's identity.

    `caller` is who sent it.
    """

    approved: bool
    by: str
    comment: str | None = None
    claimed: bool = True
    caller: Actor | None = None


def decide_approval(running: Running, identity: str, verdict: Verdict) -> Item:
    """The decided approval.

    Raises Unknown `approval.unknown`; Conflicting `approval.decided` with the decision that stands; Gone
    `approval.over`; Forbidden `approval.not_allowed` for somebody who is none of its approvers.
    """
    wait = find_wait(running, APPROVAL, identity)
    refuse_closed(running, wait)
    if wait.approvers and verdict.by not in wait.approvers:
        raise Forbidden("approval.not_allowed", "Only its approvers may decide this approval.")
    status = APPROVED if verdict.approved else REJECTED
    decision = {"decision": status, "decidedBy": verdict.by, "decidedAt": running.now()}
    if verdict.comment is not None:
        decision["comment"] = verdict.comment
    effect = Effect(status, output=decision)
    return settle(running, wait, Outcome(status, effect, decision, verdict.claimed, verdict.caller))
