"""What the API answers becomes an exit code, one line on stderr, and with --json one document on stdout."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.cli import outcome, remote

CODES = {400: 2, 401: 4, 403: 4, 404: 5, 409: 6, 410: 6, 413: 2, 422: 1, 429: 8, 500: 8, 503: 8}


@pytest.mark.parametrize(("status", "code"), CODES.items())
def test_statuses(cli: Any, service: Any, status: int, code: int) -> None:
    problem = {"code": "some.code", "detail": "It is so."}
    service.on("GET /runs", (status, problem))
    done = cli("runs", "--json")
    assert done.exit_code == code
    assert json.loads(done.stdout) == problem
    assert done.stderr == "Error: It is so. (some.code)\n"
    assert cli("runs").stdout == ""


@pytest.mark.parametrize("body", [b"", b"<html>gateway</html>", b'"text"', {"message": "Forbidden"}])
def test_a_refusal_of_another_shape(cli: Any, service: Any, body: Any) -> None:
    service.on("GET /plans", (403, body))
    done = cli("plans")
    assert done.exit_code == outcome.NOT_ALLOWED
    assert done.stderr.startswith("Error: ")


def test_faults_of_an_input_are_listed(cli: Any, service: Any) -> None:
    errors = [{"path": "/request", "code": "required", "message": "is required"}]
    service.on("POST /plans/p/runs", (422, {"code": "input.invalid", "detail": "Bad.", "errors": errors}))
    done = cli("run", "p", "--input", "{}")
    assert done.exit_code == outcome.NO
    assert "  /request: is required\n" in done.stderr


BUSY = {"code": "service.busy", "detail": "Too much at the same time. Try again."}
GOING_ON = {"code": remote.GOING_ON, "detail": "The first request is not over."}


@pytest.mark.parametrize("status", remote.BUSY)
def test_what_was_too_much_at_the_time_is_asked_again(cli: Any, service: Any, status: int) -> None:
    service.on("GET /runs", (status, BUSY), (200, {"items": [], "next": None}))
    done = cli("runs", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"items": []})
    assert len(service.asked("GET /runs")) == 2


def test_it_gives_up_in_the_end(cli: Any, service: Any) -> None:
    service.on("GET /runs", (503, BUSY))
    assert cli("runs").exit_code == outcome.OUT_OF_REACH
    assert len(service.asked("GET /runs")) == remote.TRIES


def test_other_refusals_are_not_asked_again(cli: Any, service: Any) -> None:
    service.on("POST /runs/r/cancel", (409, {"code": "run.ended", "detail": "Over."}))
    assert cli("cancel", "r").exit_code == outcome.CONFLICT
    assert len(service.asked("POST /runs/r/cancel")) == 1


@pytest.mark.parametrize("first", [(503, BUSY), (429, BUSY), (409, GOING_ON)])
def test_a_post_is_repeated_under_its_key(cli: Any, service: Any, first: Any) -> None:
    service.on("POST /dead-letters/a/redrive", first, (200, {"id": "a", "runId": "r", "skipped": None}))
    service.on("POST /dead-letters/b/redrive", (200, {"id": "b", "runId": "s", "skipped": None}))
    assert cli("dead-letters", "redrive", "a", "b").exit_code == 0
    keys = [each.headers["idempotency-key"] for each in service.requests]
    assert len(keys) == 3 and keys[0] == keys[1] != keys[2]
    assert all(len(key) == 32 for key in keys)


def test_a_key_that_is_given_stays(service: Any) -> None:
    service.on("POST /x", (503, BUSY), (200, {}))
    remote.connect().call("POST", "/x", {}, headers={remote.IDEMPOTENCY: "k 1"})
    assert [each.headers["idempotency-key"] for each in service.requests] == ["k 1", "k 1"]


def test_only_a_post_has_a_key(service: Any) -> None:
    for method in ("GET", "PUT", "DELETE"):
        service.on(f"{method} /x", (200, {}))
        remote.connect().call(method, "/x")
    assert not any("idempotency-key" in each.headers for each in service.requests)


def test_nobody_there(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(remote.URL, "http://127.0.0.1:1/v1")
    done = cli("runs", "--json")
    assert done.exit_code == outcome.OUT_OF_REACH
    assert "no answer from http://127.0.0.1:1/v1" in done.stderr


def test_no_local_cloud(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.delenv(remote.URL, raising=False)
    monkeypatch.chdir(tmp_path)
    done = cli("runs")
    assert done.exit_code == outcome.USAGE
    assert "LOOPSTEP_URL names a stack elsewhere" in done.stderr
    (tmp_path / "template.yaml").touch()
    (tmp_path / "layers" / "loopstep").mkdir(parents=True)
    done = cli("runs")
    assert done.exit_code == outcome.OUT_OF_REACH
    assert "`loopstep up` starts it" in done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "notaurl",
        "http://[",
        "http://",
        "http:///v1",
        "file:///etc/passwd",
        "http://x:99999/",
        "http://x:y/",
        "http://a b/",
        "http://x/\n",
        "http://x/v1?a=b",
        "http://x/v1#a",
        "http://\udcff/",
        "https://ü/",
    ],
)
def test_an_address_that_is_none(cli: Any, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv(remote.URL, url)
    done = cli("runs")
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")
    assert "LOOPSTEP_URL is no address of an API" in done.stderr


@pytest.mark.parametrize("key", ["a\nb", "ключ", "\udcff"])
def test_a_key_that_no_header_can_carry(cli: Any, service: Any, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(remote.KEY, key)
    assert cli("runs").exit_code == outcome.USAGE
    assert not service.requests


@pytest.mark.parametrize("answer", [None, [], {}, {"items": None}])
def test_an_answer_of_another_service(cli: Any, service: Any, answer: Any) -> None:
    service.on("GET /runs", (200, answer))
    done = cli("runs")
    assert (done.exit_code, done.stdout) == (outcome.OUT_OF_REACH, "")
    assert "does not answer as loopstep does" in done.stderr


def test_a_refusal_cannot_steer_the_terminal(cli: Any, service: Any) -> None:
    errors = [{"path": "/a\x1b[2J", "message": "no \u202e"}]
    service.on("GET /runs", (422, {"detail": "No \x1b]0;x\x07", "errors": errors}))
    done = cli("runs")
    assert done.stderr == "Error: No \\u{1b}]0;x\\u{7}\n  /a\\u{1b}[2J: no \\u{202e}\n"


def test_the_key_and_the_accepted_type_are_sent(cli: Any, service: Any) -> None:
    service.on("GET /plans", (200, {"items": [], "next": None}))
    assert cli("plans").stdout == "No plan is published yet.\n"
    assert service.requests[0].headers["x-api-key"] == "a-key"


def test_pages_are_followed_up_to_the_limit(cli: Any, service: Any) -> None:
    def item(n: int) -> dict[str, Any]:
        return {"runId": f"r{n}", "plan": "p", "version": 1, "status": "running", "startedAt": None}

    service.on(
        "GET /runs", (200, {"items": [item(1), item(2)], "next": "n/ext"}), (200, {"items": [item(3)], "next": "x"})
    )
    done = cli("runs", "--limit", "3", "--plan", "p", "--json")
    assert [each["runId"] for each in json.loads(done.stdout)["items"]] == ["r1", "r2", "r3"]
    first, second = service.requests
    assert first.query == {"limit": "3", "plan": "p"}
    assert second.query == {"limit": "1", "plan": "p", "next": "n/ext"}


@pytest.mark.parametrize("run", ["../plans", "a b", "ü"])
def test_what_stands_in_a_path_is_quoted(cli: Any, service: Any, run: str) -> None:
    assert cli("cancel", run).exit_code == outcome.NOT_FOUND
    assert service.requests[0].path == f"/runs/{remote.quoted(run)}/cancel"
