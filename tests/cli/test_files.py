"""`loopstep files` and `loopstep run --files`, against a stand-in for the API and the bucket."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import outcome, transfer

STARTED = {"runId": "r1", "plan": "p", "version": 1, "status": "created"}


def link(service: Any, path: str, method: str, **headers: str) -> tuple[int, Any]:
    return 200, {"path": path, "method": method, "url": f"{service.url}/bucket/{path}?X=1", "headers": headers}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in" / "docs").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_bytes(b"1")
    (tmp_path / "in" / "docs" / "b.txt").write_bytes(b"")
    return tmp_path / "in"


def accept(service: Any, *paths: str) -> None:
    for path in paths:
        service.on(f"PUT /runs/r1/files/{path}", link(service, path, "PUT", **{"Content-Length": "1"}))
        service.on(f"PUT /bucket/{path}", (200, b""))


def test_a_run_starts_when_its_files_are_there(cli: Any, service: Any, folder: Path) -> None:
    service.on("POST /plans/p/runs", (201, STARTED))
    service.on("POST /runs/r1/start", (202, {**STARTED, "status": "running"}))
    accept(service, "a.txt", "docs/b.txt")
    done = cli("run", "p", "--files", str(folder), "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["status"] == "running"
    assert service.asked("POST /plans/p/runs")[0].data == {"input": {}, "hold": True}
    assert service.asked("PUT /runs/r1/files/a.txt")[0].data == {"bytes": 1}
    assert service.asked("PUT /bucket/a.txt")[0].body == b"1" and service.asked("PUT /bucket/docs/b.txt")[0].body == b""
    assert "x-api-key" not in service.asked("PUT /bucket/a.txt")[0].headers, "the bucket gets no key of ours"
    assert service.requests[-1].path == "/runs/r1/start"


def test_a_run_that_was_started_before_gets_no_files(cli: Any, service: Any, folder: Path) -> None:
    """The same idempotency key again."""
    service.on("POST /plans/p/runs", (202, {**STARTED, "status": "running"}))
    done = cli("run", "p", "--files", str(folder), "--idempotency-key", "k")
    assert done.exit_code == 0 and len(service.requests) == 1


def test_a_run_whose_files_are_refused_stays_held(cli: Any, service: Any, folder: Path) -> None:
    service.on("POST /plans/p/runs", (201, STARTED))
    accept(service, "docs/b.txt")
    service.on("PUT /runs/r1/files/a.txt", (422, {"code": "file.limit", "detail": "Too large."}))
    done = cli("run", "p", "--files", str(folder))
    assert done.exit_code == outcome.NO and "loopstep cancel r1" in done.stderr and "file.limit" in done.stderr
    assert service.asked("POST /runs/r1/start") == []


def test_names_that_no_run_takes_are_found_before_anything_is_sent(cli: Any, service: Any, folder: Path) -> None:
    (folder / "a\\b").write_text("")
    done = cli("run", "p", "--files", str(folder))
    assert done.exit_code == outcome.USAGE and "a\\b" in done.stderr and service.requests == []


def test_links_are_not_followed(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/hostname")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    assert list(transfer.files_below(str(folder))) == ["a.txt", "docs/b.txt"]


def test_two_spellings_of_one_name(folder: Path) -> None:
    (folder / "caf\u00e9").write_text("")
    (folder / "cafe\u0301").write_text("")
    with pytest.raises(outcome.Failure, match="one file"):
        transfer.files_below(str(folder))


def test_list(cli: Any, service: Any) -> None:
    items = [{"path": "a\u202e.txt", "bytes": 1234, "modifiedAt": "2026-01-01T00:00:00Z"}]
    service.on("GET /runs/r1/files", (200, {"items": items, "next": None}))
    assert "\u202e" not in (said := cli("files", "list", "r1").stdout) and "1,234" in said
    assert json.loads(cli("files", "list", "r1", "--json").stdout) == {"items": items}
    service.on("GET /runs/r1/files", (200, {"items": [], "next": None}))
    assert cli("files", "list", "r1").stdout == "The run has no files.\n"


def test_put(cli: Any, service: Any, folder: Path) -> None:
    accept(service, "a.txt", "x/y.txt", "docs/b.txt")
    assert cli("files", "put", "r1", str(folder / "a.txt")).exit_code == 0
    done = cli("files", "put", "r1", str(folder / "a.txt"), "--as", "x/./y.txt", "--json")
    assert json.loads(done.stdout) == {"paths": ["x/y.txt"]}
    assert json.loads(cli("files", "put", "r1", str(folder), "--json").stdout) == {"paths": ["a.txt", "docs/b.txt"]}
    for arguments in ((str(folder), "--as", "x"), (str(folder / "nothing"),), (str(folder / "a.txt"), "--as", "../x")):
        assert cli("files", "put", "r1", *arguments).exit_code == outcome.USAGE


def test_get_and_remove(cli: Any, service: Any, tmp_path: Path) -> None:
    service.on("GET /runs/r1/files/a%20b", link(service, "a%20b", "GET"))
    service.on("GET /bucket/a%20b", (200, b"\x00\xff"))
    assert cli("files", "get", "r1", "a b").stdout_bytes == b"\x00\xff"
    assert cli("files", "get", "r1", "a b", "-o", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out").read_bytes() == b"\x00\xff"
    service.on("DELETE /runs/r1/files/a%20b", (200, {"path": "a b"}))
    assert cli("files", "remove", "r1", "a b").stdout == "removed a b\n"
    assert cli("files", "get", "r1", "../b").exit_code == outcome.USAGE


def test_what_the_bucket_refuses(cli: Any, service: Any) -> None:
    service.on("GET /runs/r1/files/a", link(service, "a", "GET"))
    service.on("GET /bucket/a", (403, b"<Error/>"))
    done = cli("files", "get", "r1", "a")
    assert done.exit_code == outcome.OUT_OF_REACH and "HTTP 403" in done.stderr and "X=1" not in done.stderr


def test_a_link_is_followed_over_http_only(cli: Any, service: Any) -> None:
    service.on(
        "GET /runs/r1/files/a", (200, {"path": "a", "method": "GET", "url": "file:///etc/passwd", "headers": {}})
    )
    done = cli("files", "get", "r1", "a")
    assert done.exit_code == outcome.OUT_OF_REACH and "root" not in done.stdout
