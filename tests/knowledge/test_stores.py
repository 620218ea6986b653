"""Reads in pages and in parts, objects that are gone, bodies that break off."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, IncompleteReadError

from loopstep.gateways.blobs import Blobs
from loopstep.knowledge.store import DocumentStore
from tests.knowledge.worlds import World, refs


class Small:
    """A client whose answers are small: queries of two items, batches of three keys."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def query(self, **request: Any) -> Any:
        return self._client.query(**{**request, "Limit": min(request.get("Limit", 2), 2)})

    def batch_get_item(self, RequestItems: dict[str, Any]) -> Any:
        ((table, asked),) = RequestItems.items()
        now, later = asked["Keys"][:3], asked["Keys"][3:]
        answer = self._client.batch_get_item(RequestItems={table: {**asked, "Keys": now}})
        return {**answer, "UnprocessedKeys": {table: {**asked, "Keys": later}} if later else {}}


def test_answers_in_parts_are_put_together(world: World) -> None:
    entry = world.register()
    for n in range(7):
        world.put("handbook", f"{n}.md", f"common word{n}")
    store = DocumentStore(Small(world.dynamodb), "plans")
    assert [each.revision for each in store.changes("handbook", 2)] == [3, 4, 5, 6, 7]
    assert list(store.changes("handbook", 7)) == [] == list(store.changes("nothing", 0))
    names = [f"{n}.md" for n in range(9)]
    assert sorted(store.documents("handbook", names)) == names[:7]
    assert [each.id for each in store.page("handbook", 2)[0]] == ["0.md", "1.md"]
    world.documents = store
    assert len(refs(world.ask(world.function(), entry, "common", 20))) == 7


def test_changes_are_in_order_beyond_ten(world: World) -> None:
    world.register()
    for n in range(12):
        world.put("handbook", "a.md", f"word{n}")
    assert [each.revision for each in world.documents.changes("handbook", 8)] == [9, 10, 11, 12]


def test_an_object_that_is_gone(world: World, tmp_path: Path) -> None:
    world.blobs.put("source/s/x", b"bytes")
    assert world.blobs.get("source/s/x") == b"bytes"
    world.blobs.remove("source/s/x")
    world.blobs.remove("source/s/x")
    with pytest.raises(KeyError):
        world.blobs.get("source/s/x")
    with pytest.raises(KeyError):
        world.blobs.download("source/s/x", tmp_path / "x")


class Faulty:
    """S3 whose bodies break off `breaks` times, or that refuses with a code."""

    def __init__(self, breaks: int = 0, code: str = "") -> None:
        self.breaks, self.code = breaks, code

    def get_object(self, **_: Any) -> Any:
        if self.code:
            raise ClientError({"Error": {"Code": self.code, "Message": ""}}, "GetObject")
        self.breaks -= 1
        return {"Body": _Body(b"whole", self.breaks >= 0)}


class _Body:
    def __init__(self, data: bytes, breaks: bool) -> None:
        self._data, self._breaks = data, breaks

    def iter_chunks(self, size: int) -> Any:
        yield self._data[:2]
        yield self.read()[2:]

    def read(self) -> bytes:
        if self._breaks:
            raise IncompleteReadError(actual_bytes=2, expected_bytes=5)
        return io.BytesIO(self._data).read()


def test_a_body_that_breaks_off_is_read_again(tmp_path: Path) -> None:
    client = Faulty(breaks=3)
    Blobs(lambda: client, "b").download("k", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"whole"
    always = Faulty(breaks=99)
    with pytest.raises(IncompleteReadError):
        Blobs(lambda: always, "b").download("k", tmp_path / "x")


def test_without_leave_to_list_a_missing_object_is_denied(tmp_path: Path) -> None:
    """Both mean that nobody gets it."""
    for code in ("NoSuchKey", "AccessDenied"):
        client = Faulty(code=code)
        with pytest.raises(KeyError):
            Blobs(lambda client=client: client, "b").get("k")  # type: ignore[misc]
    slow = Faulty(code="SlowDown")
    with pytest.raises(ClientError):
        Blobs(lambda: slow, "b").get("k")
