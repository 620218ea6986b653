"""Working directories through the API: links that move files, and what is refused."""

from __future__ import annotations

import urllib.parse
from typing import Any

import pytest

from loopstep.gateways.files import Caps


@pytest.fixture
def run(api: Any) -> str:
    """A run that is held."""
    api.stack.store_version("p")
    return str(api("POST", "/plans/p/runs", {"hold": True}).body["runId"])


def put(api: Any, run: str, path: str, size: Any = 3) -> Any:
    return api("PUT", f"/runs/{run}/files/{path}", {"bytes": size})


def store(api: Any, run: str, path: str, body: bytes = b"abc") -> None:
    api.running.files.write(run, path, body)


def test_a_link_to_write(api: Any, run: str) -> None:
    answer = put(api, run, "docs/./a b.md")
    assert answer.status == 200
    assert answer.body.keys() == {"path", "method", "url", "headers", "expiresAt"}
    assert (answer.body["path"], answer.body["method"]) == ("docs/a b.md", "PUT")
    assert answer.body["headers"] == {"Content-Length": "3"}
    link = urllib.parse.urlsplit(answer.body["url"])
    query = urllib.parse.parse_qs(link.query)
    assert urllib.parse.unquote(link.path).endswith(f"/files/{run}/docs/a b.md")
    assert "content-length" in query["X-Amz-SignedHeaders"][0].split(";"), "no other length can be sent"
    assert int(query["X-Amz-Expires"][0]) == 300


def test_a_link_to_read(api: Any, run: str) -> None:
    store(api, run, "docs/a.md")
    answer = api("GET", f"/runs/{run}/files/docs/a.md")
    assert answer.status == 200 and answer.body["method"] == "GET" and answer.body["headers"] == {}
    assert "response-content-disposition=attachment" in answer.body["url"]


def test_the_list_has_every_file_of_the_run(api: Any, run: str) -> None:
    store(api, run, "b.txt")
    store(api, run, ".agentignore", b"*")
    store(api, "other", "c.txt")
    answer = api("GET", f"/runs/{run}/files")
    assert [(each["path"], each["bytes"]) for each in answer.body["items"]] == [(".agentignore", 1), ("b.txt", 3)]
    assert answer.body["next"] is None


def test_a_file_is_removed(api: Any, run: str) -> None:
    store(api, run, "a/b.txt")
    assert api("DELETE", f"/runs/{run}/files/a/b.txt").body == {"path": "a/b.txt"}
    assert api("GET", f"/runs/{run}/files").body["items"] == []
    assert api("DELETE", f"/runs/{run}/files/a/b.txt").body["code"] == "file.unknown"


def test_nothing_is_written_after_the_end(api: Any, run: str) -> None:
    store(api, run, "a.txt")
    assert put(api, run, "a.txt").status == 200
    api("POST", f"/runs/{run}/start")
    assert put(api, run, "a.txt").status == 200
    api("POST", f"/runs/{run}/cancel")
    for answer in (put(api, run, "a.txt"), put(api, run, "new"), api("DELETE", f"/runs/{run}/files/a.txt")):
        assert (answer.status, answer.body["code"], answer.body["runStatus"]) == (409, "run.ended", "cancelled")
    assert api("GET", f"/runs/{run}/files/a.txt").status == 200
    assert len(api("GET", f"/runs/{run}/files").body["items"]) == 1


def test_no_run_no_files(api: Any) -> None:
    for answer in (
        put(api, "nobody", "a"),
        api("GET", "/runs/nobody/files"),
        api("GET", "/runs/nobody/files/a"),
        api("DELETE", "/runs/nobody/files/a"),
    ):
        assert (answer.status, answer.body["code"]) == (404, "run.unknown")


@pytest.mark.parametrize("form", [str, urllib.parse.quote, lambda text: urllib.parse.quote(urllib.parse.quote(text))])
@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../r2/x", "/etc/passwd", "a//b", "a\\b", "..\\x", "a\0b", "．．／x", "a／b", "..", ".", "C:x",
     "%2e%2e/x", "a\nb", "a\u202eb", "x" * 901],
)  # fmt: skip
def test_unsafe_paths(api: Any, run: str, path: str, form: Any) -> None:
    """Encoded once, as the gateway may leave them, or twice, as an attacker does."""
    for answer in (put(api, run, form(path)), api("GET", f"/runs/{run}/files/{form(path)}")):
        assert (answer.status, answer.body["code"]) == (400, "file.unsafe_path"), form(path)
    assert api.running.files.listing(run) == []


def test_names_that_a_gateway_encodes(api: Any, run: str) -> None:
    for path in ("客户/报告 1.md", "100%.txt", "a+b&c=d.md"):
        assert put(api, run, urllib.parse.quote(path)).body["path"] == path
        assert put(api, run, path).body["path"] == path


@pytest.mark.parametrize(
    "body", [{}, {"bytes": -1}, {"bytes": "3"}, {"bytes": 1.5}, {"bytes": True}, {"bytes": 1, "x": 1}]
)
def test_what_an_upload_has_to_say(api: Any, run: str, body: Any) -> None:
    answer = api("PUT", f"/runs/{run}/files/a", body)
    assert (answer.status, answer.body["code"]) == (400, "request.invalid")


@pytest.mark.parametrize(("size", "status"), [(9, 200), (10, 200), (11, 422)])
def test_bytes_of_a_file(aws: Any, api: Any, run: str, size: int, status: int) -> None:
    aws.caps = Caps(file_bytes=10)
    answer = put(type(api)(aws), run, "a", size)
    assert answer.status == status
    assert status == 200 or answer.body["code"] == "file.limit"


def test_a_name_is_a_file_or_a_directory(api: Any, run: str) -> None:
    store(api, run, "a/b")
    answer = put(api, run, "a")
    assert (answer.status, answer.body["code"]) == (409, "file.name_taken")


def test_other_methods(api: Any, run: str) -> None:
    answer = api("POST", f"/runs/{run}/files/a/b")
    assert (answer.status, answer.headers["Allow"]) == (405, "DELETE, GET, PUT")
