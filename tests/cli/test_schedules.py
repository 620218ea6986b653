"""`schedules`: what it asks of the API and what it says; a preview needs no stack."""

from __future__ import annotations

import json
from typing import Any

import pytest

MADE = {
    "id": "s", "plan": "p", "expression": "cron(0 9 * * ? *)", "timeZone": "Europe/Berlin", "input": {"a": 1},
    "version": None, "enabled": True, "deleteAfterCompletion": False, "endsAt": None,
    "nextAt": "2026-12-01T08:00:00Z", "createdAt": "t", "updatedAt": "t",
}  # fmt: skip


def test_put(cli: Any, service: Any) -> None:
    service.on("PUT /plans/p/schedules/s", (201, MADE))
    done = cli("schedules", "put", "p", "s", "cron(0 9 * * ? *)", "--time-zone", "Europe/Berlin", "--input", '{"a": 1}')
    assert (done.exit_code, done.stdout) == (0, "s: next 2026-12-01 08:00:00Z\n")
    every = ["--version", "2", "--disabled", "--delete-after-completion", "--ends-at", "2027-01-01T00:00:00Z"]
    cli("schedules", "put", "p", "s", "rate(1 day)", *every)
    assert [request.data for request in service.requests] == [
        {"expression": "cron(0 9 * * ? *)", "input": {"a": 1}, "enabled": True, "deleteAfterCompletion": False,
         "timeZone": "Europe/Berlin"},
        {"expression": "rate(1 day)", "input": {}, "enabled": False, "deleteAfterCompletion": True, "version": 2,
         "endsAt": "2027-01-01T00:00:00Z"},
    ]  # fmt: skip


def test_what_is_wrong_is_said_with_its_place(cli: Any, service: Any) -> None:
    problem = {"code": "schedule.invalid", "detail": "The schedule has errors.",
               "errors": [{"path": "/timeZone", "code": "zone", "message": "There is no such time zone."}]}  # fmt: skip
    service.on("PUT /plans/p/schedules/s", (422, problem))
    done = cli("schedules", "put", "p", "s", "rate(1 day)")
    assert done.exit_code == 1 and "/timeZone: There is no such time zone." in done.stderr


def test_list_show_switch_remove(cli: Any, service: Any) -> None:
    service.on("GET /plans", (200, {"items": [{"name": "p"}, {"name": "q"}], "next": None}))
    service.on("GET /plans/p/schedules", (200, {"items": [MADE], "next": None}))
    service.on("GET /plans/q/schedules", (200, {"items": [], "next": None}))
    line = "p  s  cron(0 9 * * ? *)  Europe/Berlin  next 2026-12-01 08:00:00Z\n"
    assert cli("schedules", "list").stdout == line == cli("schedules", "list", "p").stdout
    assert cli("schedules", "list", "q").stdout == "There is no schedule yet.\n"
    service.on("GET /plans/p/schedules/s", (200, MADE))
    assert 'input                  {"a": 1}' in cli("schedules", "show", "p", "s").stdout
    assert json.loads(cli("schedules", "show", "p", "s", "--json").stdout) == MADE
    service.on("POST /plans/p/schedules/s/disable", (200, {**MADE, "enabled": False, "nextAt": None}))
    service.on("POST /plans/p/schedules/s/enable", (200, {**MADE, "nextAt": None}))
    assert cli("schedules", "disable", "p", "s").stdout == "s: disabled\n"
    assert cli("schedules", "enable", "p", "s").stdout == "s: over\n"
    service.on("DELETE /plans/p/schedules/s", (200, {"id": "s", "removed": True}))
    assert cli("schedules", "remove", "p", "s").stdout == "s: removed\n"


def test_preview_of_a_schedule(cli: Any, service: Any) -> None:
    items = [
        {"at": None, "local": "2027-03-28T02:30:00", "shift": "gap"},
        {"at": "2027-10-31T00:30:00Z", "local": "2027-10-31T02:30:00+02:00", "shift": "overlap"},
    ]
    service.on("GET /plans/p/schedules/s/preview", (200, {"timeZone": "Europe/Berlin", "items": items}))
    assert cli("schedules", "preview", "p", "s", "--count", "3").stdout == (
        "Sun 2027-03-28 02:30:00                               skipped: the clocks go forward\n"
        "Sun 2027-10-31 02:30:00 +02:00  2027-10-31T00:30:00Z  once: the clocks go back\n"
    )
    assert service.requests[0].query == {"count": "3"}


def test_preview_of_an_expression_needs_no_stack(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPSTEP_URL", "http://127.0.0.1:9")
    done = cli("schedules", "preview", "cron(30 2 * * ? *)", "--time-zone", "Europe/Berlin", "--count", "100", "--json")
    found = json.loads(done.stdout)
    assert found["timeZone"] == "Europe/Berlin" and sum(each["at"] is not None for each in found["items"]) == 100
    assert len(cli("schedules", "preview", "rate(5 minutes)").stdout.splitlines()) == 10
    assert cli("schedules", "preview", "at(2020-01-01T00:00:00)").stdout == "It fires no more.\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["cron(1)"], 1),
        (["rate(1 day)", "--time-zone", "Mars"], 1),
        (["rate(1 day)", "s"], 2),
        (["p"], 2),
        (["p", "s", "--time-zone", "UTC"], 2),
        (["rate(1 day)", "--count", "0"], 2),
    ],
)
def test_a_preview_of_what_cannot_be(cli: Any, service: Any, arguments: list[str], code: int) -> None:
    assert cli("schedules", "preview", *arguments).exit_code == code
    assert service.requests == []
