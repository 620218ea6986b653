"""`loopstep sources documents`: what it asks of the API and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DOCUMENT = {"id": "a.md", "title": "a.md", "form": "markdown", "bytes": 1200, "revision": 3, "updatedAt": "T"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.md", "# A"), ("退款.md", "七天"), ("t.csv", "n\n1\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_one_file_is_sent_as_it_is(cli: Any, service: Any, folder: Path) -> None:
    service.on("PUT /sources/s/documents/a.md", (201, {**DOCUMENT, "outcome": "created"}))
    done = cli("sources", "documents", "put", "s", "a.md")
    assert (done.exit_code, done.stdout) == (0, "a.md: created\n")
    (asked,) = service.requests
    assert (asked.body, asked.query["title"]) == (b"# A", "a.md")
    service.on("PUT /sources/s/documents/x", (200, {**DOCUMENT, "outcome": "replaced"}))
    done = cli("sources", "documents", "put", "s", "a.md", "--id", "x", "--title", "T t", "--form", "text", "--json")
    assert json.loads(done.stdout)["items"][0]["outcome"] == "replaced"
    assert service.requests[-1].query == {"title": "T t"}
    assert service.requests[-1].headers["content-type"] == "text/plain"


def test_several_files_go_together(cli: Any, service: Any, folder: Path) -> None:
    put = {
        "items": [{**DOCUMENT, "outcome": "created"}, {**DOCUMENT, "id": "cbba66fe9567365a.md", "outcome": "created"}]
    }
    service.on("POST /sources/s/documents", (200, put))
    done = cli("sources", "documents", "put", "s", "a.md", "退款.md")
    assert done.stdout == "a.md: created\ncbba66fe9567365a.md: created\n"
    assert service.requests[0].data == {
        "documents": [
            {"id": "a.md", "title": "a.md", "text": "# A"},
            {"id": "cbba66fe9567365a.md", "title": "退款.md", "text": "七天"},
        ]
    }


def test_many_and_large_files_go_in_several_requests(cli: Any, service: Any, folder: Path) -> None:
    names = [f"{n:03d}.txt" for n in range(120)]
    for name in names:
        (folder / name).write_text("x" * 20_000)
    (folder / "large.txt").write_text("x" * 1_000_000)
    service.on("POST /sources/s/documents", (200, {"items": []}))
    service.on("PUT /sources/s/documents/large.txt", (201, {**DOCUMENT, "outcome": "created"}))
    assert cli("sources", "documents", "put", "s", *names, "large.txt").exit_code == 0
    sent = [each.data["documents"] for each in service.requests if each.method == "POST"]
    assert [document["id"] for documents in sent for document in documents] == names
    assert max(map(len, sent)) <= 50 and all(len(each.body) <= 1024 * 1024 for each in service.requests)


def test_faults_name_the_document(cli: Any, service: Any, folder: Path) -> None:
    error = {"path": "/documents/1/2", "code": "document.unreadable", "message": "line 2: 2 cells under 1 columns"}
    problem = {"code": "document.unreadable", "detail": "It cannot be read.", "errors": [error]}
    service.on("POST /sources/s/documents", (422, problem))
    done = cli("sources", "documents", "put", "s", "a.md", "t.csv")
    assert done.exit_code == 1 and "  t.csv/2: line 2: 2 cells under 1 columns" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["a.md", "t.csv", "--id", "x"], 2),
        (["gone.md"], 2),
        (["a.md", "sub/a.md"], 2),
        (["bytes.md"], 1),
        ([], 2),
    ],
)
def test_what_is_refused_before_anything_is_sent(
    cli: Any, service: Any, folder: Path, arguments: list[str], code: int
) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.md").write_text("x")
    (folder / "bytes.md").write_bytes(b"\xff")
    assert cli("sources", "documents", "put", "s", *arguments).exit_code == code
    assert service.requests == []


def test_list_show_remove(cli: Any, service: Any) -> None:
    service.on("GET /sources/s/documents", (200, {"items": [DOCUMENT], "next": None}))
    assert cli("sources", "documents", "list", "s").stdout == "a.md  markdown  1,200 B  T  a.md\n"
    service.on("GET /sources/s/documents", (200, {"items": [], "next": None}))
    assert cli("sources", "documents", "list", "s").stdout == "s has no documents.\n"
    service.on("GET /sources/s/documents/a.md", (200, {**DOCUMENT, "text": "# A\n\x1b[31mred"}))
    assert (
        cli("sources", "documents", "show", "s", "a.md").stdout.startswith("# A\n")
        and "\x1b" not in cli("sources", "documents", "show", "s", "a.md").stdout
    )
    service.on("DELETE /sources/s/documents/a.md", (200, {"id": "a.md", "removed": True}))
    assert cli("sources", "documents", "remove", "s", "a.md").stdout == "a.md: removed\n"
    assert cli("sources", "documents", "remove", "s", "b.md").exit_code == 5
