"""`approvals`, `approve`, `reject`, `callbacks`, `callback`: what they ask of the API and what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.cli import outcome

WAIT = {"id": "r.0", "runId": "r", "nodeId": "ask", "status": "pending", "scope": "desk\x1b", "deadline": "2026-01-02"}
APPROVAL = {**WAIT, "summary": "Trip\nto Rome?", "decision": None}
CALLBACK = {**WAIT, "text": None, "omitted": {"text": {"bytes": 7_000_000, "url": "u"}}}


def test_open_ones_are_listed(cli: Any, service: Any) -> None:
    service.on("GET /approvals", (200, {"items": [APPROVAL], "next": None}))
    done = cli("approvals", "--run", "r")
    assert done.stdout == "r.0  pending  until 2026-01-02  desk   Trip to Rome?\n"
    assert service.requests[0].query == {"runId": "r", "status": "pending", "limit": "50"}
    assert json.loads(cli("approvals", "--status", "all", "--json").stdout) == {"items": [APPROVAL]}
    assert "status" not in service.requests[1].query


def test_a_large_text_is_measured(cli: Any, service: Any) -> None:
    service.on("GET /callbacks", (200, {"items": [CALLBACK], "next": None}))
    assert "(7.0 MB, left out" in cli("callbacks").stdout


def test_nothing_waits(cli: Any, service: Any) -> None:
    service.on("GET /callbacks", (200, {"items": [], "next": None}))
    assert cli("callbacks").stdout == "Nothing.\n"


@pytest.mark.parametrize(("command", "decision"), [("approve", "approved"), ("reject", "rejected")])
def test_a_decision(cli: Any, service: Any, command: str, decision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service.on("POST /approvals/r.0", (200, {**APPROVAL, "decision": decision, "decidedBy": "ada"}))
    done = cli(command, "r.0", "--by", "ada", "--comment", "ok")
    assert (done.exit_code, done.stdout) == (0, f"ask: {decision} by ada\n")
    assert service.requests[0].data == {"decision": decision, "by": "ada", "comment": "ok"}
    monkeypatch.setenv("LOOPSTEP_USER", "grace")
    cli(command, "r.0")
    assert service.requests[1].data == {"decision": decision, "by": "grace"}


@pytest.mark.parametrize(("status", "code"), [(403, 4), (404, 5), (409, 6), (410, 6)])
def test_refusals(cli: Any, service: Any, status: int, code: int) -> None:
    problem = {"code": "approval.decided", "detail": "It is.", "decision": "approved"}
    service.on("POST /approvals/r.0", (status, problem))
    done = cli("approve", "r.0", "--by", "ada", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (code, problem)


def test_a_callback_is_answered(cli: Any, service: Any, tmp_path: Any) -> None:
    service.on("POST /callbacks/r.0", (200, {**CALLBACK, "status": "completed"}))
    assert cli("callback", "succeed", "r.0", "--output", '{"score": 7}').stdout == "ask: completed\n"
    assert service.requests[0].data == {"output": {"score": 7}}
    (tmp_path / "a.json").write_text('{"score": 8}')
    cli("callback", "succeed", "r.0", "--output", f"@{tmp_path}/a.json")
    assert service.requests[1].data == {"output": {"score": 8}}
    cli("callback", "fail", "r.0", "--code", "gave_up", "--message", "cannot")
    assert service.requests[2].data == {"error": {"code": "gave_up", "message": "cannot"}}


def test_an_answer_that_breaks_the_contract(cli: Any, service: Any) -> None:
    errors = [{"path": "/score", "code": "maximum", "message": "is too large"}]
    service.on("POST /callbacks/r.0", (422, {"code": "output.invalid", "detail": "Bad.", "errors": errors}))
    done = cli("callback", "succeed", "r.0")
    assert done.exit_code == 1
    assert "/score: is too large" in done.stderr


def test_what_is_missing_is_usage(cli: Any, service: Any) -> None:
    assert cli("callback", "fail", "r.0").exit_code == 2
    assert cli("callback", "nonsense").exit_code == 2
    assert cli("approve").exit_code == 2


def test_a_user_without_a_name_has_to_say_who_decides(cli: Any, service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr("getpass.getuser", nobody)
    monkeypatch.delenv("LOOPSTEP_USER", raising=False)
    done = cli("approve", "x")
    assert done.exit_code == outcome.USAGE
    assert "--by" in done.stderr
    assert not service.requests
