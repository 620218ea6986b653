"""(k) Retrieval from 10,000 documents, beside SQLite FTS5 on the same index file without anything around it."""

from __future__ import annotations

import contextlib
import itertools
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from loopstep.gateways.blobs import Blobs
from loopstep.knowledge import database
from loopstep.knowledge.ask import Sources
from loopstep.knowledge.embedded import Embedded
from loopstep.knowledge.evidence import rounded
from loopstep.knowledge.records import MOST_OF_A_CHANGE, Document, Head
from loopstep.knowledge.store import DocumentStore
from loopstep.knowledge.tokens import match
from tests.bench.cloud import Cloud
from tests.bench.figures import Figure, Measurement, Target, of_rounds, paired

RATIO = Target("<=", 1.5)
TITLE = "retrieval beside plain SQLite FTS5 on the same index file"
QUERIES = 24
TOP = 5
PLAIN = (
    "SELECT p.title, p.text, rank FROM (SELECT rowid AS number, rank FROM words WHERE words MATCH ? ORDER BY rank"
    " LIMIT ?) JOIN passages p USING (number)"
)


class Entry(NamedTuple):
    id: str
    content: dict[str, Any]


def measure(cloud: Cloud, rounds: int = 9, documents: int = 10_000) -> Measurement:
    """Warm: a function whose index is at hand still reads the source's revision. Cold: both fetch the file."""
    source = f"bench_{secrets.token_hex(4)}"
    stack = _Stack(cloud)
    began = time.perf_counter()
    stack.fill(source, documents)
    filled, began = time.perf_counter() - began, time.perf_counter()
    entry = Entry(source, {"name": source, "kind": "DOCUMENT", "managed": None, "enabled": True})
    stack.function().retrieve({source: entry}, "anything", TOP, 600)
    built = time.perf_counter() - began
    snapshot = stack.documents.snapshot(source)
    assert snapshot is not None and snapshot.revision == stack.documents.head(source).revision
    queries = _queries()
    warm, plain, cold, plain_cold = [], [], [], []
    function = stack.function()
    with tempfile.TemporaryDirectory(prefix="bench-retrieval-") as folder:
        path = Path(folder) / "index.db"
        stack.blobs.download(snapshot.key, path)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            _warm(function, entry, queries), _plain(connection, queries)
            for query in queries:
                assert _found(function, entry, query) == _found_plainly(connection, query), query
            for number in range(rounds):
                ours, theirs = (_warm, function, entry), (_plain, connection)
                for act, times in _in_turn(number, (ours, warm), (theirs, plain)):
                    times.append(act[0](*act[1:], queries))
        for number in range(rounds):
            ours, theirs = (_cold, stack, entry), (_plain_cold, stack, snapshot.key, folder)
            for act, times in _in_turn(number, (ours, cold), (theirs, plain_cold)):
                times.append(act[0](*act[1:], queries[number % len(queries)]))
    stack.empty(source)
    figures = (
        paired("warm query / plain FTS5", warm, plain, RATIO),
        paired("cold query / plain FTS5 that fetches the file too", cold, plain_cold, RATIO),
        of_rounds("warm query", warm, "ms"),
        of_rounds("cold query", cold, "ms"),
        Figure("index file", snapshot.bytes / 2**20, "MiB"),
        Figure("documents put", filled, "s"),
        Figure("first query, which makes the index", built, "s"),
    )
    medians = {figure.name: figure.value for figure in figures}
    return Measurement("retrieval", f"{TITLE}, {documents:,} documents", figures, medians, rounds)


class _Stack:
    """The stores over the local cloud."""

    def __init__(self, cloud: Cloud) -> None:
        stacks = cloud.client("cloudformation").describe_stacks()["Stacks"]
        outputs = {each["OutputKey"]: each["OutputValue"] for stack in stacks for each in stack.get("Outputs", ())}
        s3 = cloud.client("s3")
        self.documents = DocumentStore(cloud.client("dynamodb"), outputs["PlansTable"])
        self.blobs = Blobs(lambda: s3, outputs["ValuesBucket"])

    def function(self) -> Sources:
        """A function that starts now."""
        managed: Any = None
        embedded = Embedded(self.documents, self.blobs, time.monotonic, lambda: secrets.token_hex(8), _told)
        return Sources(embedded, managed, time.monotonic, _told)

    def fill(self, source: str, count: int) -> None:
        """Put documents as the service does, their objects at once."""
        texts = _texts(count)
        keys = [f"source/{source}/document/{number}" for number in range(count)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(self.blobs.put, keys, texts))
        head = Head()
        for begin in range(0, count, MOST_OF_A_CHANGE):
            numbers = range(begin, min(begin + MOST_OF_A_CHANGE, count))
            put = [
                Document(f"d{n}.md", f"d{n}", "DOCUMENT", "markdown", keys[n], "", len(texts[n]), head.revision + 1, "")
                for n in numbers
            ]
            after = Head(head.revision + 1, head.documents + len(put), head.bytes)
            assert self.documents.commit(source, head, put, [], after, "bench")
            head = after

    def empty(self, source: str) -> None:
        """Take the objects out again; the records stay with the local cloud."""
        for key in (each.key for each in self._pages(source)):
            self.blobs.remove(key)

    def _pages(self, source: str) -> Iterator[Document]:
        after: str | None = None
        while True:
            page, after = self.documents.page(source, 500, after)
            yield from page
            if after is None:
                return


def _told(source: str, fault: str) -> None:
    raise AssertionError(f"{source}: {fault}")


def _in_turn(number: int, *pairs: tuple[Any, list[float]]) -> Sequence[tuple[Any, list[float]]]:
    """Who goes first changes from round to round."""
    return pairs if number % 2 else pairs[::-1]


def _warm(function: Sources, entry: Entry, queries: Sequence[str]) -> float:
    began = time.perf_counter()
    for query in queries:
        assert not function.retrieve({entry.id: entry}, query, TOP, 60).failed
    return (time.perf_counter() - began) * 1000 / len(queries)


def _plain(connection: sqlite3.Connection, queries: Sequence[str]) -> float:
    began = time.perf_counter()
    for query in queries:
        connection.execute(PLAIN, (match(query), TOP)).fetchall()
    return (time.perf_counter() - began) * 1000 / len(queries)


def _found(function: Sources, entry: Entry, query: str) -> list[float]:
    found = function.retrieve({entry.id: entry}, query, TOP, 60)
    return [each["score"] for each in found.evidences]


def _found_plainly(connection: sqlite3.Connection, query: str) -> list[float]:
    return [rounded(-rank) for _, _, rank in connection.execute(PLAIN, (match(query), TOP))]


def _cold(stack: _Stack, entry: Entry, query: str) -> float:
    function = stack.function()
    return _warm(function, entry, [query])


def _plain_cold(stack: _Stack, key: str, folder: str, query: str) -> float:
    began = time.perf_counter()
    path = Path(folder) / "cold.db"
    stack.blobs.download(key, path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        database.tune(connection)
        _plain(connection, [query])
    return (time.perf_counter() - began) * 1000


# -- texts -----------------------------------------------------------------------------------------------------------

_RNG = Random(7)
_WORDS = ["".join(_RNG.choices("abcdefghijklmnopqrstuvwxyz", k=_RNG.randint(3, 9))) for _ in range(20_000)]
_HAN = [chr(0x4E00 + _RNG.randrange(3000)) + chr(0x4E00 + _RNG.randrange(3000)) for _ in range(8_000)]
_WEIGHTS = list(itertools.accumulate(1 / place for place in range(1, 20_001)))  # as words of a language are spread


def _words(rng: Random, count: int, han: bool) -> str:
    known = _HAN if han else _WORDS
    return ("" if han else " ").join(rng.choices(known, cum_weights=_WEIGHTS[: len(known)], k=count))


def _texts(count: int) -> list[bytes]:
    """Documents of one or two kilobytes, every third in Chinese."""
    rng = Random(1)
    found = []
    for number in range(count):
        han = number % 3 == 0
        body = ("。" if han else ". ").join(_words(rng, 20, han) for _ in range(10))
        found.append(f"# {_words(rng, 3, han)}\n\n{body}\n".encode())
    return found


def _queries() -> list[str]:
    rng = Random(2)
    return [_words(rng, 4 if number % 3 else 2, number % 3 == 0) for number in range(QUERIES)]
