"""Triples by the entities at their ends: which of them a query names, and what is around these (CANVAS §3.5)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from loopstep.knowledge.tokens import MOST_CHARACTERS, match, words

HOPS = 2  # triples of the entities named, and of those on their other ends
MOST_HOPS = 4
_FADES = 0.5  # what a hop more is worth
_LONGEST = 8  # words of a name that is looked for in the query
_WORDS = 400  # of a query
_PARTLY = 0.5  # of an entity's words that a query has to have where it names none
_ENTITIES = 20  # that a walk begins with
_PER_ENTITY = 200  # triples
_MOST = 2_000  # triples of a walk

Ask = Callable[[str, Sequence[Any]], list[Any]]  # an SQL query with its values → rows
Found = tuple[int, float, dict[str, Any]]  # a passage's number, its score, `hop`


class _Seen(NamedTuple):
    score: float
    hop: int


def add(sql: sqlite3.Connection, passage: int, triple: dict[str, Any]) -> None:
    """Take the triple of a passage into the entities' tables."""
    for name in {" ".join(words(str(triple[end]))) for end in ("subject", "object")} - {""}:
        known = sql.execute("SELECT number FROM entities WHERE words = ?", (name,)).fetchone()
        if known:
            sql.execute("UPDATE entities SET uses = uses + 1 WHERE number = ?", known)
        else:
            known = (sql.execute("INSERT INTO entities(words, uses) VALUES(?, 1)", (name,)).lastrowid,)
            sql.execute("INSERT INTO names(rowid, words) VALUES(?, ?)", (*known, name))
        sql.execute("INSERT INTO ends VALUES(?, ?)", (*known, passage))


def remove(sql: sqlite3.Connection, passage: int) -> None:
    """Take what `add` took in out again."""
    found = sql.execute("SELECT entity FROM ends WHERE passage = ?", (passage,)).fetchall()
    for entity in found:
        sql.execute("UPDATE entities SET uses = uses - 1 WHERE number = ?", entity)
        gone = sql.execute("SELECT number, words FROM entities WHERE number = ? AND uses < 1", entity).fetchone()
        if gone:
            sql.execute("INSERT INTO names(names, rowid, words) VALUES('delete', ?, ?)", gone)
            sql.execute("DELETE FROM entities WHERE number = ?", entity)
    if found:
        sql.execute("DELETE FROM ends WHERE passage = ?", (passage,))


def walk(ask: Ask, query: str, hops: int) -> list[Found]:
    """The triples within `hops` of the entities that a query names: nearer ones first, those whose predicate it has."""
    asked = words(query[:MOST_CHARACTERS])[:_WORDS]
    begin = _named(ask, asked) or _partly_named(ask, query, set(asked))
    entities = {number: _Seen(score, 0) for number, score in begin}
    triples: dict[int, _Seen] = {}
    edge = dict(entities)
    for hop in range(1, min(hops, MOST_HOPS) + 1):
        edge = _step(ask, edge, hop, entities, triples)
        if not edge:
            break
    return list(_scored(ask, triples, set(asked)))


def _step(
    ask: Ask, edge: dict[int, _Seen], hop: int, entities: dict[int, _Seen], triples: dict[int, _Seen]
) -> dict[int, _Seen]:
    """Add the triples of the entities on the edge; the entities that come new."""
    new: dict[int, _Seen] = {}
    for entity, seen in sorted(edge.items(), key=lambda each: (-each[1].score, each[0])):
        if len(triples) >= _MOST:
            break
        fresh = [
            passage
            for (passage,) in ask("SELECT passage FROM ends WHERE entity = ? LIMIT ?", (entity, _PER_ENTITY))
            if passage not in triples
        ]
        triples.update({passage: _Seen(seen.score, hop) for passage in fresh})
        for other in _others(ask, fresh):
            if other not in entities:
                entities[other] = new[other] = _Seen(seen.score * _FADES, hop)
    return new


def _others(ask: Ask, passages: list[int]) -> Iterator[int]:
    marks = ",".join("?" * len(passages))
    for (entity,) in ask(f"SELECT DISTINCT entity FROM ends WHERE passage IN ({marks})", passages):
        yield entity


def _named(ask: Ask, asked: list[str]) -> list[tuple[int, float]]:
    """The entities whose whole name stands in the query; one within a longer name is not meant."""
    runs = {
        (start, length): " ".join(asked[start : start + length])
        for length in range(1, _LONGEST + 1)
        for start in range(len(asked) - length + 1)
    }
    texts = list(dict.fromkeys(runs.values()))
    known: dict[str, int] = {}
    for at in range(0, len(texts), 500):
        part = texts[at : at + 500]
        known.update(ask(f"SELECT words, number FROM entities WHERE words IN ({','.join('?' * len(part))})", part))
    places = sorted((place for place, text in runs.items() if text in known), key=lambda place: (-place[1], place[0]))
    taken: set[int] = set()
    found: dict[int, float] = {}
    for start, length in places:
        span = set(range(start, start + length))
        if not span <= taken:
            found[known[runs[start, length]]] = 1.0
            taken |= span
    return list(found.items())[:_ENTITIES]


def _partly_named(ask: Ask, query: str, asked: set[str]) -> list[tuple[int, float]]:
    """The entities of whose names the query has at least half of the words, with that share."""
    expression = match(query)
    if not expression:
        return []
    rows = ask(
        "SELECT e.number, e.words FROM (SELECT rowid, rank FROM names WHERE names MATCH ? ORDER BY rank LIMIT 50) n"
        " JOIN entities e ON e.number = n.rowid ORDER BY n.rank, e.words",
        (expression,),
    )
    shares = [(number, len(asked & set(name.split())) / len(set(name.split()))) for number, name in rows]
    return [(number, share) for number, share in shares if share >= _PARTLY][:_ENTITIES]


def _scored(ask: Ask, triples: dict[int, _Seen], asked: set[str]) -> Iterator[Found]:
    numbers = list(triples)
    for at in range(0, len(numbers), 500):
        part = numbers[at : at + 500]
        marks = ",".join("?" * len(part))
        for number, payload in ask(f"SELECT number, payload FROM passages WHERE number IN ({marks})", part):
            own, seen = set(words(json.loads(payload)["predicate"])), triples[number]
            share = len(own & asked) / len(own) if own else 0.0
            yield number, seen.score * (1 + share), {"hop": seen.hop}
