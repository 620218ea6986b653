"""Brings an index to a source's newest revision: the newest snapshot, and the changes after it.

    head r (consistent) ─▶ index at r: search it
          │ older
          ▼
    (none yet: snapshot) ─▶ changes up to r, the last of each document ─▶ its bytes ─▶ passages ─▶ index

A document whose bytes are gone was changed again meanwhile: the loop reads the head once more and finds that change.
What was applied stays, so who runs out of time leaves less to the next one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopstep.gateways.blobs import Blobs
from loopstep.knowledge.database import FORMAT, NotAnIndex
from loopstep.knowledge.index import Entry, Index, open_index
from loopstep.knowledge.passage import Unreadable
from loopstep.knowledge.port import GRAPH, SourceFailed
from loopstep.knowledge.reading import passages
from loopstep.knowledge.records import Change, Changed, Snapshot
from loopstep.knowledge.store import DocumentStore

BEHIND = "its index is being brought up to date and took too long"
_AT_ONCE = 256  # documents of one step
_BYTES_AT_ONCE = 8 * 1024 * 1024
_READERS = 8  # threads that read objects
_ROUNDS = 20
_LOST = "its bytes are gone"


class CatchUp:
    """Reads changes and objects of sources. `expired` says when to give up."""

    def __init__(self, documents: DocumentStore, blobs: Blobs) -> None:
        self._documents, self._blobs = documents, blobs

    def first(self, source: str, path: Path) -> Index:
        """The newest snapshot in that file, else an empty index."""
        for _ in range(_ROUNDS):
            snapshot = self._documents.snapshot(source)
            if snapshot is None or snapshot.format != FORMAT:
                break
            with contextlib.suppress(KeyError):  # a newer one has taken its place
                self._blobs.download(snapshot.key, path)
                with contextlib.suppress(NotAnIndex):
                    return open_index(path)
                break
        path.unlink(missing_ok=True)
        return open_index(path, new=True)

    def newest(self, source: str, index: Index, expired: Callable[[], bool]) -> int:
        """Apply what changed since the index's revision; how many documents that were. Raises SourceFailed.

        What is written after the first look at the head may be in it or not: who asks does not chase writers.
        """
        applied = 0
        for _ in range(_ROUNDS):
            if self._documents.head(source).revision <= index.revision:
                return applied
            lost = False
            for change in _steps(_last(self._documents.changes(source, index.revision))):
                if expired():
                    raise SourceFailed(BEHIND)
                lost = self._apply(index, change) or lost
                applied += len(change.documents)
            if not lost:
                return applied
        raise SourceFailed(BEHIND)

    def mend(self, source: str, index: Index) -> None:
        """Look once more for documents whose bytes could not be had: the bucket may have refused for a while."""
        lost = index.faulty(_LOST)
        if not lost:
            return
        there = self._documents.documents(source, lost).values()
        read = [self._entry(Changed(each.id, each.key, each.title, each.kind, each.form)) for each in there]
        index.apply([entry for entry in read if entry.fault != _LOST], [], index.revision)

    def _apply(self, index: Index, change: Change) -> bool:
        """Whether a document's bytes were gone."""
        put = [each for each in change.documents if each.key is not None]
        removed = [each.id for each in change.documents if each.key is None]
        if len(put) > 1:
            with ThreadPoolExecutor(max_workers=_READERS) as readers:
                read = list(readers.map(self._entry, put))
        else:
            read = list(map(self._entry, put))
        index.apply(read, removed, change.revision)
        return any(entry.fault == _LOST for entry in read)

    def _entry(self, changed: Changed) -> Entry:
        assert changed.key is not None
        try:
            data = self._blobs.get(changed.key)
            found = passages(changed.kind, changed.form, data, changed.title)
        except KeyError:
            return Entry(changed.id, changed.title, (), fault=_LOST)
        except Unreadable as unreadable:  # it was read when it was put, by other code
            return Entry(changed.id, changed.title, (), fault=str(unreadable)[:200])
        return Entry(changed.id, changed.title, found, triples=changed.kind == GRAPH)


def keep(documents: DocumentStore, blobs: Blobs, source: str, index: Index, path: Path, key: str) -> bool:
    """Store a copy of the index as the source's snapshot, by way of a file; False where a newer one stands."""
    index.copy(path)
    blobs.upload(key, path)
    before = documents.snapshot(source)
    stored = documents.replace_snapshot(source, Snapshot(index.revision, FORMAT, key, path.stat().st_size))
    gone = before.key if stored and before is not None else key if not stored else None
    if gone is not None:
        blobs.remove(gone)
    return stored


def _last(changes: Iterator[Change]) -> list[Change]:
    """The changes with the last of each document only; one of which nothing is left is left out."""
    latest: dict[str, tuple[int, Changed]] = {}
    for change in changes:
        for each in change.documents:
            latest[each.id] = (change.revision, each)
    by_revision: dict[int, list[Changed]] = {}
    for revision, each in latest.values():
        by_revision.setdefault(revision, []).append(each)
    return [Change(revision, tuple(by_revision[revision])) for revision in sorted(by_revision)]


def _steps(changes: list[Change]) -> Iterator[Change]:
    """Several changes as one under the last one's revision, so that not too much is held at a time."""
    held: list[Changed] = []
    size = revision = 0
    for change in changes:
        more = sum(each.bytes for each in change.documents)
        if held and (len(held) + len(change.documents) > _AT_ONCE or size + more > _BYTES_AT_ONCE):
            yield Change(revision, tuple(held))
            held, size = [], 0
        held.extend(change.documents)
        size, revision = size + more, change.revision
    if held:
        yield Change(revision, tuple(held))
