"""Routes of triggers and dead letters."""

from __future__ import annotations

import json
from typing import Any

import pytest

PATH = "/plans/p/triggers/paid"
BODY = {"pattern": {"source": ["shop"]}, "input": {"order": {"ref": "event.detail.order"}}}


@pytest.fixture
def plan(api: Any) -> Any:
    api.stack.store_version("p", input={"order": {"type": "string", "required": True}})
    return api


def test_put_read_list_switch_remove(plan: Any) -> None:
    made = plan("PUT", PATH, BODY)
    assert made.status == 201 and made.body.items() >= {**BODY, "id": "paid", "plan": "p", "enabled": True}.items()
    assert plan("PUT", PATH, BODY).status == 200
    assert plan("GET", PATH).body == made.body
    assert [each["id"] for each in plan("GET", "/plans/p/triggers").body["items"]] == ["paid"]
    assert plan("POST", f"{PATH}/disable").body["enabled"] is False
    assert plan("POST", f"{PATH}/enable").body["enabled"] is True
    assert plan("DELETE", PATH).body == {"id": "paid", "removed": True}
    for method, path in (("GET", PATH), ("DELETE", PATH), ("POST", f"{PATH}/enable")):
        gone = plan(method, path)
        assert (gone.status, gone.body["code"]) == (404, "trigger.unknown")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "trigger.invalid"),
        ([], 422, "trigger.invalid"),
        ({**BODY, "other": 1}, 422, "trigger.invalid"),
        ({**BODY, "enabled": "yes"}, 422, "trigger.invalid"),
        ({**BODY, "input": {}}, 422, "trigger.invalid"),
        ({**BODY, "version": 7}, 404, "plan.version_unknown"),
    ],
)
def test_what_is_refused(plan: Any, body: Any, status: int, code: str) -> None:
    refused = plan("PUT", PATH, body)
    assert (refused.status, refused.body["code"]) == (status, code)
    assert plan("GET", PATH).status == 404
    assert plan("PUT", "/plans/q/triggers/a", BODY).body["code"] == "plan.unknown"


def test_dead_letters(plan: Any) -> None:
    from loopstep.services.deliver_event import deliver_or_bury

    plan("PUT", PATH, BODY)
    event = {"id": "e", "source": "shop", "detail-type": "paid", "detail": {"canary": "canary"}}
    assert deliver_or_bury(plan.stack.triggering(), "p", "paid", event) == "input.invalid"
    (letter,) = plan("GET", "/dead-letters").body["items"]
    assert letter["errors"][0]["path"] == "/order" and "canary" not in json.dumps(letter)
    refused = plan("POST", f"/dead-letters/{letter['id']}/redrive")
    assert (refused.status, refused.body["code"]) == (422, "input.invalid")
    plan("PUT", PATH, {**BODY, "input": {"order": {"value": "o"}}})
    assert plan("POST", f"/dead-letters/{letter['id']}/redrive").body["runId"]
    for method, path in (
        ("POST", f"/dead-letters/{letter['id']}/redrive"),
        ("DELETE", f"/dead-letters/{letter['id']}"),
    ):
        gone = plan(method, path)
        assert (gone.status, gone.body["code"]) == (404, "dead_letter.unknown")
    assert plan("DELETE", "/dead-letters/a_b").status in (400, 404)
