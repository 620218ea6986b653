"""Sources with documents of their own: each has its index in a file of this process, brought up to date when asked."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from loopstep.gateways.blobs import Blobs
from loopstep.knowledge import keys
from loopstep.knowledge.catch_up import BEHIND, CatchUp, keep
from loopstep.knowledge.database import NoFullTextSearch
from loopstep.knowledge.graph import HOPS
from loopstep.knowledge.index import Hit, Index
from loopstep.knowledge.port import GRAPH, SourceFailed
from loopstep.knowledge.store import DocumentStore

_KEPT = 8  # indexes; the least used one's file goes first
_KEPT_BYTES = 192 * 1024 * 1024  # of their files; a function has 512 MB, and a copy needs room beside them
_SHARE = 8  # a snapshot is due when so many'th part of the documents changed since the last one
_LEAST = 100  # documents
_SPARE = 3.0  # seconds that have to be left for one

Clock = Callable[[], float]  # seconds that only go forward
Note = Callable[[str, str], None]


class _Cached:
    """One source's index, for one thread at a time. `changed` counts documents since its snapshot."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, Lock()
        self.index: Index | None = None
        self.changed = 0

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def drop(self) -> None:
        if self.index is not None:
            self.index.close()
        self.index = None
        self.path.unlink(missing_ok=True)


class _Asked(NamedTuple):
    """What is looked for."""

    kind: str
    query: str
    limit: int
    expired: Callable[[], bool]

    def of(self, index: Index) -> list[Hit]:
        if self.kind == GRAPH:
            return index.related(self.query, self.limit, HOPS, self.expired)
        return index.search(self.query, self.limit, self.expired)


class Embedded:
    """Searches sources' own documents. `new_owner` gives random texts for the names of snapshots.

    `note` hears of a snapshot that could not be stored: the source, and the exception's class.
    """

    def __init__(
        self, documents: DocumentStore, blobs: Blobs, clock: Clock, new_owner: Callable[[], str], note: Note
    ) -> None:
        self._documents, self._blobs, self._clock, self._new_owner = documents, blobs, clock, new_owner
        self._note = note
        self._catch_up = CatchUp(documents, blobs)
        self._folder: Any = None  # made when first needed, and gone with the process
        self._cached: OrderedDict[str, _Cached] = OrderedDict()
        self._heads = ThreadPoolExecutor(max_workers=8)
        self._lock = Lock()
        self._made = 0

    def search(self, source: str, kind: str, query: str, limit: int, ends: float) -> tuple[list[Hit], dict[str, Any]]:
        """The best hits at the source's newest revision, and `{found, documents, revision, unreadable?}` about it.

        `ends` is when the clock says it is over. Raises SourceFailed.
        """
        cached = self._entry(source)
        if not cached.lock.acquire(timeout=max(0.0, ends - self._clock())):
            raise SourceFailed(BEHIND)
        try:
            return self._search(source, cached, kind, query, limit, ends)
        except NoFullTextSearch as missing:
            raise SourceFailed(str(missing)) from None
        except sqlite3.Error as fault:
            if "interrupted" not in str(fault):
                cached.drop()  # a broken file is made again by the next one who asks
                raise SourceFailed("its index broke") from None
            raise SourceFailed("no answer in time") from None
        finally:
            cached.lock.release()

    def _search(
        self, source: str, cached: _Cached, kind: str, query: str, limit: int, ends: float
    ) -> tuple[list[Hit], dict[str, Any]]:
        asked = _Asked(kind, query, limit, lambda: self._clock() > ends)
        hits = self._while_the_head_is_read(source, cached.index, asked)
        if hits is not None and cached.index is not None:
            return hits, _about(cached.index, hits)
        if cached.index is None:
            cached.index = self._catch_up.first(source, cached.path)
        index = cached.index
        cached.changed += self._catch_up.newest(source, index, asked.expired)
        self._catch_up.mend(source, index)
        hits = asked.of(index)
        about = _about(index, hits)
        if cached.changed >= max(_LEAST, about["documents"] // _SHARE) and ends - self._clock() > _SPARE:
            self._keep(source, cached, index)
        return hits, about

    def _while_the_head_is_read(self, source: str, index: Index | None, asked: _Asked) -> list[Hit] | None:
        """The hits of the index at hand, where it has all its documents and the head says it was the newest; else None.

        The head is read after the question came, so what was put before it counts; that it takes as long as a search
        does not matter then.
        """
        if index is None or index.documents()[1]:
            return None
        head = self._heads.submit(self._documents.head, source)
        hits = asked.of(index)
        return hits if head.result().revision == index.revision else None

    def _keep(self, source: str, cached: _Cached, index: Index) -> None:
        """Store a copy for others. Who asked has the answer already, so that it could not be done is nobody's fault."""
        key = keys.index_object(source, index.revision, self._new_owner())
        path = cached.path.with_suffix(".copy")
        cached.changed = 0
        try:
            keep(self._documents, self._blobs, source, index, path, key)
        except Exception as fault:
            self._note(source, type(fault).__name__)
        finally:
            path.unlink(missing_ok=True)

    def _entry(self, source: str) -> _Cached:
        with self._lock:
            if source not in self._cached:
                if self._folder is None:
                    self._folder = tempfile.TemporaryDirectory(prefix="loopstep-knowledge-", ignore_cleanup_errors=True)
                self._made += 1
                self._cached[source] = _Cached(Path(self._folder.name) / f"{self._made}.db")
            self._cached.move_to_end(source)
            self._forget()
            return self._cached[source]

    def _forget(self) -> None:
        """Drop the least used indexes that nobody reads now."""
        size = sum(each.bytes for each in self._cached.values())
        for source, cached in list(self._cached.items())[:-1]:
            if len(self._cached) <= _KEPT and size <= _KEPT_BYTES:
                return
            size -= cached.bytes
            if cached.lock.acquire(blocking=False):
                try:
                    cached.drop()
                    del self._cached[source]
                finally:
                    cached.lock.release()


def _about(index: Index, hits: list[Hit]) -> dict[str, Any]:
    count, broken = index.documents()
    about: dict[str, Any] = {"found": len(hits), "documents": count, "revision": index.revision}
    return about | ({"unreadable": broken} if broken else {})
