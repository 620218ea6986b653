"""Approvals and callbacks over HTTP: statuses, problems, and GETs that change nothing."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
from typing import Any

import pytest

from loopstep.gateways.events import EventBus
from loopstep.gateways.task_answers import TaskAnswers
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviours.request_approval import RequestApproval
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.close import RunCloser
from loopstep.runtime.task_function import TaskFunction
from loopstep.runtime.times import system_clock
from loopstep.runtime.waiting import WaitingActivator
from loopstep.services.cancel_run import cancel_run
from loopstep.services.start_run import StartRequest, start_run


class Bus:
    def put_events(self, Entries: Any) -> dict[str, Any]:
        return {"FailedEntryCount": 0}


SPECS = {
    "approval": {"id": "n", "scope": "desk", "summary": ["Trip?"], "wait": 9999999, "out": {"approved": [["e"]]}},
    "callback": {
        "id": "n", "scope": "desk", "text": ["Score"], "completion": "callback", "wait": 9999999,
        "output": {"score": {"type": "integer", "required": True, "maximum": 10}}, "out": {"completed": [["e"]]},
    },
}  # fmt: skip


@pytest.fixture
def ask(aws: Any, api: Any) -> Any:
    """Starts a run that waits; the id of its wait."""
    from datetime import UTC, datetime

    def asked(kind: str, secret: bool = False, **more: Any) -> str:
        aws.store_version(secrets={
            "input": [], "output": [], "state": [], "nodes": {"n": {"output": [["score"]]}} if secret else {},
        })  # fmt: skip
        head = start_run(api.running, StartRequest("p", {}))
        waits, source, clock = api.running.settler.waits, random.Random(), lambda: datetime(2026, 1, 1, tzinfo=UTC)
        behaviour: Any = RequestApproval if kind == "approval" else SendMessage
        behaviour = behaviour(EventBus(Bus, "bus"))
        function = TaskFunction(
            Activator(behaviour, waits.store, clock, source, lambda seconds: None),
            WaitingActivator(behaviour, waits, clock, source, lambda seconds: None),
            TaskAnswers(lambda: aws.stepfunctions),
        )
        token = {"run": head.run, "epoch": 1}
        function({"token": token, "spec": json.dumps({**SPECS[kind], **more}), "taskToken": "canary-token"})
        (wait,) = waits.pending(head.run)
        return str(wait.id)

    return asked


def test_an_approval_is_decided_once(api: Any, ask: Any) -> None:
    identity = ask("approval")
    run = identity.partition(".")[0]
    listed = api("GET", "/approvals", query={"status": "pending", "runId": run})
    (item,) = listed.body["items"]
    assert {key: item[key] for key in ("id", "runId", "nodeId", "status", "scope", "summary")} == {
        "id": identity, "runId": run, "nodeId": "n", "status": "pending", "scope": "desk", "summary": "Trip?",
    }  # fmt: skip
    assert (api("GET", f"/approvals/{identity}").body, api("GET", f"/approvals/{identity}").status) == (item, 200)
    body = {"decision": "approved", "by": "ada", "comment": "好"}
    decided = api("POST", f"/approvals/{identity}", body)
    assert (decided.status, decided.body["status"], decided.body["decidedBy"]) == (200, "approved", "ada")
    again = api("POST", f"/approvals/{identity}", {"decision": "rejected", "by": "bob"})
    assert (again.status, again.headers["Content-Type"]) == (409, "application/problem+json")
    assert (again.body["code"], again.body["decision"], again.body["decidedBy"]) == (
        "approval.decided", "approved", "ada",
    )  # fmt: skip
    assert again.body["approval"] == api("GET", f"/approvals/{identity}").body
    assert "canary-token" not in json.dumps([listed.body, decided.body, again.body]) + api.log.getvalue()


@pytest.mark.parametrize(
    "body",
    [
        {}, {"decision": "maybe", "by": "a"}, {"decision": "approved"}, {"decision": "approved", "by": ""},
        {"decision": "approved", "by": 7}, {"decision": "approved", "by": "a", "more": 1}, [], "approved",
        {"decision": "approved", "by": "\ud800"}, {"decision": "approved", "by": "a", "comment": "x" * 10_001},
    ],
)  # fmt: skip
def test_a_body_that_is_no_decision_changes_nothing(api: Any, ask: Any, body: Any) -> None:
    identity = ask("approval")
    refused = api("POST", f"/approvals/{identity}", raw=json.dumps(body))
    assert refused.status == 400
    assert api("GET", f"/approvals/{identity}").body["status"] == "pending"


def test_unknown_ids_are_alike_whatever_they_are(api: Any, ask: Any) -> None:
    identity = ask("callback")
    decision = {"decision": "approved", "by": "ada"}
    answers = [api("POST", f"/approvals/{each}", decision) for each in (identity, "x", identity[:-1] + "é", "a.b")]
    assert {each.status for each in answers} == {404}
    assert len({json.dumps(each.body) for each in answers}) == 1
    assert api("GET", f"/approvals/{identity}").status == 404


def test_only_approvers(api: Any, ask: Any) -> None:
    identity = ask("approval", approvers=["ada"])
    refused = api("POST", f"/approvals/{identity}", {"decision": "approved", "by": "bob"})
    assert (refused.status, refused.body["code"]) == (403, "approval.not_allowed")
    assert api("POST", f"/approvals/{identity}", {"decision": "approved", "by": "ada"}).status == 200


def test_who_is_proved_to_call_decides_whatever_the_body_says(api: Any, ask: Any) -> None:
    identity = ask("approval", approvers=["ada"])
    tokens = type(api)(api.stack, mode="jwt", authorizer={"principalId": "bob", "roles": "approver viewer"})
    refused = tokens("POST", f"/approvals/{identity}", {"decision": "approved", "by": "ada"})
    assert (refused.status, refused.body["code"]) == (403, "approval.not_allowed")
    tokens.authorizer = {"principalId": "ada", "name": "Ada", "roles": "approver"}
    decided = tokens("POST", f"/approvals/{identity}", {"decision": "approved", "by": "bob"}).body
    assert (decided["decidedBy"], decided["claimed"]) == ("ada", False)
    assert decided["answeredBy"] == {"kind": "jwt", "id": "ada", "name": "Ada"}


def test_a_callback_is_answered_once(api: Any, ask: Any) -> None:
    identity = ask("callback")
    item = api("GET", "/callbacks", query={"status": "pending"}).body["items"][0]
    assert (item["id"], item["text"], item["contract"]["score"]["maximum"]) == (identity, "Score", 10)
    bad = api("POST", f"/callbacks/{identity}", {"output": {"score": 11, "more": 1}})
    assert (bad.status, bad.body["code"]) == (422, "output.invalid")
    assert {each["path"] for each in bad.body["errors"]} == {"/score", "/more"}
    good = api("POST", f"/callbacks/{identity}", {"output": {"score": 7}})
    assert (good.status, good.body["status"], good.body["output"]) == (200, "completed", {"score": 7})
    again = api("POST", f"/callbacks/{identity}", {"output": {"score": 11}})
    assert (again.status, again.body["code"], again.body["callback"]["output"]) == (
        409, "callback.answered", {"score": 7},
    )  # fmt: skip


def test_a_secret_answer_is_shown_to_nobody(api: Any, ask: Any) -> None:
    identity = ask("callback", secret=True)
    answered = api("POST", f"/callbacks/{identity}", {"output": {"score": 7}})
    again = api("POST", f"/callbacks/{identity}", {"output": {"score": 7}})
    assert (answered.body["output"], again.body["callback"]["output"]) == ({"score": "***"}, {"score": "***"})


@pytest.mark.parametrize(
    "body",
    [
        {}, {"output": {}, "error": {"code": "a"}}, {"error": None}, {"error": {}}, {"error": {"code": "no spaces"}},
        {"error": {"code": "a", "more": 1}}, {"output": {"score": 1}, "by": "x"}, [],
    ],
)  # fmt: skip
def test_a_body_that_is_no_answer_changes_nothing(api: Any, ask: Any, body: Any) -> None:
    identity = ask("callback")
    assert api("POST", f"/callbacks/{identity}", raw=json.dumps(body)).status == 400
    assert api("GET", f"/callbacks/{identity}").body["status"] == "pending"


def test_a_cancelled_run_has_nothing_to_answer(api: Any, ask: Any) -> None:
    identity = ask("callback")
    assert api("POST", f"/runs/{identity.partition('.')[0]}/cancel").status == 200
    gone = api("POST", f"/callbacks/{identity}", {"error": {"code": "x"}})
    assert (gone.status, gone.body["code"], gone.body["callback"]["status"]) == (410, "callback.over", "ended")


def test_a_cancel_that_is_short_of_time_leaves_waits_to_the_engine(api: Any, ask: Any) -> None:
    """A run with thousands of them is cancelled within seconds; close_run hears of the end and does the rest."""
    identity = ask("approval")
    run = identity.partition(".")[0]
    hurried = dataclasses.replace(api.running, clock=itertools.count(step=60).__next__)
    assert cancel_run(hurried, run).status == "cancelled"
    waits = api.running.settler.waits
    assert [each.id for each in waits.pending(run)] == [identity]
    assert api("GET", f"/approvals/{identity}").body["status"] == "ended"
    assert api("POST", f"/approvals/{identity}", {"decision": "approved", "by": "ada"}).status == 410
    closer = RunCloser(api.running.runs, api.running.reader, system_clock, random.Random(1), waits=waits)
    closer({"detail": {"name": f"{run}-1", "status": "ABORTED"}})
    assert list(waits.pending(run)) == []


def test_other_methods_and_filters_are_refused(api: Any) -> None:
    assert api("PUT", "/approvals/x").status == 405
    assert api("GET", "/approvals", query={"status": "completed"}).status == 400
    assert api("GET", "/callbacks", query={"status": "approved"}).status == 400
    assert api("GET", "/approvals", query={"next": "nonsense"}).status == 400
