"""One source's index: documents go in and out, passages are found by BM25 (SQLite FTS5, CANVAS §3.5)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from loopstep.knowledge import database, graph
from loopstep.knowledge.passage import Passage
from loopstep.knowledge.tokens import indexed, match
from loopstep.types.text import json_text

_TIES = 16  # hits beyond those wanted that are looked at, so that equal ones come in the same order everywhere
_STEPS = 100_000  # of SQLite's machine between two looks at the clock, some 10,000 rows


class Hit(NamedTuple):
    """A passage that was found; `score` is higher for better ones, `facts` what the search knows of it besides."""

    document: str
    title: str  # the document's
    place: int  # among the document's passages, from 0
    passage: Passage
    score: float
    facts: dict[str, Any]


class Entry(NamedTuple):
    """What an index holds of a document: its passages, or why it has none."""

    id: str
    title: str
    passages: Sequence[Passage]
    triples: bool = False
    fault: str = ""


class Index:
    """Over an open file. One thread at a time; who searches says when to give up."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._sql = connection
        self.revision: int = self._value("SELECT value FROM facts WHERE name = 'revision'")
        self._counted: tuple[int, list[str]] | None = None

    def apply(self, put: Iterable[Entry], removed: Iterable[str], revision: int) -> None:
        """Put documents in (again), take others out, and stand at that revision: all of it or nothing."""
        with self._sql:
            for id in removed:
                self._remove(id)
            for entry in put:
                self._remove(entry.id)
                self._put(entry)
            self._sql.execute("UPDATE facts SET value = ? WHERE name = 'revision'", (revision,))
        self.revision, self._counted = revision, None

    def search(self, query: str, limit: int, expired: Callable[[], bool] = lambda: False) -> list[Hit]:
        """The best passages for the query's words, best first; equal ones by document and place.

        Raises sqlite3.OperationalError where `expired` said so.
        """
        expression = match(query)
        if not expression:
            return []
        found = self._timed(
            expired,
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (expression, limit + _TIES),
        )
        return self.hits([(number, -rank, {}) for number, rank in found], limit)

    def related(self, query: str, limit: int, hops: int, expired: Callable[[], bool] = lambda: False) -> list[Hit]:
        """Triples around the entities that the query names, nearest first; without one, those with its words."""
        found = graph.walk(lambda sql, values: self._timed(expired, sql, values), query, hops)
        return self.hits(found, limit) if found else self.search(query, limit, expired)

    def hits(self, found: list[tuple[int, float, dict[str, Any]]], limit: int) -> list[Hit]:
        """The best `limit` of passages by number, score and facts."""
        by_number = {number: (score, facts) for number, score, facts in found}
        marks = ",".join("?" * len(by_number))
        rows = self._sql.execute(
            "SELECT p.number, d.id, d.title, p.place, p.title, p.text, p.line, p.payload, p.metadata FROM passages p"
            f" JOIN documents d ON d.number = p.document WHERE p.number IN ({marks})",
            list(by_number),
        )
        hits = [_hit(row[1:], *by_number[row[0]]) for row in rows]
        return sorted(hits, key=lambda hit: (-hit.score, hit.document, hit.place))[:limit]

    def documents(self) -> tuple[int, list[str]]:
        """How many there are, and the ids of the first that could not be read."""
        if self._counted is None:
            broken = self._sql.execute("SELECT id FROM documents WHERE fault != '' ORDER BY id LIMIT 10")
            self._counted = self._value("SELECT count(*) FROM documents"), [id for (id,) in broken]
        return self._counted

    def faulty(self, fault: str) -> list[str]:
        """The ids of the first documents that have this fault."""
        if not self.documents()[1]:
            return []
        return [id for (id,) in self._sql.execute("SELECT id FROM documents WHERE fault = ? LIMIT 10", (fault,))]

    def copy(self, path: Path) -> None:
        """Write a compact copy to a file that does not exist."""
        with self._sql:
            self._sql.execute("INSERT INTO words(words) VALUES('optimize')")
        self._sql.execute("VACUUM INTO ?", (str(path),))

    def close(self) -> None:
        """The file is not needed any more."""
        self._sql.close()

    def _put(self, entry: Entry) -> None:
        run = self._sql.execute
        document = run(
            "INSERT INTO documents(id, title, fault) VALUES(?, ?, ?)", (entry.id, entry.title, entry.fault)
        ).lastrowid
        number: int = self._value("SELECT coalesce(max(number), 0) FROM passages") + 1
        rows = list(enumerate(entry.passages, number))
        self._sql.executemany(
            "INSERT INTO passages VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (at, document, at - number, p.line, p.title, p.text, _text(p.payload), _text(p.metadata))
                for at, p in rows
            ],
        )
        self._sql.executemany(
            "INSERT INTO words(rowid, title, text) VALUES(?, ?, ?)",
            [(at, indexed(p.title), indexed(p.text)) for at, p in rows],
        )
        if entry.triples:
            for at, passage in rows:
                graph.add(self._sql, at, passage.payload or {})

    def _remove(self, id: str) -> None:
        run = self._sql.execute
        found = run("SELECT number FROM documents WHERE id = ?", (id,)).fetchone()
        if found is None:
            return
        rows = run("SELECT number, title, text FROM passages WHERE document = ?", found).fetchall()
        self._sql.executemany(
            "INSERT INTO words(words, rowid, title, text) VALUES('delete', ?, ?, ?)",
            [(number, indexed(title), indexed(text)) for number, title, text in rows],
        )
        for number, _, _ in rows:
            graph.remove(self._sql, number)
        run("DELETE FROM passages WHERE document = ?", found)
        run("DELETE FROM documents WHERE number = ?", found)

    def _timed(self, expired: Callable[[], bool], sql: str, values: Sequence[Any]) -> list[Any]:
        self._sql.set_progress_handler(lambda: 1 if expired() else 0, _STEPS)
        try:
            return self._sql.execute(sql, values).fetchall()
        finally:
            self._sql.set_progress_handler(None, 0)

    def _value(self, sql: str) -> int:
        value: int = self._sql.execute(sql).fetchone()[0]
        return value


def open_index(path: Path, new: bool = False) -> Index:
    """The index in a file, or a new one. Raises NotAnIndex, NoFullTextSearch (`database`)."""
    return Index(database.create(path) if new else database.read(path))


def _hit(row: tuple[Any, ...], score: float, facts: dict[str, Any]) -> Hit:
    document, document_title, place, title, text, line, payload, metadata = row
    passage = Passage(title, text, line, _data(payload), _data(metadata))
    return Hit(document, document_title, place, passage, score, facts)


def _text(data: dict[str, Any] | None) -> str | None:
    return None if data is None else json_text(data)


def _data(text: str | None) -> Any:
    return None if text is None else json.loads(text)
