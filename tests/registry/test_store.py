"""The registry in the plans table: versions are consecutive and never change, a removal takes nothing from them."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from loopstep.registry import items
from loopstep.registry.records import Head, digest
from loopstep.registry.store import UnknownEntry

NOW = "2026-01-01T00:00:00.000Z"


def text_of(**content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)


def head_of(text: str, latest: int = 1, id: str = "a", owner: str = "me", **more: Any) -> Head:
    made = Head("agent", id, latest, digest(text), "T", "D", "", True, False, owner, NOW, NOW)
    return made._replace(**more)


def put(store: Any, text: str, id: str = "a", owner: str = "me", **more: Any) -> bool:
    before = store.head("agent", id)
    done: bool = store.add(head_of(text, before.latest + 1 if before else 1, id, owner, **more), text)
    return done


class Twice:
    """A client whose writes are done twice, as when the reply of the first was lost: the second's answer counts."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if name not in ("transact_write_items", "update_item"):
            return found

        def call(**arguments: Any) -> Any:
            found(**arguments)
            return found(**arguments)

        return call


def test_a_version_comes_back_as_it_was_stored(aws: Any) -> None:
    assert put(aws.registry(), text_of(instructions="做", b=1.5, a=None))
    entry = aws.registry().get("agent", "a", 1)
    assert entry == ("agent", "a", 1, {"instructions": "做", "b": 1.5, "a": None})
    assert list(entry.content) == ["instructions", "b", "a"]
    assert aws.registry().latest("agent", "a") == entry
    assert aws.registry().head("agent", "a") == head_of(text_of(instructions="做", b=1.5, a=None))


def test_what_is_not_there(aws: Any) -> None:
    store = aws.registry()
    assert store.latest("agent", "a") is None and store.head("agent", "a") is None and store.list("agent") == []
    put(store, text_of(n=1))
    for kind, id, version in (("skill", "a", 1), ("agent", "b", 1), ("agent", "a", 2)):
        with pytest.raises(UnknownEntry, match=f"{kind} {id} {version}"):
            store.get(kind, id, version)


def test_versions_follow_each_other_and_stay(aws: Any) -> None:
    store = aws.registry()
    for number in (1, 2, 3):
        assert put(store, text_of(n=number), updated_at=f"2026-0{number}-01T00:00:00.000Z")
    assert [aws.registry().get("agent", "a", number).content["n"] for number in (1, 2, 3)] == [1, 2, 3]
    assert aws.registry().latest("agent", "a").version == 3
    page, before = store.versions("agent", "a", 2)
    assert [each.number for each in page] == [3, 2] and before == 2
    assert [each.number for each in store.versions("agent", "a", 2, before)[0]] == [1]


def test_who_read_an_old_head_is_told_and_changes_nothing(aws: Any) -> None:
    put(aws.registry(), text_of(n=1))
    put(aws.registry(), text_of(n=2), owner="b")
    for stale in (1, 2):
        assert aws.registry().add(head_of(text_of(n=9), stale, owner="c"), text_of(n=9)) is False
    assert aws.registry().latest("agent", "a").content == {"n": 2}
    with pytest.raises(UnknownEntry):
        aws.registry().get("agent", "a", 3)


def test_a_lost_reply_counts_as_done(aws: Any) -> None:
    aws.dynamodb = Twice(aws.dynamodb)
    store = aws.registry()
    assert put(store, text_of(n=1)) and put(store, text_of(n=2))
    head = store.head("agent", "a")
    assert head.latest == 2
    assert store.remove(head, "who", NOW)
    assert aws.registry().latest("agent", "a") is None


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("letter", ["a", "好"])
def test_large_contents_go_to_the_bucket(aws: Any, more: int, letter: str) -> None:
    room = items.INLINE_BYTES + more - len(text_of(t="").encode())
    content = letter * (room // len(letter.encode())) + "a" * (room % len(letter.encode()))
    assert len(text_of(t=content).encode()) == items.INLINE_BYTES + more
    put(aws.registry(), text_of(t=content))
    assert aws.registry().get("agent", "a", 1).content == {"t": content}
    stored = aws.s3.list_objects_v2(Bucket="values").get("Contents", [])
    assert [each["Key"] for each in stored] == [f"registry/agent/a/{digest(text_of(t=content))}"] * more


def test_sixteen_at_once_give_sixteen_versions(aws: Any) -> None:
    def add(number: int) -> None:
        while not put(aws.registry(), text_of(n=number), owner=f"owner {number}"):
            pass

    at_once(add)
    found = [aws.registry().get("agent", "a", number).content["n"] for number in range(1, 17)]
    assert sorted(found) == list(range(16))
    assert aws.registry().head("agent", "a").latest == 16


def test_putting_and_removing_at_once_loses_no_version(aws: Any) -> None:
    def change(number: int) -> None:
        store = aws.registry()
        if number % 2:
            while not put(store, text_of(n=number), owner=f"owner {number}"):
                pass
        elif (head := store.head("agent", "a")) is not None:
            store.remove(head, f"owner {number}", NOW)

    put(aws.registry(), text_of(n=0))
    at_once(change)
    head = aws.registry().head("agent", "a")
    assert head.latest == 9
    assert len({aws.registry().get("agent", "a", number).content["n"] for number in range(1, 10)}) == 9


def test_what_is_removed_is_still_read_by_its_version(aws: Any) -> None:
    store = aws.registry()
    put(store, text_of(n=1))
    put(store, text_of(n=1), id="b")
    assert store.remove(store.head("agent", "a"), "who", NOW)
    assert store.latest("agent", "a") is None and store.head("agent", "a").removed
    assert [head.id for head in store.list("agent")] == ["b"]
    assert aws.registry().get("agent", "a", 1).content == {"n": 1}
    assert put(store, text_of(n=1))
    assert aws.registry().latest("agent", "a").version == 2


def test_only_the_head_that_was_read_is_removed(aws: Any) -> None:
    store = aws.registry()
    put(store, text_of(n=1))
    read = store.head("agent", "a")
    put(store, text_of(n=2))
    assert store.remove(read, "who", NOW) is False
    assert store.remove(store.head("agent", "a"), "who", NOW) is True
    assert store.remove(store.head("agent", "a"), "other", NOW) is False
    assert store.latest("agent", "a") is None


def test_lists_are_paged_by_id_and_see_what_was_just_put(aws: Any) -> None:
    store = aws.registry()
    for id in ("c", "a", "d", "b"):
        put(store, text_of(n=1), id=id)
        assert id in [head.id for head in store.list("agent")]
    store.remove(store.head("agent", "b"), "who", NOW)
    first, after = store.page("agent", 2)
    rest, end = store.page("agent", 5, after)
    assert [head.id for head in first + rest] == ["a", "c", "d"] and end is None
    assert store.list("skill") == []


def test_plans_and_the_registry_do_not_meet(aws: Any) -> None:
    put(aws.registry(), text_of(n=1), id="p")
    assert aws.plans().head("p") is None and aws.plans().plans(10).records == ()


def at_once(act: Any) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
