"""Dying before or after any AWS call of asking, deciding, timing out, sweeping: one outcome, which is delivered."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from people_world import ASK, CALL, RUN, outcome
from runtime_world import Death, Dying, repeating

from loopstep.services.answer_callback import complete_callback, fail_callback
from loopstep.services.cancel_run import cancel_run
from loopstep.services.decide_approval import Verdict, decide_approval
from loopstep.services.refusals import Conflicting, Gone

Act = Callable[[Any, Any], Any]


def fresh(people: Any) -> Any:
    """The same world, empty again."""
    people.world.clear()
    people.world.start(fences=True)
    return type(people)(people.world)


def decide(people: Any, hook: Any) -> Any:
    return decide_approval(people.running(hook), people.one().id, Verdict(True, "ada", "fine"))


def complete(people: Any, hook: Any) -> Any:
    return complete_callback(people.running(hook), people.one().id, {"score": 4})


def fail(people: Any, hook: Any) -> Any:
    return fail_callback(people.running(hook), people.one().id, "gave_up", "")


def time_out(people: Any, hook: Any) -> None:
    people.world.pass_time(61)
    people.engine.time_out("T1")
    people.ask(task="T2", hook=hook)


def sweep_late(people: Any, hook: Any) -> None:
    people.world.pass_time(90)
    people.sweep(hook)


def deliver(people: Any, hook: Any) -> None:
    people.engine.refuse = 1
    decide(people, None)
    people.sweep(hook)


def cancel(people: Any, hook: Any) -> None:
    cancel_run(people.running(hook), RUN)


ENDINGS: dict[str, tuple[dict[str, Any], Act]] = {
    "deciding": (ASK, decide),
    "answering": (CALL, complete),
    "answering with an error": (CALL, fail),
    "timing out": (ASK, time_out),
    "sweeping a late one": (ASK, sweep_late),
    "sweeping an undelivered one": (ASK, deliver),
    "cancelling": (ASK, cancel),
}


def recover(people: Any, act: Act) -> None:
    """What happens by itself afterwards: who died asks again, the engine's retrier comes, the sweeper passes."""
    with suppress(Conflicting, Gone):
        act(people, None)
    people.engine.refuse = 0
    people.world.pass_time(400)
    people.sweep()
    people.sweep()


@pytest.mark.parametrize("name", ENDINGS)
def test_dying_at_any_call_gives_one_outcome_in_the_end(people: Any, name: str) -> None:
    spec, act = ENDINGS[name]
    people = fresh(people)
    people.ask(spec)
    count = Dying(-1, False)
    act(people, count)
    people.world.pass_time(400)
    people.sweep()
    expected = outcome(people)[:3], sorted(map(str, people.engine.heard.values()))
    for at in range(count.calls):
        for after in (False, True):
            people = fresh(people)
            people.ask(spec)
            with pytest.raises(Death):
                act(people, Dying(at, after))
            recover(people, act)
            place = f"died at call {at}, {'after' if after else 'before'} it"
            assert (outcome(people)[:3], sorted(map(str, people.engine.heard.values()))) == expected, place
            assert people.settled(), place


@pytest.mark.parametrize("name", ENDINGS)
def test_a_lost_reply_to_any_write_counts_as_its_success(people: Any, name: str) -> None:
    spec, act = ENDINGS[name]
    people.ask(spec)
    act(people, None)
    expected = outcome(people)
    people = fresh(people)
    people.ask(spec, hook=repeating)
    act(people, repeating)
    assert outcome(people) == expected


@pytest.mark.parametrize("spec", [ASK, CALL], ids=["approval", "callback"])
def test_dying_while_asking_with_another_attempt_left(people: Any, spec: dict[str, Any]) -> None:
    spec = {**spec, "max": 2}
    people = fresh(people)
    count = Dying(-1, False)
    people.ask(spec, hook=count)
    for at in range(count.calls):
        for after in (False, True):
            people = fresh(people)
            with pytest.raises(Death):
                people.ask(spec, hook=Dying(at, after))
            people.engine.time_out("T1")
            people.ask(spec, task="T2")
            wait = people.one()
            assert (wait.status, str(wait.task_token)) == ("pending", "T2"), f"{at} {after}"
            assert people.world.activation(wait.activation)["status"] == "waiting"
            assert len(people.world.messages()) == ("text" in spec)


def test_dying_while_asking_with_the_last_attempt_is_a_crash_or_a_wait(people: Any) -> None:
    people = fresh(people)
    count = Dying(-1, False)
    people.ask(CALL, hook=count)
    for at in range(count.calls):
        for after in (False, True):
            people = fresh(people)
            with pytest.raises(Death):
                people.ask(CALL, hook=Dying(at, after))
            people.ask(CALL, task="T2")
            record, wait = people.world.activation("call#"), people.one()
            if record["status"] == "waiting":
                assert wait.status == "pending" and people.engine.heard == {}
            else:
                assert (record["error"]["code"], wait.status) == ("node.crashed", "ended")
                assert people.engine.heard == {"T2": "Loopstep.Failed node.crashed"}
            assert len(people.world.messages()) == (record["status"] == "waiting")


def test_two_invocations_at_once_ask_once(people: Any) -> None:
    """Lambda's repeat: the second runs whole before the first one's write."""
    second: list[Any] = []

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not second:
            second.append(None)
            people.ask(CALL)
        return call()

    people.ask(CALL, hook=overtaken)
    assert people.one().status == "pending"
    assert len(people.world.messages()) == 1
    assert people.world.activation("call#")["attempts"] == 1
