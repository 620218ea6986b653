"""Amazon Bedrock Knowledge Bases as sources: what `Retrieve` answers, as evidence (CANVAS §3.5)."""

from __future__ import annotations

from typing import Any

from loopstep.gateways.knowledge_bases import KnowledgeBaseFailed, KnowledgeBases
from loopstep.knowledge.evidence import evidence
from loopstep.knowledge.port import Evidence, SourceEntry, SourceFailed

_PLACES = ("s3Location", "webLocation", "confluenceLocation", "salesforceLocation", "sharePointLocation")
_CHUNK = "x-amz-bedrock-kb-chunk-id"
_OWN = "x-amz-bedrock-kb-"  # metadata of the service's own


class Managed:
    """Searches knowledge bases by their ids."""

    def __init__(self, bases: KnowledgeBases) -> None:
        self._bases = bases

    def search(
        self, source: SourceEntry, base: str, query: str, limit: int, seconds: float
    ) -> tuple[list[Evidence], dict[str, Any]]:
        """The best evidences, and `{found, knowledgeBaseId}`. Raises SourceFailed."""
        try:
            results = self._bases.retrieve(base, query, limit, seconds)
        except KnowledgeBaseFailed as failed:
            raise SourceFailed(str(failed)) from None
        found = [_evidence(source, each, place) for place, each in enumerate(results) if isinstance(each, dict)]
        found = [each for each in found if each["content"]][:limit]
        return found, {"found": len(found), "knowledgeBaseId": base}


def _evidence(source: SourceEntry, result: dict[str, Any], place: int) -> Evidence:
    content = result.get("content") or {}
    metadata = dict(result.get("metadata") or {})
    row = {cell["columnName"]: cell.get("columnValue") for cell in content.get("row") or [] if "columnName" in cell}
    ref = _place(result.get("location") or {})
    kept = {name: value for name, value in metadata.items() if not name.startswith(_OWN)}
    score = result.get("score")
    return evidence(
        source,
        id=f"{source.id}/{metadata.get(_CHUNK) or f'{ref}#{place}'}",
        title=str(metadata.get("title") or ref.rpartition("/")[2]),
        content=str(content.get("text") or "\n".join(f"{name}: {value}" for name, value in row.items())),
        score=float(score) if isinstance(score, (int, float)) else 0.0,
        ref=ref,
        payload=row or None,
        metadata=kept,
    )


def _place(location: dict[str, Any]) -> str:
    found: dict[str, Any] = next((location[name] for name in _PLACES if isinstance(location.get(name), dict)), {})
    return str(found.get("uri") or found.get("url") or "")
