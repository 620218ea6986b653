"""The SQLite file of one source's index: its tables, and whether a file is one that this code can read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

FORMAT = 1  # of tables and words; a file of another format is built anew from the documents

# `words` keeps no text of its own: it is in `passages`, and its words are made again when they are taken out.
# `names` holds the words of entities, whose numbers are its row ids.
_SCHEMA = """
CREATE TABLE facts(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE documents(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, fault TEXT NOT NULL DEFAULT ''
);
CREATE TABLE passages(
  number INTEGER PRIMARY KEY, document INTEGER NOT NULL, place INTEGER NOT NULL, line INTEGER NOT NULL,
  title TEXT NOT NULL, text TEXT NOT NULL, payload TEXT, metadata TEXT
);
CREATE INDEX passages_of ON passages(document, place);
CREATE VIRTUAL TABLE words USING fts5(title, text, content='', tokenize="unicode61 remove_diacritics 2");
CREATE TABLE entities(number INTEGER PRIMARY KEY, words TEXT NOT NULL UNIQUE, uses INTEGER NOT NULL);
CREATE TABLE ends(
  entity INTEGER NOT NULL, passage INTEGER NOT NULL, PRIMARY KEY(entity, passage)
) WITHOUT ROWID;
CREATE INDEX ends_of ON ends(passage);
CREATE VIRTUAL TABLE names USING fts5(words, content='', tokenize="unicode61 remove_diacritics 2");
INSERT INTO words(words, rank) VALUES('rank', 'bm25(2.0, 1.0)');
"""


class NoFullTextSearch(RuntimeError):
    """This Python's SQLite was built without FTS5."""

    def __init__(self) -> None:
        super().__init__(f"SQLite {sqlite3.sqlite_version} of this Python has no full-text search (FTS5)")


class NotAnIndex(Exception):
    """The file is none, is broken, or is of another format."""


def create(path: Path) -> sqlite3.Connection:
    """A new, empty file. Raises NoFullTextSearch."""
    connection = sqlite3.connect(path, check_same_thread=False)
    tune(connection)
    try:
        connection.executescript(_SCHEMA)
    except sqlite3.OperationalError as fault:
        connection.close()
        if "fts5" in str(fault):
            raise NoFullTextSearch from None
        raise
    connection.executemany("INSERT INTO facts VALUES(?, ?)", [("format", FORMAT), ("revision", 0)])
    connection.commit()
    return connection


def read(path: Path) -> sqlite3.Connection:
    """An index that a file holds. Raises NotAnIndex, NoFullTextSearch."""
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        tune(connection)
        found = connection.execute("SELECT value FROM facts WHERE name = 'format'").fetchone()
        connection.execute("SELECT count(*) FROM words WHERE words MATCH '\"x\"'").fetchone()
    except sqlite3.DatabaseError as fault:
        connection.close()
        if "no such module" in str(fault):
            raise NoFullTextSearch from None
        raise NotAnIndex from None
    if found != (FORMAT,):
        connection.close()
        raise NotAnIndex
    return connection


def tune(connection: sqlite3.Connection) -> None:
    """A file of this process alone, made again where it is lost: nothing needs to reach the disk."""
    for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "mmap_size = 268435456", "cache_size = -16384"):
        connection.execute(f"PRAGMA {pragma}")
