"""Whether an activation that works for long still has anybody who waits for it."""

from __future__ import annotations

from collections.abc import Callable

from loopstep.runs import keys, parts, regions
from loopstep.runs.items import head_of
from loopstep.runs.records import RUNNING
from loopstep.runs.store import RunStore
from loopstep.runtime.behaviour import Situation
from loopstep.runtime.region import memberships


def still_going(store: RunStore) -> Callable[[Situation], bool]:
    """By one consistent read: the run is running, in the activation's epoch, and no join around it is decided."""

    def going(situation: Situation) -> bool:
        run = situation.head.run
        races = [regions.race_key(each.join) for each in memberships(situation.spec, situation.path)]
        items = {
            each["sk"]["S"]: each for each in store.read_items([parts.key(run, each) for each in [keys.HEAD, *races]])
        }
        if keys.HEAD not in items:
            return False
        head = head_of(items[keys.HEAD])
        if (head.status, head.epoch) != (RUNNING, situation.head.epoch):
            return False
        return not any(regions.standing_of(items.get(each)).decided for each in races)

    return going
