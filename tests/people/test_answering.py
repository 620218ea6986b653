"""Deciding and answering: once, by those who may, with what the contract takes; and what everybody else hears."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from people_world import ASK, CALL, RUN, START

from loopstep.services.answer_callback import complete_callback, fail_callback
from loopstep.services.cancel_run import cancel_run
from loopstep.services.decide_approval import Verdict, decide_approval
from loopstep.services.list_waits import get_wait, list_waits
from loopstep.services.refusals import Conflicting, Forbidden, Gone, Refused, Unfit, Unknown

BOTH = (Verdict(True, "ada", "fine"), Verdict(False, "bob"))


def decide(people: Any, verdict: Verdict, hook: Any = None) -> Any:
    return decide_approval(people.running(hook), people.one().id, verdict)


def complete(people: Any, output: Any) -> Any:
    return complete_callback(people.running(), people.one().id, output)


@pytest.mark.parametrize("verdict", BOTH)
def test_a_decision_closes_the_activation_and_resumes_the_run(people: Any, verdict: Verdict) -> None:
    people.ask()
    people.world.pass_time(5)
    item = decide(people, verdict)
    status = "approved" if verdict.approved else "rejected"
    record = people.world.activation("ask#")
    expected = {"decision": status, "decidedBy": verdict.by, "decidedAt": "2026-03-01T12:00:05.000Z"}
    assert record["output"] == expected | ({"comment": "fine"} if verdict.comment else {})
    assert (record["status"], record["port"]) == ("completed", status)
    assert people.engine.heard["T1"] == START | {
        "node": "ask", "port": status, "edge": "yes" if verdict.approved else "no",
    }  # fmt: skip
    assert (item["status"], item["decision"], item["decidedBy"], item["claimed"]) == (status, status, verdict.by, True)
    assert people.settled()


def test_later_callers_get_the_decision_that_stands(people: Any) -> None:
    people.ask()
    decide(people, Verdict(True, "ada", "fine"))
    for verdict in BOTH:
        with pytest.raises(Conflicting) as refused:
            decide(people, verdict)
        assert refused.value.code == "approval.decided"
        assert (refused.value.facts["decision"], refused.value.facts["decidedBy"]) == ("approved", "ada")
        assert refused.value.facts["approval"]["status"] == "approved"


def test_only_approvers_decide_where_they_are_named(people: Any) -> None:
    people.ask({**ASK, "approvers": ["ada", "grace"]})
    with pytest.raises(Forbidden) as refused:
        decide(people, Verdict(True, "bob"))
    assert refused.value.code == "approval.not_allowed"
    assert people.one().status == "pending"
    assert decide(people, Verdict(True, "grace"))["decidedBy"] == "grace"


def test_thirty_two_at_once_one_is_accepted_and_all_others_get_it_back(people: Any) -> None:
    people.ask()
    results: list[Any] = []
    barrier = threading.Barrier(32)

    def act(number: int) -> None:
        barrier.wait()
        try:
            results.append(decide(people, Verdict(number % 2 == 0, f"person {number}"))["decidedBy"])
        except Conflicting as refused:
            results.append(("no", refused.facts["decidedBy"]))

    threads = [threading.Thread(target=act, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = [each for each in results if isinstance(each, str)]
    assert len(results) == 32 and len(accepted) == 1
    assert [each for each in results if isinstance(each, tuple)] == [("no", accepted[0])] * 31
    assert people.world.activation("ask#")["output"]["decidedBy"] == accepted[0]
    assert len(people.engine.heard) == 1


@pytest.mark.parametrize("identity", ["", "x", "run-1", "run-1." + "0" * 32, "../../etc", "run-1.%00", "a" * 500])
def test_forged_ids_are_all_alike(people: Any, identity: str) -> None:
    people.ask()
    with pytest.raises(Unknown) as refused:
        decide_approval(people.running(), identity, BOTH[0])
    assert str(refused.value) == "approval.unknown: There is no such approval."
    with pytest.raises(Unknown):
        complete_callback(people.running(), people.one().id, {})


def test_every_bit_of_the_id_counts(people: Any) -> None:
    people.ask()
    right = people.one().id
    for place in range(len("run-1."), len(right)):
        wrong = right[:place] + ("0" if right[place] != "0" else "1") + right[place + 1 :]
        with pytest.raises(Unknown):
            decide_approval(people.running(), wrong, BOTH[0])
    assert people.one().status == "pending"


def test_an_answer_that_breaks_the_contract_changes_nothing(people: Any) -> None:
    people.ask(CALL)
    before = people.world.items()
    for bad in ({"score": 11}, {"score": "7"}, {}, {"score": 1, "more": 2}, [], "text", {"score": 1.5}):
        with pytest.raises(Unfit) as refused:
            complete(people, bad)
        assert refused.value.code == "output.invalid" and refused.value.facts["errors"]
    assert people.world.items() == before
    assert complete(people, {"score": 7.0, "note": None})["output"] == {"score": 7}
    assert people.world.activation("call#")["output"] == {"score": 7}
    with pytest.raises(Conflicting) as late:
        complete(people, {"score": 1})
    assert (late.value.code, late.value.facts["callback"]["output"]) == ("callback.answered", {"score": 7})


def test_an_error_leaves_through_failed_with_its_code(people: Any) -> None:
    people.ask(CALL)
    item = fail_callback(people.running(), people.one().id, "agent.gave_up", "cannot")
    assert (item["status"], item["error"]) == ("failed", {"code": "agent.gave_up", "message": "cannot"})
    record = people.world.activation("call#")
    assert (record["port"], record["edge"], record["error"]["code"]) == ("failed", "broken", "agent.gave_up")
    assert people.engine.heard == {"T1": "Loopstep.Failed agent.gave_up"}


@pytest.mark.parametrize("code", ["States.Timeout", "Loopstep.Failed", "node.crashed", "join.no_winner"])
def test_an_error_brings_no_code_of_the_engine_or_the_run_time(people: Any, code: str) -> None:
    people.ask(CALL)
    before = people.world.items()
    with pytest.raises(Unfit) as refused:
        fail_callback(people.running(), people.one().id, code, "")
    assert (refused.value.code, refused.value.facts["errors"][0]["path"]) == ("output.invalid", "/error/code")
    assert people.world.items() == before


def test_a_thread_adds_its_ids_to_the_answer(people: Any) -> None:
    people.ask({**CALL, "thread": True})
    complete(people, {"score": 3})
    identity = people.one().message
    assert people.world.activation("call#")["output"] == {"score": 3, "messageId": identity, "threadId": identity}


def test_edges_are_chosen_by_what_was_answered_and_the_state_of_then(people: Any) -> None:
    seen = {"completed": [["ref", "output", "score"], ["ref", "state", "n"]]}
    edges = {"completed": [["high", [">", ["seen", 0], ["seen", 1]]], ["low"]]}
    people.ask({**CALL, "out": edges, "seen": seen})
    change(people, 5)
    complete(people, {"score": 7})
    record = people.world.activation("call#")
    assert (record["edge"], record["seen"]) == ("high", [7, 5])
    assert people.engine.heard["T1"] == START | {"node": "call", "port": "completed", "edge": "high", "seen": [7, 5]}


def change(people: Any, value: int) -> None:
    spec = {"id": "set", "set": [[["n"], value]], "state": {"n": "integer"}, "out": {"completed": [["e"]]}}
    people.world.invoke("set_variable", spec)


def test_an_exit_that_cannot_be_worked_out_fails_the_node_and_the_answer_stands(people: Any) -> None:
    people.ask({**CALL, "out": {"completed": [["high", ["seen", 0]], ["low"]], "failed": [["broken"]]},
                "seen": {"completed": [[">", ["*", ["ref", "output", "score"], 1e308], 1]]}})  # fmt: skip
    assert complete(people, {"score": 10})["status"] == "completed"
    record = people.world.activation("call#")
    assert (record["port"], record["error"]["code"]) == ("failed", "expr.range")
    assert people.engine.heard == {"T1": "Loopstep.Failed expr.range"}


def test_the_input_is_that_of_the_asking(people: Any) -> None:
    """Bindings are not evaluated again: the state may be another by now."""
    people.ask({**ASK, "in": {"": {"what": ["ref", "state", "n"]}}, "input": {"what": "integer"}})
    assert people.world.activation("ask#")["input"] == {}
    change(people, 5)
    decide(people, BOTH[0])
    assert people.world.activation("ask#")["input"] == {}


def test_late_is_gone(people: Any) -> None:
    people.ask()
    people.world.pass_time(61)
    people.ask(task="T2")
    with pytest.raises(Gone) as refused:
        decide(people, BOTH[0])
    assert (refused.value.code, refused.value.facts["approval"]["status"]) == ("approval.over", "timed_out")


def test_a_run_that_was_cancelled_takes_no_decision(people: Any) -> None:
    people.ask()
    cancel_run(people.running(), RUN)
    assert people.one().status == "ended"
    with pytest.raises(Gone) as refused:
        decide(people, BOTH[0])
    assert refused.value.code == "approval.over"
    assert people.engine.heard == {}
    assert people.world.activation("ask#")["status"] == "waiting"


def test_an_ended_run_is_seen_before_anybody_says_so(people: Any) -> None:
    people.ask()
    people.world.store().cancel_run(RUN, "2026-03-01T12:00:01.000Z", "me")
    running, before = people.running(), people.world.items()
    assert get_wait(running, "approval", people.one().id)["status"] == "ended"
    assert list_waits(running, "approval", "pending", None, 10, None)["items"] == []
    assert people.world.items() == before, "a GET changes nothing"
    with pytest.raises(Gone):
        decide(people, BOTH[0])


def test_a_catch_that_closed_the_activation_ends_the_wait(people: Any) -> None:
    """The engine gave up on the node, and the Task behind its Catch closed the record."""
    people.ask()
    people.world.invoke("pass", {"id": "n"}, START | {"node": "ask", "port": "failed", "edge": "broken"})
    assert people.one().status == "ended"
    with pytest.raises(Gone):
        decide(people, BOTH[0])


def test_a_large_text_and_a_large_answer_lie_in_the_bucket(people: Any) -> None:
    people.ask({**CALL, "text": ["说" * 60_000], "output": {"a": "string"}})
    item = get_wait(people.running(), "callback", people.one().id)
    assert item["text"] == "说" * 60_000
    complete(people, {"a": "x" * 300_000})
    assert people.world.activation("call#")["output"] == {"a": "x" * 300_000}
    assert get_wait(people.running(), "callback", people.one().id)["output"] == {"a": "x" * 300_000}


def test_lists_by_status_run_and_page(people: Any) -> None:
    for number in range(5):
        people.world.pass_time(1)
        people.ask({**ASK, "id": f"ask{number}"}, task=f"T{number}")
    people.ask(CALL, task="C")
    running = people.running()
    waits = {each.node: each.id for each in people.all()}
    decide_approval(running, waits["ask3"], BOTH[0])

    def nodes(status: str | None, run: str | None, limit: int = 2) -> list[str]:
        found, cursor = [], None
        while True:
            page = list_waits(running, "approval", status, run, limit, cursor)
            found += [each["nodeId"] for each in page["items"]]
            cursor = page["next"]
            if cursor is None:
                return found

    assert nodes(None, None) == ["ask4", "ask3", "ask2", "ask1", "ask0"]
    assert nodes("pending", None) == ["ask4", "ask2", "ask1", "ask0"]
    assert nodes("approved", None) == ["ask3"]
    assert sorted(nodes("pending", RUN)) == ["ask0", "ask1", "ask2", "ask4"]
    assert nodes("pending", "another") == []
    with pytest.raises(Refused):
        list_waits(running, "approval", None, None, 2, "nonsense")


def test_the_token_is_nowhere_but_in_the_wait(people: Any, capsys: pytest.CaptureFixture[str]) -> None:
    people.ask(task="canary-token")
    shown = [
        get_wait(people.running(), "approval", people.one().id),
        list_waits(people.running(), "approval", None, RUN, 10, None),
        people.world.activations(),
        people.world.run(),
        people.world.events.published,
    ]
    shown += [decide(people, BOTH[0])]
    with pytest.raises(Conflicting) as refused:
        decide(people, BOTH[1])
    shown += [refused.value.facts, capsys.readouterr().out]
    assert "canary-token" not in repr(shown)
    assert "canary-token" not in repr(people.world.items()), "and there only until it is delivered"


@pytest.mark.parametrize("fails", [False, True])
def test_an_answer_before_the_sending_is_recorded_keeps_the_message(people: Any, fails: bool) -> None:
    """Who hears of a callback by its event may be quicker than the function that sent it."""

    def hook(name: str, arguments: Any, call: Any) -> Any:
        reply = call()
        if name == "put_events" and not answered:
            answered.append(people.one().id)
            if fails:
                fail_callback(people.running(), answered[0], "busy", "not now")
            else:
                complete_callback(people.running(), answered[0], {"score": 3})
        return reply

    answered: list[str] = []
    people.ask(CALL, hook=hook)
    assert people.world.activation("call#")["status"] == ("failed" if fails else "completed")
    assert [(each["scope"], each["text"]) for each in people.world.messages()] == [("agents", "Score this")]
    assert people.settled()
