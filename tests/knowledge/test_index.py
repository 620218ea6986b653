"""One source's index: what is put is found, what is removed is not, the better passage comes first."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopstep.knowledge import database
from loopstep.knowledge import index as index_module
from loopstep.knowledge.database import NoFullTextSearch, NotAnIndex
from loopstep.knowledge.index import Entry, Index, open_index
from loopstep.knowledge.passage import Passage
from loopstep.knowledge.tokens import words

HOPS = 2


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    found = open_index(tmp_path / "i.db", new=True)
    yield found
    found.close()


def entry(id: str, *texts: str, title: str = "") -> Entry:
    return Entry(id, title or id, [Passage(title, text, line) for line, text in enumerate(texts, 1)])


def put(index: Index, *entries: Entry) -> None:
    index.apply(entries, [], index.revision + 1)


def found(index: Index, query: str, limit: int = 10) -> list[str]:
    return [f"{hit.document}#{hit.place}" for hit in index.search(query, limit)]


def test_put_replace_remove(index: Index) -> None:
    put(index, entry("a", "old words", "更旧的词"), entry("b", "old things"))
    assert found(index, "old") == ["a#0", "b#0"] and found(index, "旧的") == ["a#1"]
    put(index, entry("a", "new words"))
    assert found(index, "old") == ["b#0"] and found(index, "旧") == [] and found(index, "new") == ["a#0"]
    index.apply([], ["b", "never there"], 3)
    assert found(index, "old things") == [] and index.revision == 3
    assert index.documents() == (1, [])


def test_a_document_without_passages_is_told_of(index: Index) -> None:
    put(index, Entry("a", "A", (), fault="lost"), entry("b", "text"))
    assert index.documents() == (2, ["a"])
    put(index, entry("a", "text"))
    assert index.documents() == (2, [])


def test_ranking(index: Index) -> None:
    filler = [entry(f"filler{n}", f"nothing about it number {n} " * 10) for n in range(40)]
    put(
        index,
        *filler,
        entry("once", "A refund, among many other words that say nothing about the matter at hand. " * 3),
        entry("dense", "Refund policy: a refund within 30 days."),
        entry("titled", "Within 30 days, in full.", title="Refund policy"),
        entry("common", "about it"),
    )
    best = found(index, "refund policy")
    assert set(best[:2]) == {"dense#0", "titled#0"} and best[2] == "once#0"
    assert set(found(index, "refund about it", 3)) == {"dense#0", "titled#0", "once#0"}  # the rare word counts


def test_ranking_of_chinese(index: Index) -> None:
    put(
        index,
        *(entry(f"filler{n}", f"公司制度第{n}条，员工应当遵守。") for n in range(40)),
        entry("leave", "年假：员工每年有十五天年假。"),
        entry("leave_too", "请假制度里提到年假一次，其余讲病假、事假和调休的办理。"),
        entry("refund", "退款政策：七天内可以退款。"),
    )
    assert found(index, "年假有几天")[:2] == ["leave#0", "leave_too#0"]
    assert found(index, "退款")[0] == "refund#0"
    assert found(index, "员工的年假")[0] == "leave#0"


def test_equal_ones_come_by_document_and_place_whatever_the_history(index: Index, tmp_path: Path) -> None:
    names = [f"d{n:02d}" for n in range(12)]
    put(index, *(entry(name, "the same", "the same") for name in names))
    other = open_index(tmp_path / "other.db", new=True)
    for name in reversed(names):
        put(other, entry(name, "something else"))
        put(other, entry(name, "the same", "the same"))
    expected = [f"{name}#{place}" for name in names for place in (0, 1)][:10]
    assert found(index, "same") == found(other, "same") == expected
    other.close()


def test_it_is_all_or_nothing(index: Index) -> None:
    put(index, entry("a", "first"))
    broken: Any = Entry("b", "B", [Passage("t", "second", 1), Passage("t", None, 2)])  # type: ignore[arg-type]
    with pytest.raises((sqlite3.Error, TypeError)):
        index.apply([broken, entry("c", "second")], ["a"], 2)
    assert found(index, "first") == ["a#0"] and found(index, "second") == [] and index.revision == 1


@pytest.mark.parametrize("seed", range(20))
def test_random_histories_leave_what_was_put_last(tmp_path: Path, seed: int) -> None:
    """Against a dictionary; the full-text index checks itself too."""
    rng = random.Random(seed)
    index = open_index(tmp_path / "i.db", new=True)
    stands: dict[str, list[str]] = {}
    vocabulary = ["税", "年假", "手机", "alpha", "beta", "Ünïcode", "x-y", "的"]
    for _ in range(30):
        id = rng.choice("abcdef")
        if rng.random() < 0.3:
            stands.pop(id, None)
            index.apply([], [id], index.revision + 1)
        else:
            stands[id] = [" ".join(rng.choices(vocabulary, k=4)) for _ in range(rng.randint(1, 3))]
            put(index, entry(id, *stands[id]))
    for word in vocabulary:
        expected = {
            f"{id}#{place}" for id, texts in stands.items() for place, text in enumerate(texts) if word in text.split()
        }
        assert set(found(index, word, 100)) == expected
    index.close()
    again = open_index(tmp_path / "i.db")
    assert again.documents()[0] == len(stands)
    again.close()


def test_a_copy_is_the_same(index: Index, tmp_path: Path) -> None:
    put(index, entry("a", "some text"), Entry("g", "G", [triple("Ada", "knows", "Bob")], triples=True))
    index.copy(tmp_path / "copy.db")
    copy = open_index(tmp_path / "copy.db")
    assert found(copy, "some") == ["a#0"] and copy.revision == index.revision
    copy.apply([], ["a"], 9)
    assert found(copy, "some") == [] and found(index, "some") == ["a#0"]
    copy.close()


def test_what_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to be looked at as one " * 40)
    (tmp_path / "empty.db").write_bytes(b"")
    other = open_index(tmp_path / "other.db", new=True)
    other.close()
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("UPDATE facts SET value = 99 WHERE name = 'format'")
    connection.commit()
    connection.close()
    for name in ("text", "empty", "other"):
        with pytest.raises(NotAnIndex):
            open_index(tmp_path / f"{name}.db")


def test_a_sqlite_without_full_text_search_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_SCHEMA", database._SCHEMA.replace("USING fts5", "USING fts5_that_is_not_there"))
    with pytest.raises(NoFullTextSearch, match=r"SQLite 3\S+ of this Python has no full-text search \(FTS5\)"):
        open_index(tmp_path / "i.db", new=True)


def test_a_search_gives_up_when_told(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_STEPS", 100)
    put(index, *(entry(f"d{n}", "word " * 50) for n in range(2000)))
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        index.search("word OR word w*", 10, lambda: True)
    assert len(index.search("word", 10)) == 10


# -- graph -----------------------------------------------------------------------------------------------------------


def triple(subject: str, predicate: str, object: str) -> Passage:
    payload = {"subject": subject, "predicate": predicate, "object": object}
    return Passage(subject, f"{subject} {predicate} {object}", 1, payload)


def related(index: Index, query: str, hops: int = HOPS, limit: int = 20) -> list[tuple[str, int]]:
    return [(hit.passage.text, hit.facts.get("hop", 0)) for hit in index.related(query, limit, hops)]


TRIPLES = [
    ("Ada Lovelace", "manages", "Bob"),
    ("Ada Lovelace", "works in", "London"),
    ("Bob", "works in", "Paris"),
    ("Paris", "is in", "France"),
    ("Ada", "is a", "name"),
    ("张三", "属于", "研发部"),
    ("研发部", "负责", "手机业务"),
    ("张三丰", "创立", "武当派"),
]


@pytest.fixture
def graph(index: Index) -> Index:
    put(index, *(Entry(f"t{n}", "T", [triple(*each)], triples=True) for n, each in enumerate(TRIPLES)))
    return index


def test_hops(graph: Index) -> None:
    assert related(graph, "What about Ada Lovelace?", 1) == [
        ("Ada Lovelace manages Bob", 1),
        ("Ada Lovelace works in London", 1),
    ]
    assert related(graph, "ada lovelace", 2)[2:] == [("Bob works in Paris", 2)]
    assert related(graph, "ada lovelace", 3)[3:] == [("Paris is in France", 3)]
    assert related(graph, "ada lovelace", 9) == related(graph, "ada lovelace", 4)


def test_the_predicate_in_the_query_comes_first(graph: Index) -> None:
    assert related(graph, "where does Ada Lovelace works in")[0] == ("Ada Lovelace works in London", 1)


def test_the_longest_name_is_meant(graph: Index) -> None:
    assert related(graph, "张三丰是谁", 1) == [("张三丰 创立 武当派", 1)]
    assert related(graph, "张三在哪个部门", 2) == [("张三 属于 研发部", 1), ("研发部 负责 手机业务", 2)]
    assert related(graph, "Ada?", 1) == [("Ada is a name", 1)]


def test_a_part_of_a_name(graph: Index) -> None:
    assert related(graph, "who is Lovelace", 1)[0] == ("Ada Lovelace manages Bob", 1)


def test_without_an_entity_the_words_count(graph: Index) -> None:
    assert [text for text, _ in related(graph, "谁负责")] == ["研发部 负责 手机业务"]
    assert related(graph, "nothing of that") == [] or all(
        "of" not in text for text, _ in related(graph, "nothing of that")
    )


def test_triples_go_out_again(graph: Index) -> None:
    graph.apply([], ["t0", "t1"], 99)
    assert related(graph, "Ada Lovelace", 2) == [("Ada is a name", 1)]
    assert related(graph, "Bob", 1) == [("Bob works in Paris", 1)]


def test_a_hub_is_bounded(index: Index) -> None:
    spokes = [triple("hub", "has", f"spoke{n}") for n in range(3000)]
    more = [triple(f"spoke{n}", "has", f"leaf{n}") for n in range(3000)]
    put(index, Entry("wheel", "W", spokes + more, triples=True))
    assert len(related(index, "hub", 4, 100)) == 100


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_against_a_plain_walk(index: Index, seed: int) -> None:
    rng = random.Random(seed)
    names = ["alpha", "beta", "gamma one", "张三", "研发部", "delta"]
    every = {(rng.choice(names), "p", rng.choice(names)) for _ in range(8)}
    for n, each in enumerate(sorted(every)):
        put(index, Entry(f"t{n}", "T", [triple(*each)], triples=True))
    gone = rng.randrange(len(every))
    index.apply([], [f"t{gone}"], 99)
    left = [each for n, each in enumerate(sorted(every)) if n != gone]
    for name in names:
        if not any(name in (each[0], each[2]) for each in left):
            continue
        near = {name}
        for hops in (1, 2, 3):
            expected = {" ".join(each) for each in left if near & {each[0], each[2]}}
            assert {text for text, _ in related(index, name, hops)} == expected
            near |= {end for each in left if near & {each[0], each[2]} for end in (each[0], each[2])}
    assert words("gamma one") == ["gamma", "one"]
