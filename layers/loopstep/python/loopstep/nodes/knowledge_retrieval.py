"""`knowledge_retrieval`: asks registered sources for evidence (LANGUAGE §7, CANVAS §3.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import CHOICE, INTEGER, TEMPLATE, TEXTS, Field, missing
from loopstep.nodes.model_spec import model_spec
from loopstep.nodes.node_type import Mention, NodeType, exits
from loopstep.types.schema import Fields, Schema

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView

KEY = "knowledgeRetrieval"
HYBRID = "HYBRID"
SOURCES = ("DOCUMENT", "STRUCTURED_DATA", "GRAPH", HYBRID)

EVIDENCE = Schema(
    "object",
    properties={
        "id": Schema("string", required=True),
        "sourceType": Schema("string", required=True),
        "evidenceType": Schema("string"),
        "title": Schema("string"),
        "content": Schema("string", required=True),
        "score": Schema("number"),
        "sourceName": Schema("string"),
        "sourceRef": Schema("string"),
        "payload": Schema("any"),
        "metadata": Schema("object"),
    },
)

FOUND: Fields = {
    "evidences": Schema("array", required=True, items=EVIDENCE, description="What was found, best first."),
    "evidenceCount": Schema("number", required=True, description="How many."),
    "sourceType": Schema("string", required=True, description="The source that was asked."),
    "diagnostics": Schema("object", required=True, description="What went wrong, by source."),
}

FOUND_HYBRID: Fields = {
    **FOUND,
    "knowledgeBaseId": Schema("number", description="The knowledge base, where it has a number."),
    "enabledSources": Schema("object", required=True, description="Which sources were asked."),
}


def outputs(node: NodeView) -> dict[str, Fields] | None:
    """Fixed, with two fields more where all sources are asked."""
    source = node.config.get("source")
    return None if source is None else {"completed": FOUND_HYBRID if source == HYBRID else FOUND}


def mentions(node: NodeView) -> Iterator[Mention]:
    """The sources it names, which have to be of its kind; all of that kind where it names none."""
    source = node.config.get("source")
    if source is None or "sourceIds" in node.broken:
        return
    label = "" if source == HYBRID else source
    ids = node.config.get("sourceIds", ())
    for position, name in enumerate(ids):
        yield Mention("source", name, (KEY, "sourceIds", position), label)
    if not ids:
        yield Mention("source", "", (KEY, "source"), label, needed=True)


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The query as a compiled template, and whom to ask."""
    return model_spec(KNOWLEDGE_RETRIEVAL, node, lower)


KNOWLEDGE_RETRIEVAL = NodeType(
    name="knowledge_retrieval",
    config_key=KEY,
    summary="Asks registered knowledge sources and brings their evidence.",
    ports="completed, failed",
    exposes="evidences, evidenceCount, sourceType, diagnostics; with HYBRID also knowledgeBaseId?, enabledSources",
    fields=(
        Field("query", TEMPLATE, "What to look for.", required=True),
        Field("source", CHOICE, "Which kind of source.", required=True, choices=SOURCES),
        Field("sourceIds", TEXTS, "The registered sources; left out: all of that kind."),
        Field("topK", INTEGER, "Most evidences.", default=5, low=1, high=100),
        missing(),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    outputs=outputs,
    mentions=mentions,
    acts_outside=True,
)
