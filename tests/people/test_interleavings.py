"""Decision, other decision, timeout, cancellation and a lost race at once: one outcome, and everybody hears that one.

One of them runs whole before a call of another, for every call; then in the other order. The wait, the activation, the
engine and whoever asks afterwards agree.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from people_world import ASK, RUN, START

from loopstep.runtime.failures import Failed
from loopstep.services.cancel_run import cancel_run
from loopstep.services.decide_approval import Verdict, decide_approval
from loopstep.services.refusals import Conflicting, Gone

REGION = {**ASK, "in": {}, "input": {}, "summary": ["Both?"], "fence": True, "regions": [["both", 0, "l", "any"]]}
COUNT = {"id": "both", "join": {"fanOut": "split", "mode": "any"}, "branches": ["l", "r"],
         "regions": [["both", 0, "r", "any"]], "fence": True, "arrive": True}  # fmt: skip


def fresh(people: Any) -> Any:
    """The same world, empty again, with somebody asked in the left branch of a race that the right one can end."""
    people.world.clear()
    people.world.start(fences=True)
    people = type(people)(people.world)
    people.world.invoke("fan_out", {"id": "split", "branches": ["l", "r"]})
    people.ask(REGION, START | {"node": "split", "port": "l"})
    brings = {"id": "quick", "fence": True, "regions": [["both", 0, "r", "any"]], "out": {"completed": [["in"]]},
              "to": {"in": {"in": {}, "input": {}}}}  # fmt: skip
    people.world.invoke("pass", brings, START | {"node": "split", "port": "r"})
    return people


def approve(people: Any, hook: Any) -> Any:
    return answered(lambda: decide_approval(people.running(hook), people.one().id, Verdict(True, "ada")))


def reject(people: Any, hook: Any) -> Any:
    return answered(lambda: decide_approval(people.running(hook), people.one().id, Verdict(False, "bob")))


def answered(act: Callable[[], Any]) -> Any:
    try:
        return act()["decidedBy"]
    except Conflicting as refused:
        return refused.facts["decidedBy"]
    except Gone as refused:
        return refused.facts["approval"]["status"]


def time_out(people: Any, hook: Any) -> None:
    people.world.pass_time(61)
    people.engine.time_out("T1")
    people.ask(REGION, START | {"node": "split", "port": "l"}, task="T2", hook=hook)


def renew(people: Any, hook: Any) -> None:
    """The engine's own timeout came early: it waits on under another token."""
    people.engine.time_out("T1")
    people.ask(REGION, START | {"node": "split", "port": "l"}, task="T2", hook=hook)


def cancel(people: Any, hook: Any) -> None:
    cancel_run(people.running(hook), RUN)


def lose(people: Any, hook: Any) -> None:
    """The right branch arrives and decides the race."""
    at = START | {"node": "quick", "port": "completed", "edge": "in"}
    people.counter(hook)({"token": at, "spec": json.dumps(COUNT)})


ACTS = {"approve": approve, "reject": reject, "time out": time_out, "renew": renew, "cancel": cancel, "lose": lose}


PAIRS = [(first, second) for first, second in itertools.permutations(ACTS, 2) if first != "reject"]  # as approve


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_one_outcome(people: Any, first: str, second: str) -> None:
    count = Overtaken(fresh(people), lambda people, hook: None, -1)
    quiet(ACTS[first], count.people, count)
    for at in range(count.moments):
        overtaken = Overtaken(fresh(people), ACTS[second], at)
        told = [quiet(ACTS[first], overtaken.people, overtaken), overtaken.told]
        place = f"{second} at moment {at} of {first}"
        agree(overtaken.people, [each for each in told if each is not None], place)


class Overtaken:
    """At moment `at` another one acts from its beginning to its end.

    Moments are those that matter: before the first call, before each write, and before every call after the first one.
    """

    def __init__(self, people: Any, act: Any, at: int) -> None:
        self.people, self._act, self._at = people, act, at
        self.told: Any = None
        self.moments = 0
        self._wrote = False

    def __call__(self, name: str, arguments: Any, call: Any) -> Any:
        writes = name.startswith(("transact", "send", "put", "update"))
        if writes or self._wrote or not self.moments:
            self.moments += 1
            if self.moments == self._at + 1:
                self.told = quiet(self._act, self.people, None)
        self._wrote = self._wrote or writes
        return call()


def quiet(act: Any, people: Any, hook: Any) -> Any:
    """What a decider heard; what a Task that is refused raises is the engine's to handle."""
    try:
        return act(people, hook)
    except Failed:
        return None


def agree(people: Any, told: list[Any], place: str) -> None:
    people.world.pass_time(400)
    people.sweep()
    people.sweep()
    wait, record = people.one(), people.world.activation("ask#")
    run = people.world.run()["status"]
    later = reject(people, None)
    stands = {"approved": "ada", "rejected": "bob"}.get(wait.status, wait.status)
    assert later == stands, place
    assert set(told) <= {stands}, f"{place}: {told}"
    assert people.settled(), place
    heard = [each["port"] if isinstance(each, dict) else each for each in people.engine.heard.values()]
    if wait.status in ("approved", "rejected"):
        assert (record["status"], record["port"], record["output"]["decidedBy"]) == ("completed", wait.status, stands)
        assert set(heard) <= {wait.status} and (heard or run == "cancelled" or not people.engine.open), place
    elif wait.status == "timed_out":
        assert (record["status"], record["port"]) == ("failed", "timed_out"), place
        assert set(heard) == {"Loopstep.TimedOut node.timeout"}, place
    else:
        assert wait.status == "ended", place
        assert record["status"] == "waiting" or record["error"]["code"] == "join.decided", place
        assert all(isinstance(each, str) and each.startswith("Loopstep.Failed") for each in heard), place
