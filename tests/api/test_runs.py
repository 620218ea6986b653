"""Routes of runs and messages (ARCHITECTURE §5)."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.runs.records import RunEnd

FIELDS = {"request": {"type": "string", "required": True}, "n": {"type": "integer", "default": 1}}


@pytest.fixture
def plan(api: Any) -> Any:
    api.stack.store_version(input=FIELDS)
    return api


def test_a_run_is_started_and_read(plan: Any) -> None:
    started = plan("POST", "/plans/p/runs", {"input": {"request": "客户"}})
    assert started.status == 202
    assert started.body.keys() == {"runId", "plan", "version", "status"}
    read = plan("GET", f"/runs/{started.body['runId']}")
    assert read.status == 200 and read.headers["Content-Type"] == "application/json"
    assert read.body["input"] == {"request": "客户", "n": 1}
    assert (read.body["status"], read.body["plan"], read.body["version"]) == ("running", "p", 1)


def test_bad_input_names_every_place(plan: Any) -> None:
    refused = plan("POST", "/plans/p/runs", {"input": {"n": "x", "other": 1}})
    assert refused.status == 422
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.body["code"] == "input.invalid"
    assert {error["path"] for error in refused.body["errors"]} == {"/request", "/n", "/other"}
    assert all(error.keys() == {"path", "code", "message"} for error in refused.body["errors"])


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        ("{", 400, "request.malformed"),
        ('{"input": {"request": "x"}', 400, "request.malformed"),
        ('{"input": {"n": NaN}}', 400, "request.malformed"),
        ('{"input": {}, "input": {"request": "x"}}', 400, "request.malformed"),
        ('{"input": {"\\ud800": 1}}', 400, "request.malformed"),
        ("[" * 100_000, 400, "request.malformed"),
        ('{"input":' * 400 + "1" + "}" * 400, 400, "request.malformed"),
        ("[]", 400, "request.invalid"),
        ('[{"input": {"request": "x"}}]', 400, "request.invalid"),
        ('"x"', 400, "request.invalid"),
        ("null", 400, "request.invalid"),
        ('{"inputs": {}}', 400, "request.invalid"),
        ('{"input": {"request": "x"}, "version": 0}', 400, "request.invalid"),
        ('{"input": {"request": "x"}, "version": "1"}', 400, "request.invalid"),
        ('{"input": {"request": "x"}, "hold": "yes"}', 400, "request.invalid"),
        ('{"input": {"request": "x", "n": 1e400}}', 422, "input.invalid"),
        ('{"input": {"request": "x", "n": 9007199254740993}}', 422, "input.invalid"),
        ('{"input": {"request": "\\ud800"}}', 422, "input.invalid"),
        ('{"input": [1]}', 422, "input.invalid"),
        ("", 422, "input.invalid"),
        ('{"input": {"request": "x"}, "version": 7}', 404, "plan.version_unknown"),
    ],
)
def test_bodies_that_start_nothing(plan: Any, raw: str, status: int, code: str) -> None:
    refused = plan("POST", "/plans/p/runs", raw=raw)
    assert (refused.status, refused.body["code"]) == (status, code)
    assert {"type", "title", "status", "code", "detail"} <= refused.body.keys()
    assert refused.body["status"] == status
    assert plan.stack.executions() == []


def test_a_body_over_1_mib_is_too_large(plan: Any) -> None:
    frame = '{"input":{"request":""}}'
    for count in (1024 * 1024 - len(frame) - 1, 1024 * 1024 - len(frame)):
        text = "好" * (count // 3) + "a" * (count % 3)
        assert plan("POST", "/plans/p/runs", raw=frame.replace('""', f'"{text}"')).status == 202
    for letter, count in (("a", 1024 * 1024 - len(frame) + 1), ("好", 350_000)):
        refused = plan("POST", "/plans/p/runs", raw=frame.replace('""', f'"{letter * count}"'))
        assert (refused.status, refused.body["code"]) == (413, "document.too_large")


def test_idempotency_keys(plan: Any) -> None:
    first = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}, Idempotency_Key="k 1")
    again = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}, idempotency_key="k 1")
    other = plan("POST", "/plans/p/runs", {"input": {"request": "y"}}, **{"IDEMPOTENCY-KEY": "k 1"})
    assert (first.status, again.status, other.status) == (202, 202, 409)
    assert first.body["runId"] == again.body["runId"]
    assert other.body["code"] == "idempotency.conflict"
    for key in ("", " ", "x" * 256, "ключ"):
        refused = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}, Idempotency_Key=key)
        assert (refused.status, refused.body["code"]) == (400, "request.invalid"), key
    listed = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}, Idempotency_Key="a,b")
    assert listed.status == 202


def test_hold_and_start(plan: Any) -> None:
    held = plan("POST", "/plans/p/runs", {"input": {"request": "x"}, "hold": True})
    assert (held.status, held.body["status"]) == (201, "created")
    started = plan("POST", f"/runs/{held.body['runId']}/start")
    assert (started.status, started.body["status"]) == (202, "running")
    assert plan("POST", f"/runs/{held.body['runId']}/start").status == 202


def test_cancel(plan: Any) -> None:
    run = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}).body["runId"]
    for _ in range(2):
        cancelled = plan("POST", f"/runs/{run}/cancel")
        assert (cancelled.status, cancelled.body["status"]) == (200, "cancelled")
        assert cancelled.body["error"]["code"] == "run.cancelled"
    ended = plan.running.head(plan("POST", "/plans/p/runs", {"input": {"request": "x"}}).body["runId"])
    plan.running.runs.end_run(ended, RunEnd("failed", "2026-01-02T00:00:00.000Z"), "e")
    refused = plan("POST", f"/runs/{ended.run}/cancel")
    assert (refused.status, refused.body["code"], refused.body["runStatus"]) == (409, "run.ended", "failed")
    assert refused.body["status"] == 409


def test_waiting(plan: Any) -> None:
    run = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}).body["runId"]
    assert plan("GET", f"/runs/{run}", query={"wait": "0.3"}).body["status"] == "running"
    assert sum(plan.stack.slept) == pytest.approx(0.3)
    for wait in ("-1", "x", "nan", "inf", "1e9"):
        assert plan("GET", f"/runs/{run}", query={"wait": wait}).status == 400
    assert plan("GET", f"/runs/{run}/activations", query={"wait": "0.1"}).body == {"items": [], "next": None}


@pytest.mark.parametrize("limit", ["0", "101", "x", "-1", "1.5", ""])
@pytest.mark.parametrize("path", ["/runs", "/plans", "/messages"])
def test_limits_are_1_to_100(plan: Any, path: str, limit: str) -> None:
    refused = plan("GET", path, query={"limit": limit, "runId": "r"})
    assert (refused.status, refused.body["code"]) == (400, "request.invalid")
    assert refused.body["errors"][0]["path"] == "/query/limit"


def test_cursors_are_checked(plan: Any) -> None:
    for path in ("/runs", "/plans", "/plans/p/versions", "/messages", "/runs/{run}/activations"):
        run = plan("POST", "/plans/p/runs", {"input": {"request": "x"}}).body["runId"]
        refused = plan("GET", path.format(run=run), query={"next": "bm9uc2Vuc2U", "scope": "ops"})
        assert (refused.status, refused.body["code"]) == (400, "request.cursor"), path


def test_lists(plan: Any) -> None:
    runs = [plan("POST", "/plans/p/runs", {"input": {"request": "x"}}).body["runId"] for _ in range(3)]
    first = plan("GET", "/runs", query={"limit": "2", "plan": "p", "status": "running"}).body
    rest = plan("GET", "/runs", query={"limit": "2", "plan": "p", "status": "running", "next": first["next"]}).body
    assert [item["runId"] for item in first["items"] + rest["items"]] == runs[::-1]
    assert rest["next"] is None
    assert plan("GET", "/runs", query={"status": "lost"}).status == 400
    assert plan("GET", "/runs", query={"plan": "no plan"}).status == 400
    assert plan("GET", "/messages").body["code"] == "request.invalid"
    assert plan("GET", "/messages", query={"scope": "ops"}).body == {"items": [], "next": None}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/runs/{}"),
        ("GET", "/runs/{}/activations"),
        ("POST", "/runs/{}/cancel"),
        ("POST", "/runs/{}/start"),
    ],
)
def test_ids_in_paths_are_checked(plan: Any, method: str, path: str) -> None:
    for bad in ("a b", "x" * 71, "a.b", "%41", "ключ", "a|b"):
        assert plan(method, path.format(bad)).status == 400, bad
    unknown = plan(method, path.format("0" * 32))
    assert (unknown.status, unknown.body["code"]) == (404, "run.unknown")
