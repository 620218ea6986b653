"""`triggers` and `dead-letters`: what they ask of the API and what they say."""

from __future__ import annotations

import json
from typing import Any

MADE = {
    "id": "t", "plan": "p", "pattern": {"source": ["shop"]}, "input": {"a": {"ref": "event.id"}}, "version": None,
    "enabled": True, "createdAt": "t", "updatedAt": "t",
}  # fmt: skip
LETTER = {
    "id": "l-1", "kind": "event", "plan": "p", "trigger": "t", "schedule": None, "code": "input.invalid",
    "detail": "It does not fit.", "errors": [{"path": "/a", "code": "type", "message": "no text"}], "eventId": "e",
    "source": "shop", "detailType": "paid", "sentAt": "2026-11-30T10:00:00Z",
}  # fmt: skip
FILE = "pattern: {source: [shop]}\n"


def test_put(cli: Any, service: Any) -> None:
    service.on("PUT /plans/p/triggers/t", (201, MADE))
    done = cli("triggers", "put", "p", "t", "-", stdin=FILE)
    assert (done.exit_code, done.stdout) == (0, "t: enabled\n")
    assert service.requests[0].body.decode() == FILE


def test_faults_are_said_with_their_place(cli: Any, service: Any) -> None:
    fault = {"line": 1, "column": 3, "severity": "error", "code": "expr.syntax", "message": "no"}
    service.on(
        "PUT /plans/p/triggers/t",
        (422, {"code": "trigger.invalid", "detail": "It has errors.", "diagnostics": [fault]}),
        (
            422,
            {"code": "trigger.invalid", "detail": "It has errors.", "errors": [{"path": "/pattern", "message": "no"}]},
        ),
    )
    first, second = (cli("triggers", "put", "p", "t", "-", stdin=FILE) for _ in range(2))
    assert (first.exit_code, first.stderr) == (1, "-:1:3: error[expr.syntax]: no\n")
    assert second.exit_code == 1 and "/pattern: no" in second.stderr


def test_list_show_switch_remove(cli: Any, service: Any) -> None:
    service.on("GET /plans", (200, {"items": [{"name": "p"}], "next": None}))
    service.on("GET /plans/p/triggers", (200, {"items": [MADE], "next": None}))
    line = 'p  t  enabled  {"source": ["shop"]}\n'
    assert cli("triggers", "list").stdout == line == cli("triggers", "list", "p").stdout
    service.on("GET /plans/p/triggers/t", (200, MADE))
    assert '{"a": {"ref": "event.id"}}' in cli("triggers", "show", "p", "t").stdout
    service.on("POST /plans/p/triggers/t/disable", (200, {**MADE, "enabled": False}))
    service.on("POST /plans/p/triggers/t/enable", (200, MADE))
    assert cli("triggers", "disable", "p", "t").stdout == "t: disabled\n"
    assert cli("triggers", "enable", "p", "t").stdout == "t: enabled\n"
    service.on("DELETE /plans/p/triggers/t", (200, {"id": "t", "removed": True}))
    assert cli("triggers", "remove", "p", "t").stdout == "t: removed\n"


def test_dead_letters(cli: Any, service: Any) -> None:
    service.on("GET /dead-letters", (200, {"items": [LETTER], "next": None}))
    assert cli("dead-letters", "list").stdout == (
        "l-1  2026-11-30 10:00:00Z  p/t  input.invalid\n  It does not fit.\n    /a: no text\n"
    )
    assert json.loads(cli("dead-letters", "list", "--json").stdout)["items"] == [LETTER]
    service.on("POST /dead-letters/l-1/redrive", (200, {"id": "l-1", "runId": "r", "skipped": None}))
    service.on("POST /dead-letters/l-2/redrive", (422, {"code": "input.invalid", "detail": "It does not fit."}))
    done = cli("dead-letters", "redrive", "l-2", "l-1")
    assert (done.exit_code, done.stdout) == (1, "l-1: r\n") and "It does not fit." in done.stderr
    service.on("DELETE /dead-letters/l-1", (200, {"id": "l-1", "removed": True}))
    assert cli("dead-letters", "remove", "l-1").stdout == "l-1: removed\n"
    service.on("GET /dead-letters", (200, {"items": [], "next": None}))
    assert cli("dead-letters", "list").stdout == "There is no dead letter.\n"
