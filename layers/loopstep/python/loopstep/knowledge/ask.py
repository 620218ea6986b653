"""Asks several sources at once, each by its own way, and makes one answer of theirs (CANVAS §3.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from loopstep.knowledge import evidence
from loopstep.knowledge.embedded import Embedded
from loopstep.knowledge.fusion import fuse
from loopstep.knowledge.managed import Managed
from loopstep.knowledge.port import GRAPH, MOST, Evidence, Found, SourceEntry, SourceFailed

_AT_ONCE = 16  # sources; more wait for one that is done
_LATE = "no answer in time"
_BROKEN = "the source failed"

Answer = tuple[list[Evidence], dict[str, Any]]


class Sources:
    """The `port.Knowledge` over both kinds. `note` hears the class of an exception that nobody foresaw."""

    def __init__(
        self, embedded: Embedded, managed: Managed, clock: Callable[[], float], note: Callable[[str, str], None]
    ) -> None:
        self._embedded, self._managed, self._clock, self._note = embedded, managed, clock, note
        self._pool = ThreadPoolExecutor(max_workers=_AT_ONCE)  # makes a thread when one is needed

    def retrieve(self, sources: Mapping[str, SourceEntry], query: str, top_k: int, seconds: float) -> Found:
        """See `port.Knowledge`."""
        asked = {id: source.content.get("enabled", True) is not False for id, source in sources.items()}
        enabled = [source for id, source in sources.items() if asked[id]]
        diagnostics: dict[str, Any] = {_key(s): {"enabled": False} for id, s in sources.items() if not asked[id]}
        if not sources:
            diagnostics["error:sources"] = "there is no source to ask"
        if not query.strip():
            diagnostics["error:query"] = "there is nothing in the query"
            return Found([], diagnostics, False, asked)
        limit = min(max(top_k, 1), MOST)
        rankings, failed = [], 0
        for source, answer in zip(enabled, self._all(enabled, query, limit, seconds), strict=True):
            if isinstance(answer, str):
                diagnostics[f"error:{source.id}"] = answer
                failed += 1
            else:
                rankings.append(answer[0])
                diagnostics[_key(source)] = answer[1]
        evidences = fuse(rankings, limit) if rankings else []
        return Found(evidences, diagnostics, bool(enabled) and failed == len(enabled), asked)

    def _all(self, sources: list[SourceEntry], query: str, limit: int, seconds: float) -> list[Answer | str]:
        """The answer of each source, or the sentence that says why it has none."""
        if not sources:
            return []
        ends = self._clock() + max(0.0, seconds)
        asked = [self._pool.submit(self._one, source, query, limit, ends) for source in sources]
        wait(asked, max(0.0, ends - self._clock()))
        return [self._answer(source, future) for source, future in zip(sources, asked, strict=True)]

    def _one(self, source: SourceEntry, query: str, limit: int, ends: float) -> Answer:
        kind, managed = source.content["kind"], source.content.get("managed")
        if managed:
            seconds = ends - self._clock()
            return self._managed.search(source, str(managed["knowledgeBaseId"]), query, limit, seconds)
        hits, facts = self._embedded.search(source.id, kind, query, limit, ends)
        return [evidence.of_hit(source, hit) for hit in hits], facts

    def _answer(self, source: SourceEntry, future: Future[Answer]) -> Answer | str:
        if not future.done():
            future.cancel()  # where it has not begun
            return _LATE
        try:
            return future.result()
        except SourceFailed as failed:
            return str(failed)
        except Exception as fault:  # one source, whatever it does, is not the others'
            self._note(source.id, type(fault).__name__)
            return _BROKEN


def _key(source: SourceEntry) -> str:
    kind = "graph" if source.content.get("kind") == GRAPH else "datasource"
    return f"{kind}:{source.id}"
