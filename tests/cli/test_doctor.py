"""`loopstep doctor`: each check, good and bad, and what the process ends with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopstep import __version__
from loopstep.cli import examine_here, remote
from loopstep.cli.examine_remote import MODEL_PLAN, PLAN
from loopstep.compiler.compile import compile

GOOD = {
    "version": __version__,
    "at": "2026-11-30T10:01:00.000Z",
    "sweptAt": "2026-11-30T10:00:30.000Z",
    "stuckRuns": [],
    "overdue": 0,
}


@pytest.fixture(autouse=True)
def letters(service: Any) -> None:
    service.on("GET /dead-letters", (200, {"items": []}))


def checks(done: Any) -> dict[str, tuple[str, str]]:
    return {each["name"]: (each["status"], each["detail"]) for each in json.loads(done.stdout)["checks"]}


def test_all_is_well(cli: Any, service: Any) -> None:
    service.on("GET /health", (200, GOOD))
    done = cli("doctor", "--json")
    found = checks(done)
    assert done.exit_code == 0 and json.loads(done.stdout)["ok"] is True
    assert list(found) == [
        "python",
        "local cloud",
        "api",
        "version",
        "sweeper",
        "stuck runs",
        "overdue",
        "dead letters",
    ]
    assert found["sweeper"] == ("ok", "was here 30 s ago")
    assert {status for name, (status, _) in found.items() if name != "local cloud"} == {"ok"}
    assert cli("doctor").stdout.endswith("Nothing is wrong.\n")


@pytest.mark.parametrize(
    ("changed", "name", "status", "detail"),
    [
        ({"version": "9.9"}, "version", "warning", f"the stack has 9.9, this is {__version__}"),
        ({"sweptAt": "2026-11-30T09:57:59.000Z"}, "sweeper", "failed", "was here 181 s ago"),
        ({"sweptAt": None}, "sweeper", "warning", "was never here; a fresh stack sees it within two minutes"),
        ({"stuckRuns": ["a", "b"]}, "stuck runs", "failed", "a, b"),
        ({"overdue": 3}, "overdue", "failed", "3 decisions or regions wait for the sweeper for more than five minutes"),
    ],
)
def test_what_is_wrong(cli: Any, service: Any, changed: Any, name: str, status: str, detail: str) -> None:
    service.on("GET /health", (200, GOOD | changed))
    done = cli("doctor", "--json")
    assert checks(done)[name] == (status, detail)
    assert done.exit_code == (1 if status == "failed" else 0)
    text = cli("doctor").stdout
    assert f"{'✗' if status == 'failed' else '!'} {name}: {detail}\n    " in text  # and what to do


def test_dead_letters_are_a_warning(cli: Any, service: Any) -> None:
    service.on("GET /health", (200, GOOD))
    service.on("GET /dead-letters", (200, {"items": [{}, {}]}))
    done = cli("doctor", "--json")
    assert (done.exit_code, checks(done)["dead letters"][0]) == (0, "warning")
    service.on("GET /dead-letters", (503, {"code": "service.busy", "detail": "Try again."}))
    done = cli("doctor", "--json")
    assert (done.exit_code, checks(done)["dead letters"][0]) == (1, "failed")


def test_a_wrong_key(cli: Any, service: Any) -> None:
    service.on("GET /health", (403, {"code": "ACCESS_DENIED"}))
    done = cli("doctor", "--json")
    assert done.exit_code == 8 and checks(done)["api"] == ("failed", "the key is refused")


def test_nothing_answers(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(remote.URL, "http://127.0.0.1:9/v1")
    done = cli("doctor", "--json")
    assert done.exit_code == 8 and checks(done)["api"][0] == "failed"


def test_runs_of_small_plans(cli: Any, service: Any) -> None:
    service.on("GET /health", (200, GOOD))
    service.on("PUT /plans/loopstep_doctor", (200, {}))
    service.on("POST /plans/loopstep_doctor/runs", (202, {"runId": "r", "status": "running"}))
    service.on("GET /runs/r", (200, {"runId": "r", "status": "running"}), (200, {"runId": "r", "status": "succeeded"}))
    service.on("PUT /plans/loopstep_doctor_model", (200, {}))
    service.on("POST /plans/loopstep_doctor_model/runs", (202, {"runId": "m", "status": "running"}))
    failed = {"runId": "m", "status": "failed", "error": {"code": "model.unavailable"}}
    service.on("GET /runs/m", (200, failed))
    done = cli("doctor", "--json", "--run", "--model")
    found = checks(done)
    assert done.exit_code == 1
    assert found["functions"][0] == "ok" and found["functions"][1].endswith("run r")
    assert found["model"] == ("failed", "run m is failed model.unavailable")
    assert service.asked("PUT /plans/loopstep_doctor")[0].body.decode() == PLAN


@pytest.mark.parametrize("plan", [PLAN, MODEL_PLAN])
def test_the_small_plans_compile_without_a_word(plan: str) -> None:
    assert compile(plan).diagnostics == ()


def test_outside_of_a_project(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(remote.URL, raising=False)
    monkeypatch.chdir(tmp_path)
    done = cli("doctor", "--json")
    assert checks(done)["project"] == ("failed", "no project here") and done.exit_code == 8


def test_the_checks_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(remote.URL, raising=False)
    monkeypatch.setattr(examine_here.cloud, "running", lambda project: None)
    found = {each.name: each for each in examine_here.examine_here()}
    assert found["python"].status == "ok" and found["project"].status == "ok"
    assert (found["local cloud"].status, found["local cloud"].hint) == ("warning", "`loopstep up` starts it.")
    state = {"pid": 1, "port": 2, "url": "u", "strict": True}
    monkeypatch.setattr(examine_here.cloud, "running", lambda project: state)
    monkeypatch.setattr(examine_here.cloud, "answers", lambda found: False)
    assert [each.status for each in examine_here.examine_here() if each.name == "local cloud"] == ["failed"]
    monkeypatch.setattr(examine_here.cloud, "answers", lambda found: True)
    assert [each.status for each in examine_here.examine_here() if each.name == "local cloud"] == ["ok"]
    assert "port" not in {each.name for each in examine_here.examine_here()}
