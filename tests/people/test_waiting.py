"""A node function under a task token: it asks, waits, and says how it ended (ARCHITECTURE §3)."""

from __future__ import annotations

import json
import re
from typing import Any

from people_world import ASK, CALL, RUN, START

from loopstep.runs.waits import ID_FORM


def details(people: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(each["DetailType"], json.loads(each["Detail"])) for each in people.world.events.published]


def test_an_approval_is_recorded_published_and_awaited(people: Any) -> None:
    people.ask()
    wait = people.one()
    assert (wait.kind, wait.status, wait.scope, json.loads(wait.text)) == (
        "approval",
        "pending",
        "desk",
        "Approve the trip?",
    )
    assert (wait.asked_at, wait.until) == ("2026-03-01T12:00:00.000Z", "2026-03-01T12:01:00.000Z")
    record = people.world.activation("ask#")
    assert (record["status"], record["until"], record["input"]) == ("waiting", wait.until, {"what": "the trip"})
    assert [(each["number"], each["endedAt"], each["code"]) for each in record["tries"]] == [
        (1, "2026-03-01T12:00:00.000Z", None)
    ]
    assert (people.engine.heard, people.engine.open) == ({}, {"T1"})
    assert details(people) == [
        (
            "loopstep.approval",
            {
                "id": wait.id,
                "answerAt": f"/approvals/{wait.id}",
                "runId": RUN,
                "plan": "p",
                "version": 3,
                "nodeId": "ask",
                "activationId": "ask#",
                "scope": "desk",
                "summary": "Approve the trip?",
                "askedAt": wait.asked_at,
                "deadline": wait.until,
            },
        )
    ]


def test_the_id_is_unguessable_and_new_for_each_wait(people: Any) -> None:
    people.ask()
    people.ask({**ASK, "id": "other"}, task="T2")
    ids = [each.id for each in people.all()]
    assert all(re.fullmatch(ID_FORM, each) for each in ids)
    assert len({each.rpartition(".")[2] for each in ids}) == 2


def test_a_callback_sends_its_message_once_as_the_sent_mode_does(people: Any) -> None:
    people.ask(CALL)
    wait = people.one()
    (message,) = people.world.messages()
    assert (message["id"], message["scope"], message["text"]) == (wait.message, "agents", "Score this")
    (kind, sent), (event, asked) = details(people)
    assert (kind, sent["messageId"], sent["text"]) == ("loopstep.message", message["id"], "Score this")
    assert (event, asked["id"], asked["messageId"], asked["text"]) == (
        "loopstep.callback", wait.id, message["id"], "Score this",
    )  # fmt: skip
    assert asked["contract"] == {
        "score": {"type": "integer", "required": True, "maximum": 10},
        "note": {"type": "string"},
    }


def test_an_invocation_that_comes_again_takes_the_new_token_and_waits_on(people: Any) -> None:
    people.ask(CALL)
    before = people.one()
    people.world.pass_time(30)
    people.ask(CALL, task="T2")
    after = people.one()
    assert (after.id, after.until, after.status) == (before.id, before.until, "pending")
    assert (str(before.task_token), str(after.task_token)) == ("T1", "T2")
    assert len(people.world.messages()) == 1 and len(people.world.events.published) == 2


def test_past_the_end_it_is_timed_out(people: Any) -> None:
    people.ask()
    people.world.pass_time(60)
    people.engine.time_out("T1")
    people.ask(task="T2")
    record = people.world.activation("ask#")
    assert (record["status"], record["port"], record["edge"]) == ("failed", "timed_out", "late")
    assert people.one().status == "timed_out"
    assert people.engine.heard == {"T2": "Loopstep.TimedOut node.timeout"}
    people.ask(task="T3")
    assert people.engine.heard["T3"] == "Loopstep.TimedOut node.timeout"


def test_shortly_before_the_end_it_sits_it_out(people: Any) -> None:
    """The engine counts from before the function starts: its timeout can be a little early."""
    people.ask()
    people.world.pass_time(58)

    class Passing(list[float]):
        def append(self, seconds: float) -> None:
            super().append(seconds)
            people.world.pass_time(seconds)

    people.world.slept = Passing()
    people.ask(task="T2")
    assert people.world.slept == [2.0]
    assert people.engine.heard == {"T2": "Loopstep.TimedOut node.timeout"}


def test_a_closed_wait_is_delivered_to_whoever_asks_again(people: Any) -> None:
    people.ask()
    decide(people, "approved")
    people.ask(task="T2")
    assert people.engine.heard["T2"] == people.engine.heard["T1"]
    assert (people.engine.heard["T1"]["port"], people.engine.heard["T1"]["edge"]) == ("approved", "yes")


def test_a_bus_that_refuses_is_another_attempt_under_the_same_id(people: Any) -> None:
    people.world.events.refuse = 1
    people.ask({**CALL, "max": 2})
    first = people.one()
    assert people.engine.heard == {"T1": "Loopstep.Retry node.crashed"}
    assert people.world.messages() == []
    people.world.pass_time(7)
    people.ask({**CALL, "max": 2}, task="T2")
    wait = people.one()
    assert (wait.id, wait.status, str(wait.task_token)) == (first.id, "pending", "T2")
    assert wait.until == "2026-03-01T12:01:07.000Z", "the time counts from the request that went out"
    assert len(people.world.messages()) == 1
    assert [each["code"] for each in people.world.activation("call#")["tries"]] == ["node.crashed", None]


def test_the_last_attempt_that_fails_ends_the_wait(people: Any) -> None:
    people.world.events.refuse = 1
    people.ask()
    record = people.world.activation("ask#")
    assert (record["status"], record["port"], record["error"]["code"]) == ("failed", "failed", "node.crashed")
    assert people.one().status == "ended"
    assert people.engine.heard == {"T1": "Loopstep.Failed node.crashed"}


def test_an_attempt_bounds_the_sending_only(people: Any) -> None:
    publish = people.world.events.put_events

    def slow(Entries: Any) -> Any:
        people.world.pass_time(3)
        return publish(Entries=Entries)

    people.world.events.put_events = slow
    people.ask({**ASK, "timeout": 2})
    assert people.engine.heard == {"T1": "Loopstep.Failed node.timeout"}
    people.ask({**ASK, "id": "patient", "timeout": 10}, task="T2")
    people.world.pass_time(50)
    assert people.world.activation("patient#")["status"] == "waiting"


def test_bad_data_is_never_tried_again_and_asks_nobody(people: Any) -> None:
    people.ask({**ASK, "scope": "", "max": 5})
    assert people.engine.heard == {"T1": "Loopstep.Failed scope.unknown"}
    assert people.all() == [] and people.world.events.published == []


def test_what_breaks_before_anything_is_read_is_told_through_the_token(people: Any) -> None:
    def broken(name: str, arguments: Any, call: Any) -> Any:
        if name.startswith(("batch", "get")):
            raise RuntimeError("canary data")
        return call()

    people.ask(hook=broken)
    assert people.engine.heard == {"T1": "Loopstep.Retry node.crashed"}
    people.function("summary")({"token": {}, "spec": "{}", "taskToken": "T9"})
    people.engine.wait_under("T9")
    people.function("summary")({"token": {}, "spec": "{}", "taskToken": "T9"})
    assert people.engine.heard["T9"] == "Loopstep.Retry node.crashed"


def test_without_a_task_token_it_answers_by_its_reply(people: Any) -> None:
    sent = {key: value for key, value in CALL.items() if key not in ("completion", "wait", "output")}
    reply = people.function("text")({"token": START, "spec": json.dumps(sent)})
    assert (reply["port"], reply["edge"]) == ("completed", "done")


def test_a_failure_is_routed_by_the_record(people: Any) -> None:
    """A Catch that leads to `<id>.timed_out`: the same function, the original token, and where it goes."""
    people.ask()
    people.world.pass_time(61)
    people.ask(task="T2")
    reply = people.function("summary")({"token": START, "spec": json.dumps({**ASK, "route": "timed_out"})})
    assert (reply["port"], reply["edge"]) == ("timed_out", "late")


def decide(people: Any, decision: str, by: str = "ada") -> Any:
    from loopstep.services.decide_approval import Verdict, decide_approval

    return decide_approval(people.running(), people.one().id, Verdict(decision == "approved", by))


def test_the_representation_hides_the_token(people: Any) -> None:
    people.ask(task="canary-token")
    assert "canary-token" not in repr(people.one())
