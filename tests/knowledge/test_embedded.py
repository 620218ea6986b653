"""Functions with caches over a source that changes: what was put is found at once, what was removed never again."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from loopstep.knowledge import catch_up, database, embedded, index, records
from loopstep.knowledge.ask import Sources
from loopstep.knowledge.port import STRUCTURED_DATA
from loopstep.knowledge.records import Head
from loopstep.services.put_documents import Draft, put_documents, remove_document
from loopstep.services.refusals import Conflicting, Refused, Unfit, Unknown
from tests.knowledge.worlds import Entry, World, refs


@pytest.fixture
def entry(world: World) -> Entry:
    return world.register()


def test_a_function_with_an_old_cache_sees_what_was_put_a_moment_ago(world: World, entry: Entry) -> None:
    warm, other = world.function(), world.function()
    assert refs(world.ask(warm, entry, "refund")) == []
    assert world.put("handbook", "a.md", "A refund takes days.") == "created"
    assert refs(world.ask(warm, entry, "refund")) == ["a.md"] == refs(world.ask(other, entry, "refund"))
    assert world.put("handbook", "a.md", "It takes weeks. 退款要三天。") == "replaced"
    assert refs(world.ask(warm, entry, "refund")) == [] == refs(world.ask(other, entry, "refund"))
    assert refs(world.ask(warm, entry, "退款")) == ["a.md"] == refs(world.ask(other, entry, "退款"))
    assert world.put("handbook", "a.md", "It takes weeks. 退款要三天。") == "unchanged"


def test_a_removed_document_is_never_found_again(world: World, entry: Entry) -> None:
    warm = world.function()
    world.put("handbook", "a.md", "secret words")
    world.put("handbook", "b.md", "other words")
    assert refs(world.ask(warm, entry, "words")) != []
    world.remove("handbook", "a.md")
    for function in (warm, world.function(), warm):
        assert refs(world.ask(function, entry, "secret words")) == ["b.md"]
    assert world.keys("source/handbook/document/") == [world.documents.document("handbook", "b.md").key]  # type: ignore[union-attr]
    assert world.documents.head("handbook")[:2] == (3, 1)
    with pytest.raises(Unknown):
        world.remove("handbook", "a.md")


def test_evidence_has_the_fields_of_the_language(world: World, entry: Entry) -> None:
    world.put("handbook", "a.md", "# Refunds\n\nWithin days.", title="A")
    (found,) = world.ask(world.function(), entry, "refunds").evidences
    score = found.pop("score")
    assert score > 0
    assert found == {
        "id": "handbook/a.md#0",
        "sourceType": "DOCUMENT",
        "evidenceType": "passage",
        "title": "Refunds",
        "content": "# Refunds\n\nWithin days.",
        "sourceName": "handbook",
        "sourceRef": "a.md:1",
        "metadata": {"document": "a.md", "documentTitle": "A", "line": 1, "part": 0},
    }


def test_a_row_is_an_evidence(world: World) -> None:
    entry = world.register("prices", STRUCTURED_DATA, name="Prices")
    world.put("prices", "p.csv", "name,price\nGreen tea,3\nCoffee,5\n", "csv")
    (found,) = world.ask(world.function(), entry, "coffee").evidences
    assert found["payload"] == {"name": "Coffee", "price": "5"}
    assert (found["evidenceType"], found["sourceName"], found["sourceRef"]) == ("row", "Prices", "p.csv:3")


@pytest.mark.parametrize("at_once", [2])
def test_sixteen_writers_lose_nothing(world: World, entry: Entry, at_once: int) -> None:
    """Each puts documents, replaces one and removes one, all at the same time, while two functions ask."""
    rng = random.Random(1)
    failures: list[BaseException] = []
    asking, start = [True], threading.Barrier(18)

    def pause(attempt: int) -> None:
        threading.Event().wait(rng.random() * 0.01)

    def write(writer: int) -> None:
        librarian = world.librarian(pause)
        drafts = [Draft(f"w{writer}-{n}.md", "t", "text", f"word{writer}x{n} common".encode()) for n in range(4)]
        start.wait()
        for begin in range(0, 4, at_once):
            put_documents(librarian, "handbook", drafts[begin : begin + at_once])
        put_documents(librarian, "handbook", [drafts[0]._replace(data=f"again{writer} common".encode())])
        remove_document(librarian, "handbook", drafts[1].id)

    def ask() -> None:
        function = world.function()
        start.wait()
        while asking[0]:
            found = world.ask(function, entry, "common", 100)
            assert not found.failed, found.diagnostics

    def guarded(act: Any, *arguments: Any) -> None:
        try:
            act(*arguments)
        except BaseException as fault:
            failures.append(fault)

    writers = [threading.Thread(target=guarded, args=(write, n)) for n in range(16)]
    readers = [threading.Thread(target=guarded, args=(ask,)) for _ in range(2)]
    for thread in writers + readers:
        thread.start()
    for thread in writers:
        thread.join(120)
    asking[0] = False
    for thread in readers:
        thread.join(60)
    assert failures == []
    changes = 16 * (-(-4 // at_once) + 2)
    assert world.documents.head("handbook")[:2] == (changes, 48)
    assert [each.revision for each in world.documents.changes("handbook", 0)] == list(range(1, changes + 1))
    found = world.ask(world.function(), entry, "common", 100)
    expected = {f"w{writer}-{n}.md" for writer in range(16) for n in (0, 2, 3)}
    assert set(refs(found)) == expected and found.diagnostics["datasource:handbook"]["documents"] == 48
    assert refs(world.ask(world.function(), entry, "again7")) == ["w7-0.md"]
    assert len(world.keys("source/handbook/document/")) == 48
    total = sum(each.bytes for each in world.documents.page("handbook", 1000)[0])
    assert world.documents.head("handbook").bytes == total


# -- snapshots -------------------------------------------------------------------------------------------------------


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots after few changes, few documents a step."""
    monkeypatch.setattr(embedded, "_LEAST", 4)
    monkeypatch.setattr(catch_up, "_AT_ONCE", 3)


def test_a_cold_function_begins_with_the_snapshot(world: World, entry: Entry, often: None) -> None:
    for n in range(6):
        world.put("handbook", f"{n}.md", f"common word{n}")
    assert len(refs(world.ask(world.function(), entry, "common", 9))) == 6
    snapshot = world.documents.snapshot("handbook")
    assert snapshot is not None and snapshot.revision == 6 and world.keys("source/handbook/index/") == [snapshot.key]
    for key in world.keys("source/handbook/document/"):
        world.blobs.remove(key)  # so that nothing can come from anywhere else
    world.put("handbook", "6.md", "common word6")
    world.remove("handbook", "0.md")
    found = world.ask(world.function(), entry, "common", 9)
    assert sorted(refs(found)) == [f"{n}.md" for n in range(1, 7)]
    assert found.diagnostics["datasource:handbook"] == {"found": 6, "documents": 6, "revision": 8}


def test_two_functions_keep_one_snapshot(world: World, entry: Entry, often: None) -> None:
    first, second = world.function(), world.function()
    for n in range(20):
        world.put("handbook", f"{n}.md", f"common word{n}")
        if n % 3 == 0:
            world.ask(first, entry, "common")
        if n % 4 == 0:
            world.ask(second, entry, "common")
    assert len(world.keys("source/handbook/index/")) == 1
    assert len(refs(world.ask(world.function(), entry, "common", 100))) == 20


def test_an_older_snapshot_does_not_replace_a_newer_one(world: World, entry: Entry) -> None:
    def snapshot(revision: int, form: int = database.FORMAT) -> records.Snapshot:
        return records.Snapshot(revision, form, f"k{revision}", 1)

    assert world.documents.replace_snapshot("handbook", snapshot(5))
    assert not world.documents.replace_snapshot("handbook", snapshot(4))
    assert not world.documents.replace_snapshot("handbook", snapshot(5))
    assert world.documents.replace_snapshot("handbook", snapshot(6))
    assert world.documents.replace_snapshot("handbook", snapshot(2, database.FORMAT + 1))  # of newer code


def test_a_snapshot_that_cannot_be_stored_fails_nobody(world: World, entry: Entry, often: None) -> None:
    for n in range(6):
        world.put("handbook", f"{n}.md", f"common word{n}")

    def full(*_: Any) -> None:
        raise OSError("no space left")

    world.blobs.upload = full  # type: ignore[method-assign]
    function = world.function()
    for _ in range(3):
        assert len(refs(world.ask(function, entry, "common", 9))) == 6
    assert world.failures == [("handbook", "OSError")] and world.documents.snapshot("handbook") is None


def test_large_indexes_are_dropped_sooner(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [world.register(f"s{n}") for n in range(3)]
    for each in entries:
        world.put(each.id, "a.md", "common")
    cache = world.embedded()
    function = world.function(cache)
    for each in entries:
        world.ask(function, each, "common")
    monkeypatch.setattr(embedded, "_KEPT_BYTES", cache._cached["s0"].bytes)
    assert refs(world.ask(function, entries[0], "common")) == ["a.md"]
    assert list(cache._cached) == ["s0"]


@pytest.mark.parametrize("damage", ["gone", "broken", "other format"])
def test_without_a_usable_snapshot_the_documents_are_read(world: World, entry: Entry, often: None, damage: str) -> None:
    for n in range(6):
        world.put("handbook", f"{n}.md", f"common word{n}")
    world.ask(world.function(), entry, "common")
    snapshot = world.documents.snapshot("handbook")
    assert snapshot is not None
    if damage == "gone":
        world.blobs.remove(snapshot.key)
    elif damage == "broken":
        world.blobs.put(snapshot.key, b"SQLite format 3\0 or so")
    else:
        world.documents.replace_snapshot("handbook", snapshot._replace(format=database.FORMAT + 1, key="elsewhere"))
    assert len(refs(world.ask(world.function(), entry, "common", 9))) == 6


def test_an_index_that_breaks_is_made_again(world: World, entry: Entry) -> None:
    world.put("handbook", "a.md", "common")
    cache = world.embedded()
    function = world.function(cache)
    world.ask(function, entry, "common")
    (cached,) = cache._cached.values()
    cached.path.write_bytes(b"\0" * cached.path.stat().st_size)
    cached.index._sql.execute("PRAGMA cache_size = 0")  # type: ignore[union-attr]
    found = [world.ask(function, entry, "common") for _ in range(2)]
    assert refs(found[-1]) == ["a.md"]


def test_who_runs_out_of_time_leaves_less_to_the_next(world: World, entry: Entry, often: None) -> None:
    for n in range(12):
        world.put("handbook", f"{n}.md", f"common word{n}")
    cache = world.embedded()
    function, get = world.function(cache), world.blobs.get
    world.blobs.get = lambda key: (setattr(world, "now", world.now + 2.0), get(key))[1]  # type: ignore[method-assign]
    found = world.ask(function, entry, "common")
    assert found.failed and found.diagnostics == {"error:handbook": catch_up.BEHIND}
    for _ in range(8):
        found = world.ask(function, entry, "common", 20)
        if not found.failed:
            break
    assert len(refs(found)) == 12


def test_the_least_used_indexes_are_dropped(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_KEPT", 2)
    entries = [world.register(f"s{n}") for n in range(4)]
    for each in entries:
        world.put(each.id, "a.md", "common")
    cache = world.embedded()
    function = world.function(cache)
    for each in [*entries, *entries]:
        assert refs(world.ask(function, each, "common")) == ["a.md"]
    assert list(cache._cached) == ["s2", "s3"]
    assert len(list(Path(cache._folder.name).glob("*.db"))) == 2


def test_a_document_whose_bytes_are_lost_is_told_of(world: World, entry: Entry) -> None:
    world.put("handbook", "a.md", "common")
    world.put("handbook", "b.md", "common")
    world.blobs.remove(world.documents.document("handbook", "a.md").key)  # type: ignore[union-attr]
    found = world.ask(world.function(), entry, "common")
    assert refs(found) == ["b.md"] and found.diagnostics["datasource:handbook"]["unreadable"] == ["a.md"]


def test_a_bucket_that_refused_for_a_while_is_asked_again(world: World, entry: Entry) -> None:
    world.put("handbook", "a.md", "common")
    world.put("handbook", "b.md", "common")
    get, lost = world.blobs.get, world.documents.document("handbook", "a.md").key  # type: ignore[union-attr]

    def refusing(key: str) -> bytes:
        if key == lost:
            raise KeyError(key)
        return get(key)

    world.blobs.get = refusing  # type: ignore[method-assign]
    function = world.function()
    for _ in range(2):
        found = world.ask(function, entry, "common")
        assert refs(found) == ["b.md"] and found.diagnostics["datasource:handbook"]["unreadable"] == ["a.md"]
    world.blobs.get = get  # type: ignore[method-assign]
    found = world.ask(function, entry, "common")
    assert refs(found) == ["a.md", "b.md"] and "unreadable" not in found.diagnostics["datasource:handbook"]


def test_bytes_that_went_while_they_were_read_belong_to_an_older_put(world: World, entry: Entry) -> None:
    world.put("handbook", "a.md", "first common")
    get, once = world.blobs.get, [True]

    def slow(key: str) -> bytes:
        if once.pop() if once else False:
            world.put("handbook", "a.md", "second common")  # deletes what is about to be read
        return get(key)

    world.blobs.get = slow  # type: ignore[method-assign]
    found = world.ask(world.function(), entry, "second")
    assert refs(found) == ["a.md"] and found.diagnostics["datasource:handbook"]["revision"] == 2


# -- crashes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("act", ["put", "replace", "remove"])
def test_a_crash_anywhere_leaves_the_old_or_the_new(aws: Any, act: str, after: bool) -> None:
    """Die at each call; then look with a new function, do it again, and look once more."""
    for at in range(1, 12):
        id = f"s{at}"
        steady = World(aws)
        entry = steady.register(id)
        if act != "put":
            steady.put(id, "a.md", "old common")
        dying = World(aws.crash(at, after))
        try:
            dying.remove(id, "a.md") if act == "remove" else dying.put(id, "a.md", "new common")
        except BaseException as died:
            assert type(died).__name__ == "Crash", died
            crashed = True
        else:
            crashed = False
        words = {"new" if refs(steady.ask(steady.function(), entry, "new")) else "", *_old(steady, entry)} - {""}
        assert words in (
            [{"new"}, set()] if act == "put" else [{"new"}, {"old"}] if act == "replace" else [{"old"}, set()]
        )
        head, (listed, _) = steady.documents.head(id), steady.documents.page(id, 10)
        assert head.documents == len(listed) and head.bytes == sum(each.bytes for each in listed)
        if act != "remove":
            steady.put(id, "a.md", "new common")
        elif listed:
            steady.remove(id, "a.md")
        expected = [] if act == "remove" else ["a.md"]
        assert refs(steady.ask(steady.function(), entry, "new")) == expected and not _old(steady, entry)
        if not crashed:
            return
    raise AssertionError("more calls than expected")


def _old(world: World, entry: Entry) -> set[str]:
    return {"old"} if refs(world.ask(world.function(), entry, "old")) else set()


def test_an_own_write_whose_reply_was_lost_counts(world: World, entry: Entry) -> None:
    document = records.Document("a.md", "t", "DOCUMENT", "text", "k", "d", 1, 1, "now")
    for _ in range(2):
        assert world.documents.commit("handbook", Head(), [document], [], Head(1, 1, 1), "me")
    assert not world.documents.commit("handbook", Head(), [document], [], Head(1, 1, 1), "you")


# -- refusals --------------------------------------------------------------------------------------------------------


def test_a_broken_document_is_refused_and_changes_nothing(world: World, entry: Entry) -> None:
    world.put("handbook", "a.html", "<p>good common", "html")
    with pytest.raises(Unfit) as refused:
        world.put("handbook", "a.html", "<p>new\n<!-- common", "html")
    assert refused.value.code == "document.unreadable"
    assert refused.value.facts["errors"] == [
        {"path": "/2", "code": "document.unreadable", "message": "line 2: a comment does not end"}
    ]
    assert refs(world.ask(world.function(), entry, "good")) == ["a.html"]
    assert len(world.keys()) == 1


def test_of_several_documents_all_are_put_or_none(world: World, entry: Entry) -> None:
    drafts = [
        Draft("a.md", "t", "markdown", b"common"),
        Draft("b.csv", "t", "csv", b"a\n1"),
        Draft("c", "t", "text", b""),
    ]
    with pytest.raises(Unfit) as refused:
        put_documents(world.librarian(), "handbook", drafts, numbered=True)
    assert [each["path"] for each in refused.value.facts["errors"]] == ["/documents/1", "/documents/2"]
    assert world.documents.head("handbook") == Head() and world.keys() == []


def test_bounds_of_a_source(world: World, entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    from loopstep.services import put_documents as service

    monkeypatch.setattr(service, "MOST_DOCUMENTS", 2)
    monkeypatch.setattr(service, "MOST_SOURCE_BYTES", 30)
    world.put("handbook", "a", "0123456789", "text")
    world.put("handbook", "b", "0123456789", "text")
    for id, text in (("c", "x"), ("a", "0" * 21)):
        with pytest.raises(Unfit) as refused:
            world.put("handbook", id, text, "text")
        assert refused.value.code == "source.full"
    assert world.put("handbook", "a", "0" * 20, "text") == "replaced"
    assert world.put("handbook", "a", "0" * 19, "text") == "replaced"


def test_sources_that_take_no_documents(world: World, entry: Entry) -> None:
    world.register("base", managed={"knowledgeBaseId": "KB12345678"})
    for source, code in (("nothing", "source.unknown"), ("base", "source.managed")):
        with pytest.raises(Refused) as refused:
            world.put(source, "a.md", "text")
        assert refused.value.code == code


def test_who_always_loses_is_told_so_and_leaves_nothing(world: World, entry: Entry) -> None:
    world.documents.commit = lambda *_: False  # type: ignore[method-assign]
    with pytest.raises(Conflicting) as refused:
        world.put("handbook", "a.md", "text")
    assert refused.value.code == "source.busy" and world.keys() == []


# -- several sources -------------------------------------------------------------------------------------------------


def test_sources_fail_each_by_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = world.register("good"), world.register("bad")
    off = world.register("off", enabled=False)
    for each in (good, bad, off):
        world.put(each.id, "a.md", "common")
    search = index.Index.search
    real = embedded.CatchUp.newest

    def newest(self: Any, source: str, *rest: Any) -> int:
        if source == "bad":
            raise ValueError("data that nobody should see")
        return real(self, source, *rest)

    monkeypatch.setattr(embedded.CatchUp, "newest", newest)
    function = world.function()
    found = function.retrieve({each.id: each for each in (good, bad, off)}, "common", 5, 10)
    assert refs(found) == ["a.md"] and not found.failed
    assert found.diagnostics == {
        "datasource:good": {"found": 1, "documents": 1, "revision": 1},
        "error:bad": "the source failed",
        "datasource:off": {"enabled": False},
    }
    assert dict(found.asked) == {"good": True, "bad": True, "off": False} and world.failures == [("bad", "ValueError")]
    alone = function.retrieve({"bad": bad, "off": off}, "common", 5, 10)
    assert alone.failed and alone.evidences == []
    assert not function.retrieve({"off": off}, "common", 5, 10).failed
    assert not function.retrieve({}, "common", 5, 10).failed
    empty = function.retrieve({"bad": bad}, " \n", 5, 10)
    assert not empty.failed and empty.diagnostics == {"error:query": "there is nothing in the query"}
    assert search is index.Index.search


def test_no_source_waits_for_a_slow_one(world: World) -> None:
    import time

    good, slow = world.register("good"), world.register("slow")
    world.put("good", "a.md", "common")
    function = Sources(_Slow(world), world.function()._managed, time.monotonic, lambda *_: None)
    found = function.retrieve({"slow": slow, "good": good}, "common", 5, 0.5)
    assert refs(found) == ["a.md"] and found.diagnostics["error:slow"] == "no answer in time"


class _Slow(embedded.Embedded):
    def __init__(self, world: World) -> None:
        super().__init__(world.documents, world.blobs, lambda: 0.0, world.new_id, world.note)

    def search(self, source: str, *rest: Any) -> Any:
        if source == "slow":
            threading.Event().wait(3)
        return super().search(source, *rest[:-1], 10.0)
