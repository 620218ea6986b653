"""Words of the index: CJK in overlapping pairs, the rest as unicode61 has it, and queries that are data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from loopstep.knowledge.tokens import MOST_TERMS, indexed, match, terms, words

TEXTS = [
    "年假iPhone15手机壳",
    "纳税人的义务",
    "Café résumé, e-mail to ada@example.org at 3.11",
    "𠮷野家の牛丼",
    "한국어 검색 엔진",
    "ﾊﾝｶｸ ＡＢＣ１２３",
    "佐々木は〇で",
    "the NEAR and OR in NOT text",
    "foo_bar x*y:z (paren)",
    "Straße naïve ЁЛКА",
    "人",
]


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')")
    rows = [(number, indexed(text)) for number, text in enumerate(TEXTS)]
    connection.executemany("INSERT INTO t(rowid, text) VALUES(?, ?)", rows)
    yield connection
    connection.close()


FOUND = [
    ("手机", {0}), ("年假", {0}), ("iphone15", {0}), ("机", {0}), ("壳", {0}), ("税", {1}), ("人", {1, 10}),
    ("纳税", {1}), ("义务", {1}), ("人的", {1}), ("cafe", {2}), ("RESUME", {2}), ("e-mail", {2}), ("3.11", {2}),
    ("ada@example.org", {2}), ("𠮷野", {3}), ("𠮷", {3}), ("丼", {3}), ("한국", {4}), ("색", {4}), ("ハンカク", {5}),
    ("abc123", {5}), ("々", {6}), ("〇", {6}), ("佐々木", {6}), ("NEAR", {7}), ("OR", {7}), ("foo_bar", {8}),
    ("y", {8}), ("paren", {8}), ("naive", {9}), ("ёлка", {9}), ("手机，纳税", {0, 1}), ("手机/纳税", {0, 1}),
    ("nothing", set()), ("机手", set()), ("税纳", set()),
]  # fmt: skip


@pytest.mark.parametrize(("query", "numbers"), FOUND)
def test_words_are_found(table: sqlite3.Connection, query: str, numbers: set[int]) -> None:
    assert {row for (row,) in table.execute("SELECT rowid FROM t WHERE t MATCH ?", (match(query),))} == numbers


SYNTAX = [
    '"', '""', '"手机', "手机\"", "NEAR(手机 纳税)", "NEAR(a b, 5)", "*", "手机*", "text:", "text:手机", "-手机",
    "^手机", "AND", "OR", "NOT", "手机 AND", "手机 NOT 年假", "( ( (", "手机)", "{text}: 手机", "+", "a + b", "\\", "'",
    "''", ";", "--", "手机; DROP TABLE t", "\0", "手\0机", "a\0b", "\x1a", "\ud800", "x" * 100_000, "机" * 100_000,
    "a " * 10_000, "%", "_", "?", ":query", "@x", "$x", "`", "e\u0301", "\u202e机手", "😀", "٣", "   ", "\n", "",
]  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX, ids=lambda text: repr(text)[:30])
def test_nothing_in_a_query_is_syntax(table: sqlite3.Connection, query: str) -> None:
    expression = match(query)
    if expression:
        table.execute("SELECT rowid FROM t WHERE t MATCH ?", (expression,)).fetchall()


def test_operators_have_no_effect(table: sqlite3.Connection) -> None:
    def found(query: str) -> set[int]:
        return {row for (row,) in table.execute("SELECT rowid FROM t WHERE t MATCH ?", (match(query),))}

    assert found("手机 NOT 年假") == {0, 7}  # `NOT` is a word of the eighth text
    assert found("手机 AND nothing") == {0, 7}
    assert found("text:纳税") == {1, 7}
    assert found("-手机") == {0}


def test_terms_are_different_and_bounded() -> None:
    assert terms("手机 手机 Phone phone") == ['"手机"', '"Phone"']
    assert len(terms(" ".join(f"w{number}" for number in range(500)))) == MOST_TERMS
    assert terms("纳税人") == ['"纳税"', '"税人"']


def test_words_of_names() -> None:
    assert words("Ada  LOVELACE's") == ["ada", "lovelace", "s"]
    assert words("张三丰 与 A公司") == ["张三", "三丰", "与", "a", "公司"]
