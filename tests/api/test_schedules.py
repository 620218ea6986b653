"""Routes of schedules."""

from __future__ import annotations

from typing import Any

import pytest

PATH = "/plans/p/schedules/nightly"
BODY = {"expression": "cron(0 2 * * ? *)", "timeZone": "America/New_York", "input": {"a": 1}}


@pytest.fixture
def plan(api: Any) -> Any:
    api.stack.store_version("p", input={"a": {"type": "integer"}})
    return api


def test_put_read_list_switch_remove(plan: Any) -> None:
    made = plan("PUT", PATH, BODY)
    assert (made.status, made.body["id"], made.body["plan"]) == (201, "nightly", "p")
    assert made.body.items() >= {**BODY, "enabled": True, "version": None, "nextAt": "2026-01-01T07:00:00Z"}.items()
    assert plan("PUT", PATH, BODY).status == 200
    assert plan("GET", PATH).body["createdAt"] == made.body["createdAt"]
    assert [each["id"] for each in plan("GET", "/plans/p/schedules").body["items"]] == ["nightly"]
    assert plan("POST", f"{PATH}/disable").body["enabled"] is False
    assert plan("POST", f"{PATH}/enable").body["nextAt"] == "2026-01-01T07:00:00Z"
    found = plan("GET", f"{PATH}/preview", query={"count": "2"}).body
    assert [each["local"] for each in found["items"]] == ["2026-01-01T02:00:00-05:00", "2026-01-02T02:00:00-05:00"]
    assert plan("DELETE", PATH).body == {"id": "nightly", "removed": True}
    calls = (("GET", PATH), ("DELETE", PATH), ("POST", f"{PATH}/enable"), ("GET", f"{PATH}/preview"))
    for method, path in calls:
        gone = plan(method, path)
        assert (gone.status, gone.body["code"]) == (404, "schedule.unknown")


def test_its_end(plan: Any) -> None:
    made = plan("PUT", PATH, {**BODY, "endsAt": "2026-01-01T09:00:00+01:00", "deleteAfterCompletion": True})
    assert (made.body["endsAt"], made.body["nextAt"]) == ("2026-01-01T08:00:00Z", "2026-01-01T07:00:00Z")
    assert len(plan("GET", f"{PATH}/preview").body["items"]) == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "request.invalid"),
        ({**BODY, "other": 1}, 400, "request.invalid"),
        ({**BODY, "expression": 1}, 400, "request.invalid"),
        ({**BODY, "version": 0}, 400, "request.invalid"),
        ({**BODY, "endsAt": "2027-01-01T00:00:00"}, 400, "request.invalid"),
        ({**BODY, "input": []}, 400, "request.invalid"),
        ({**BODY, "expression": "cron(0 2 * * * *)"}, 422, "schedule.invalid"),
        ({**BODY, "timeZone": "EST6"}, 422, "schedule.invalid"),
        ({**BODY, "input": {"a": "x"}}, 422, "input.invalid"),
        ({**BODY, "version": 7}, 404, "plan.version_unknown"),
    ],
)
def test_what_is_refused(plan: Any, body: Any, status: int, code: str) -> None:
    refused = plan("PUT", PATH, body)
    assert (refused.status, refused.body["code"]) == (status, code)
    assert plan("GET", PATH).status == 404


@pytest.mark.parametrize("path", ["/plans/q/schedules/a", "/plans/q/schedules"])
def test_unknown_plans(plan: Any, path: str) -> None:
    refused = plan("PUT" if path.endswith("a") else "GET", path, BODY)
    assert (refused.status, refused.body["code"]) == (404, "plan.unknown")


@pytest.mark.parametrize("id", ["-a", "a.b", "a" * 64, "a%20b"])
def test_what_is_no_id(plan: Any, id: str) -> None:
    assert plan("PUT", f"/plans/p/schedules/{id}", BODY).status in (400, 404)
