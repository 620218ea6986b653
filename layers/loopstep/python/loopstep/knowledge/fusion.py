"""Rankings of several sources as one: reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009).

Scores of different indexes cannot be compared, places can: an evidence is worth 1/(60 + place) in each ranking.
"""

from __future__ import annotations

from collections.abc import Sequence

from loopstep.knowledge.evidence import rounded
from loopstep.knowledge.port import Evidence

_DAMPING = 60


def fuse(rankings: Sequence[Sequence[Evidence]], limit: int) -> list[Evidence]:
    """The best `limit`; equal ones as the rankings are ordered. The source's own score goes to `metadata.sourceScore`.

    One ranking alone keeps its scores.
    """
    if len(rankings) == 1:
        return list(rankings[0][:limit])
    worth: dict[str, float] = {}
    every: dict[str, Evidence] = {}
    for ranking in rankings:
        for place, each in enumerate(ranking, 1):
            worth[each["id"]] = worth.get(each["id"], 0.0) + 1 / (_DAMPING + place)
            every.setdefault(each["id"], each)
    best = sorted(every, key=lambda id: -worth[id])[:limit]
    return [_scored(every[id], worth[id]) for id in best]


def _scored(evidence: Evidence, score: float) -> Evidence:
    metadata = {**evidence.get("metadata", {}), "sourceScore": evidence.get("score")}
    return {**evidence, "score": rounded(score), "metadata": {k: v for k, v in metadata.items() if v is not None}}
