"""What deciding an approval and answering a callback have in common: find the wait, end it once, or say why not."""

from __future__ import annotations

from loopstep.runs.waits import APPROVAL, DECIDED, ENDED, TIMED_OUT, Wait
from loopstep.runtime.settling import Outcome
from loopstep.services.refusals import Conflicting, Gone, Unknown
from loopstep.services.running import Running
from loopstep.services.showing import Item
from loopstep.services.showing_waits import show_wait

_REASONS = {TIMED_OUT: "its time is over", ENDED: "nobody waits for it any more"}


def find_wait(running: Running, kind: str, identity: str) -> Wait:
    """The wait of this id as it stands. Raises Unknown, the same for every id that is none of this kind."""
    wait = running.settler.waits.get(identity)
    if wait is None or wait.kind != kind:
        raise Unknown(f"{kind}.unknown", f"There is no such {kind}.")
    return wait


def show(running: Running, wait: Wait) -> Item:
    """The wait with its run's view of it."""
    seen = running.waits.with_head([wait])
    if not seen:
        raise Unknown(f"{wait.kind}.unknown", f"There is no such {wait.kind}.")
    return show_wait(running, *seen[0])


def refuse_closed(running: Running, wait: Wait) -> None:
    """Raises Conflicting with the answer that stands, Gone where there is none and never will be."""
    item = show(running, wait)
    status = item["status"]
    if status in DECIDED:
        done = "decided" if wait.kind == APPROVAL else "answered"
        facts = {name: item[name] for name in ("decision", "decidedBy", "decidedAt", "comment") if name in item}
        detail = f"The {wait.kind} has been {done} already; that stands."
        raise Conflicting(f"{wait.kind}.{done}", detail, **facts, **{wait.kind: item})
    if status in _REASONS:
        raise Gone(f"{wait.kind}.over", f"The {wait.kind} is over: {_REASONS[status]}.", **{wait.kind: item})


def settle(running: Running, wait: Wait, outcome: Outcome) -> Item:
    """End the wait so, and return it as it then stands. Raises as `refuse_closed` where somebody was quicker."""
    now, mine = running.settler.settle(wait, outcome)
    if not mine:
        refuse_closed(running, now)
    return show(running, now)
