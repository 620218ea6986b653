"""The plans table: versions are consecutive, none is lost, none is rebound (ARCHITECTURE §4)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from loopstep.plans import items, keys
from loopstep.plans.records import TEXTS, Draft, Stored, digest, same_content

NOW = "2026-01-01T00:00:00.000Z"


def draft(name: str = "p", document: str = "doc", **texts: str) -> Draft:
    every = dict.fromkeys(TEXTS, "{}") | {"document": document} | texts
    return Draft(name, "T", "D", "arn:machine", True, every, digest(every["document"]), digest(every["definition"]))


def test_a_version_comes_back_as_it_was_stored(aws: Any) -> None:
    plans = aws.plans()
    stored = plans.add_version(draft(document="内容"), None, "me", NOW)
    read = aws.plans().version("p", 1)
    assert read == stored
    assert aws.plans().text(read, "document") == "内容"
    assert (read.fences, read.machine, read.owner) == (True, "arn:machine", "me")
    assert aws.plans().head("p").latest == 1


def test_what_is_not_there_is_none(aws: Any) -> None:
    assert aws.plans().head("p") is None
    assert aws.plans().version("p", 1) is None


def test_versions_follow_each_other_and_the_first_times_stay(aws: Any) -> None:
    plans = aws.plans()
    plans.add_version(draft(document="1"), None, "a", NOW)
    second = plans.add_version(draft(document="2"), plans.head("p"), "b", "2026-02-01T00:00:00.000Z")
    head = plans.head("p")
    assert second is not None and second.number == 2
    assert (head.latest, head.created_at, head.updated_at) == (2, NOW, "2026-02-01T00:00:00.000Z")
    assert aws.plans().text(aws.plans().version("p", 1), "document") == "1"


def test_who_read_an_old_head_is_told_and_changes_nothing(aws: Any) -> None:
    plans = aws.plans()
    plans.add_version(draft(document="1"), None, "a", NOW)
    old = plans.head("p")
    plans.add_version(draft(document="2"), old, "b", NOW)
    assert aws.plans().add_version(draft(document="3"), old, "c", NOW) is None
    assert aws.plans().add_version(draft(document="3"), None, "c", NOW) is None
    assert aws.plans().text(aws.plans().version("p", 2), "document") == "2"
    assert aws.plans().version("p", 3) is None


def test_an_own_write_that_is_repeated_counts(aws: Any) -> None:
    first = aws.plans().add_version(draft(), None, "me", NOW)
    again = aws.plans().add_version(draft(), None, "me", NOW)
    assert again == first
    assert aws.plans().head("p").latest == 1


@pytest.mark.parametrize("size", [items.INLINE_BYTES, items.INLINE_BYTES + 1])
@pytest.mark.parametrize("letter", ["a", "好"])
def test_long_texts_go_to_the_bucket(aws: Any, size: int, letter: str) -> None:
    text = letter * (size // len(letter.encode())) + "a" * (size % len(letter.encode()))
    assert len(text.encode()) == size
    version = aws.plans().add_version(draft(document=text), None, "me", NOW)
    assert isinstance(version.texts["document"], Stored) == (size > items.INLINE_BYTES)
    assert aws.plans().text(aws.plans().version("p", 1), "document") == text


def test_the_largest_item_is_under_400_kb(aws: Any) -> None:
    big = dict.fromkeys(TEXTS, "x" * items.INLINE_BYTES)
    plans = aws.plans()
    plans.add_version(Draft("p" * 63, "t" * 200, "好" * 1000, "m" * 200, True, big, "d" * 64, "e" * 64), None, "o", NOW)
    item = aws.dynamodb.get_item(
        TableName="plans", Key={"pk": {"S": keys.partition("p" * 63)}, "sk": {"S": keys.version(1)}}
    )["Item"]
    assert sum(len(name) + len(str(value).encode()) for name, value in item.items()) < 400 * 1024


def test_objects_are_named_by_their_content(aws: Any) -> None:
    plans = aws.plans()
    long = "x" * 40_000
    plans.add_version(draft(document=long), None, "a", NOW)
    plans.add_version(draft(document=long, graph="[]"), plans.head("p"), "b", NOW)
    assert aws.s3.list_objects_v2(Bucket="values")["KeyCount"] == 1


def test_sixteen_at_once_give_sixteen_versions(aws: Any) -> None:
    def add(number: int) -> None:
        plans = aws.plans()
        while plans.add_version(draft(document=str(number)), plans.head("p"), f"owner {number}", NOW) is None:
            pass

    threads = [threading.Thread(target=add, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [aws.plans().version("p", number) for number in range(1, 17)]
    assert {aws.plans().text(version, "document") for version in found} == {str(number) for number in range(16)}
    assert aws.plans().head("p").latest == 16
    assert aws.plans().version("p", 17) is None


def test_lists_are_paged(aws: Any) -> None:
    plans = aws.plans()
    for name in ("c", "a", "b"):
        plans.add_version(draft(name), None, name, NOW)
    first = plans.plans(2)
    rest = plans.plans(2, first.next)
    assert [head.name for head in first.records + rest.records] == ["a", "b", "c"]
    assert rest.next is None
    for number in range(2, 5):
        plans.add_version(draft("a", document=str(number)), plans.head("a"), str(number), NOW)
    page = plans.versions("a", 3)
    assert [version.number for version in page.records] == [4, 3, 2]
    assert [version.number for version in plans.versions("a", 3, page.next).records] == [1]


def test_unchanged_is_document_and_definition(aws: Any) -> None:
    version = aws.plans().add_version(draft(), None, "me", NOW)
    assert same_content(version, draft())
    assert not same_content(version, draft(document="other"))
    assert not same_content(version, draft(definition="[]"))
