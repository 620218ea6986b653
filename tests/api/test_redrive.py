"""POST /runs/{run}/redrive."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.runs.records import RunEnd, RunError


@pytest.fixture
def failed(api: Any) -> str:
    api.stack.store_version()
    run = api("POST", "/plans/p/runs", {}).body["runId"]
    running = api.stack.running()
    end = RunEnd("timed_out", api.stack.now(), error=RunError("run.timeout", "too long"))
    running.runs.end_run(running.head(run), end, "engine")
    return str(run)


def test_a_run_goes_on(api: Any, failed: str) -> None:
    answer = api("POST", f"/runs/{failed}/redrive")
    assert (answer.status, answer.body["status"], answer.body["epoch"]) == (202, "running", 2)
    assert answer.body["error"] is None and answer.body["endedAt"] is None
    assert [run["runId"] for run in api("GET", "/runs", query={"status": "running"}).body["items"]] == [failed]


def test_a_run_that_is_under_way_is_not_redriven(api: Any, failed: str) -> None:
    api("POST", f"/runs/{failed}/redrive")
    answer = api("POST", f"/runs/{failed}/redrive")
    assert (answer.status, answer.body["code"], answer.body["runStatus"]) == (409, "redrive.nothing", "running")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_run_that_is_not_there(api: Any) -> None:
    assert api("POST", f"/runs/{'0' * 32}/redrive").status == 404
    assert api("POST", "/runs/a b/redrive").status == 400
