"""Routes of documents: bodies and their media types, refusals with places, lists."""

from __future__ import annotations

import base64
from typing import Any

import pytest


@pytest.fixture
def source(api: Any) -> Any:
    """The API with a source `s`, a table `t`, a graph `g` and a knowledge base `k`."""
    for id, kind in (("s", "DOCUMENT"), ("t", "STRUCTURED_DATA"), ("g", "GRAPH")):
        assert api("PUT", f"/sources/{id}", {"kind": kind}).status == 201
    assert api("PUT", "/sources/k", {"kind": "DOCUMENT", "managed": {"knowledgeBaseId": "KB12345678"}}).status == 201
    return api


def put(api: Any, path: str, text: str, media: str = "", **more: Any) -> Any:
    return api("PUT", path, raw=text, **({"content_type": media} if media else {}), **more)


def test_put_read_list_remove(source: Any) -> None:
    first = put(source, "/sources/s/documents/faq.md", "# Häufig\n\nText.", query={"title": "FAQ 常见"})
    assert (first.status, first.body["outcome"]) == (201, "created")
    assert {name: first.body[name] for name in ("id", "title", "form", "bytes", "revision")} == {
        "id": "faq.md", "title": "FAQ 常见", "form": "markdown", "bytes": 16, "revision": 1,
    }  # fmt: skip
    again = put(source, "/sources/s/documents/faq.md", "# Häufig\n\nText.", query={"title": "FAQ 常见"})
    assert (again.status, again.body["outcome"], again.body["revision"]) == (200, "unchanged", 1)
    other = put(source, "/sources/s/documents/faq.md", "Other.", "text/plain; charset=utf-8")
    assert (other.status, other.body["outcome"], other.body["form"]) == (200, "replaced", "text")
    assert source("GET", "/sources/s/documents/faq.md").body["text"] == "Other."
    put(source, "/sources/s/documents/a.html", "<p>x")
    page = source("GET", "/sources/s/documents", query={"limit": "1"}).body
    assert [each["id"] for each in page["items"]] == ["a.html"]
    page = source("GET", "/sources/s/documents", query={"limit": "1", "next": page["next"]}).body
    assert [each["id"] for each in page["items"]] == ["faq.md"]
    assert source("DELETE", "/sources/s/documents/faq.md").body == {"id": "faq.md", "removed": True}
    for method in ("GET", "DELETE"):
        gone = source(method, "/sources/s/documents/faq.md")
        assert (gone.status, gone.body["code"]) == (404, "document.unknown")


def test_several_at_once(source: Any) -> None:
    documents = [{"id": "a.csv", "text": "n\n1\n"}, {"id": "b", "form": "jsonl", "text": '{"n": 2}', "title": "B"}]
    answer = source("POST", "/sources/t/documents", {"documents": documents})
    assert (answer.status, [each["revision"] for each in answer.body["items"]]) == (200, [1, 1])
    again = source("POST", "/sources/t/documents", {"documents": [*documents, {"id": "c.csv", "text": "n\n3\n"}]})
    assert [each["outcome"] for each in again.body["items"]] == ["unchanged", "unchanged", "created"]
    bad = [{"id": "x.csv", "text": "n\n1\n"}, {"id": "y.csv", "text": "n\n1,2\n"}]
    refused = source("POST", "/sources/t/documents", {"documents": bad})
    assert (refused.status, refused.body["code"]) == (422, "document.unreadable")
    assert refused.body["errors"] == [
        {
            "path": "/documents/1/2",
            "code": "document.unreadable",
            "message": "line 2: 2 cells under 1 columns",
        }
    ]
    assert source("GET", "/sources/t/documents/x.csv").status == 404


@pytest.mark.parametrize(
    ("path", "text", "media", "status", "code"),
    [
        ("/sources/none/documents/a.md", "x", "", 404, "source.unknown"),
        ("/sources/k/documents/a.md", "x", "", 409, "source.managed"),
        ("/sources/s/documents/a", "x", "", 422, "document.form"),
        ("/sources/s/documents/a.pdf", "x", "application/pdf", 422, "document.form"),
        ("/sources/s/documents/a.csv", "n\n1\n", "", 422, "document.unreadable"),
        ("/sources/t/documents/a.md", "x", "", 422, "document.unreadable"),
        ("/sources/s/documents/a.md", "", "", 422, "document.unreadable"),
        ("/sources/s/documents/a.md", "x\0", "", 422, "document.unreadable"),
        ("/sources/s/documents/a.md", "x" * (1024 * 1024 + 1), "", 413, "document.too_large"),
        ("/sources/s/documents/-a.md", "x", "", 400, "request.invalid"),
        ("/sources/s/documents/a b.md", "x", "", 400, "request.invalid"),
    ],
)
def test_refusals(source: Any, path: str, text: str, media: str, status: int, code: str) -> None:
    refused = put(source, path, text, media)
    assert (refused.status, refused.body["code"]) == (status, code)


def test_a_megabyte_is_taken(source: Any) -> None:
    text = ("word " * 300_000)[: 1024 * 1024]
    assert put(source, "/sources/s/documents/a.txt", text).status == 201
    assert source("GET", "/sources/s/documents/a.txt").body["text"] == text


def test_bytes_that_are_no_text(source: Any) -> None:
    body = base64.b64encode(b"a\n\xff").decode()
    refused = source("PUT", "/sources/s/documents/a.txt", raw=body, base64=True)
    assert refused.body["errors"][0]["message"] == "line 2: byte 2 is not UTF-8"


@pytest.mark.parametrize(
    "body",
    [
        {}, {"documents": []}, {"documents": [{"id": "a.md"}]}, {"documents": [{"id": "../a", "text": "x"}]},
        {"documents": [{"id": "a.md", "text": "x", "more": 1}]}, {"documents": [{"id": "a.md", "text": "x"}] * 2},
        {"documents": [{"id": f"{n}.md", "text": "x"} for n in range(51)]},
        {"documents": [{"id": "a.md", "text": "\ud800"}]},
        {"documents": [{"id": "a.md", "text": "x", "form": "pdf"}]},
    ],
)  # fmt: skip
def test_bodies_that_are_refused(source: Any, body: Any) -> None:
    import json

    refused = source("POST", "/sources/s/documents", raw=json.dumps(body))
    assert (refused.status, refused.body["code"]) == (400, "request.invalid")


def test_lists_of_what_is_not_there(source: Any) -> None:
    assert source("GET", "/sources/none/documents").body["code"] == "source.unknown"
    assert source("GET", "/sources/s/documents").body == {"items": [], "next": None}
    assert source("GET", "/sources/s/documents", query={"next": "x"}).body["code"] == "request.cursor"


def test_documents_of_a_source_that_was_taken_out(source: Any) -> None:
    put(source, "/sources/s/documents/a.md", "x")
    source("DELETE", "/sources/s")
    assert put(source, "/sources/s/documents/b.md", "x").body["code"] == "source.unknown"
    assert [each["id"] for each in source("GET", "/sources/s/documents").body["items"]] == ["a.md"]
    assert source("DELETE", "/sources/s/documents/a.md").status == 200
