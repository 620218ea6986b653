"""What was recorded and not delivered is delivered; what nobody ended is ended (ARCHITECTURE §3)."""

from __future__ import annotations

from typing import Any

import pytest
from people_world import ASK, CALL, RUN, START, outcome

from loopstep.runs.records import FAILED, RunEnd, RunError
from loopstep.services.answer_callback import complete_callback
from loopstep.services.decide_approval import Verdict, decide_approval
from loopstep.services.sweep import SWEEPS


def decide(people: Any) -> Any:
    return decide_approval(people.running(), people.one().id, Verdict(True, "ada"))


def test_it_is_one_of_the_sweeps() -> None:
    assert "waits" in SWEEPS


def test_a_decision_whose_resume_failed_is_delivered(people: Any) -> None:
    people.ask()
    people.engine.refuse = 1
    assert decide(people)["status"] == "approved"
    assert people.engine.heard == {} and not people.settled()
    assert people.sweep() == 1
    assert people.engine.heard["T1"]["port"] == "approved"
    assert people.settled() and people.sweep() == 0


def test_one_that_cannot_be_helped_waits_and_keeps_nobody_waiting(people: Any) -> None:
    people.ask()
    people.ask(CALL, task="T2")
    approval, callback = sorted(people.all(), key=lambda each: each.kind)
    people.engine.refuse = 3
    decide_approval(people.running(), approval.id, Verdict(True, "ada"))
    complete_callback(people.running(), callback.id, {"score": 1})
    assert people.sweep() == 1
    assert len(people.engine.heard) == 1
    people.world.pass_time(301)
    assert people.sweep() == 1
    assert set(people.engine.heard) == {"T1", "T2"}


def test_a_wait_whose_engine_never_came_back_is_timed_out(people: Any) -> None:
    people.ask()
    people.world.pass_time(79)
    assert people.sweep() == 0
    people.world.pass_time(2)
    assert people.sweep() == 1
    assert outcome(people) == ("timed_out", "failed", "timed_out", {"T1": "Loopstep.TimedOut node.timeout"})
    assert people.settled()


def test_what_an_engine_has_given_up_is_done(people: Any) -> None:
    people.ask()
    people.engine.time_out("T1")
    decide(people)
    assert people.engine.heard == {} and people.settled()
    people.ask(task="T2")
    assert people.engine.heard["T2"]["port"] == "approved"


def test_the_wait_of_a_run_that_ended_is_ended(people: Any) -> None:
    people.ask()
    people.world.store().cancel_run(RUN, "2026-03-01T12:00:01.000Z", "me")
    people.world.pass_time(90)
    assert people.sweep() == 1
    assert people.one().status == "ended"
    assert people.world.activation("ask#")["status"] == "waiting"


def test_a_closer_that_hears_of_the_end_ends_the_waits(people: Any) -> None:
    from loopstep.runtime.close import RunCloser

    people.ask()
    store = people.world.store()
    closer = RunCloser(store, people.world.reader(), people.world.clock, people.world.random(), 0, people.waits())
    closer({"detail": {"name": f"{RUN}-1", "status": "ABORTED"}})
    assert people.one().status == "ended"


def test_a_stale_index_does_no_harm(people: Any) -> None:
    """The index says due, the item says no longer."""
    people.ask()
    people.engine.refuse = 1
    decide(people)
    waits = people.running().settler.waits
    places = list(waits.due("2026-03-01T12:00:00.000Z"))
    people.sweep()
    due = type(waits).due
    try:
        type(waits).due = lambda self, at: iter(places)
        assert people.sweep() == 0
    finally:
        type(waits).due = due
    assert len(people.engine.heard) == 1


@pytest.mark.parametrize("hurried", [True, False])
def test_it_stops_when_the_time_is_over(people: Any, hurried: bool) -> None:
    from loopstep.services.sweep_waits import sweep_waits

    people.ask()
    people.engine.refuse = 1
    decide(people)
    assert sweep_waits(people.running(), lambda: hurried) == (0 if hurried else 1)


def test_a_redriven_run_waits_on_to_the_same_end(people: Any) -> None:
    """The run failed elsewhere while somebody was asked; its next epoch asks under the same id, until the same time."""
    people.ask()
    before = people.one()
    store = people.world.store()
    head = people.world.reader().get_head(RUN)
    store.end_run(head, RunEnd(FAILED, "2026-03-01T12:00:01.000Z", error=RunError("x", "y")), "me")
    people.waits().over(before, "ended", "2026-03-01T12:00:02.000Z")
    store.redrive_run(RUN, "2026-03-01T12:00:03.000Z", "me")
    people.ask(token=START | {"epoch": 2}, task="T2")
    after = people.one()
    assert (after.id, after.status, after.epoch, after.until) == (before.id, "pending", 2, before.until)
    assert decide(people)["status"] == "approved"
    assert people.engine.heard["T2"]["epoch"] == 2
    assert len(people.world.events.published) == 1


def test_approvals_of_one_run_only(people: Any) -> None:
    people.ask({**ASK, "id": "a"}, task="A")
    people.ask({**ASK, "id": "b"}, task="B")
    assert sorted(each.node for each in people.waits().pending(RUN)) == ["a", "b"]
    assert list(people.waits().pending(RUN, "join#")) == []
