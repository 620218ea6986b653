"""What was found as evidence, whoever found it: `id sourceType evidenceType title content …` (CANVAS §3.5)."""

from __future__ import annotations

from typing import Any

from loopstep.knowledge.index import Hit
from loopstep.knowledge.port import DOCUMENT, GRAPH, STRUCTURED_DATA, Evidence, SourceEntry

_TYPES = {DOCUMENT: "passage", STRUCTURED_DATA: "row", GRAPH: "triple"}
_DIGITS = 6  # of a score


def of_hit(source: SourceEntry, hit: Hit) -> Evidence:
    """A passage of a source's own documents. `sourceRef` is document and line."""
    passage = hit.passage
    about = {**(passage.metadata or {}), **hit.facts}
    about |= {"document": hit.document, "documentTitle": hit.title, "line": passage.line, "part": hit.place}
    return evidence(
        source,
        id=f"{source.id}/{hit.document}#{hit.place}",
        title=passage.title,
        content=passage.text,
        score=hit.score,
        ref=f"{hit.document}:{passage.line}",
        payload=passage.payload,
        metadata=about,
    )


def evidence(
    source: SourceEntry,
    id: str,
    title: str,
    content: str,
    score: float,
    ref: str,
    payload: Any = None,
    metadata: dict[str, Any] | None = None,
) -> Evidence:
    """One evidence; what is empty is left out."""
    kind = source.content["kind"]
    found = {
        "id": id,
        "sourceType": kind,
        "evidenceType": _TYPES[kind],
        "title": title or None,
        "content": content,
        "score": rounded(score),
        "sourceName": source.content.get("name") or source.id,
        "sourceRef": ref or None,
        "payload": payload,
        "metadata": metadata or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def rounded(score: float) -> float | int:
    """A score with six significant digits: more of them mean nothing."""
    value = float(f"{score:.{_DIGITS}g}")
    return int(value) if value.is_integer() else value
