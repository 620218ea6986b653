"""Which kind of CANVAS §4 the output fields of each node type have: the default of `convert: {from}`."""

from __future__ import annotations

_ANSWERS = frozenset({"llm", "agent", "skill", "smart_action", "smartAction"})

_FIXED = {
    ("knowledge_retrieval", "evidences"): "evidences",
    ("knowledge_retrieval", "evidenceCount"): "evidenceCount",
    ("knowledge_retrieval", "sourceType"): "sourceType",
    ("knowledge_retrieval", "diagnostics"): "diagnostics",
    ("list_files", "files"): "workingDirFiles",
    ("output", "_workingDirFiles"): "workingDirFiles",
}
_CANVAS_NAMES = {"knowledgeRetrieval": "knowledge_retrieval"}


def kind_of_field(node_type: str, field: str, outputs: int = 1) -> str:
    """The kind of an output field, by plan or canvas node type; `outputs` counts the node's declared output fields.

    What a model answers is `text` where it is the only output, `structured` as one of several (CANVAS §4.2, §4.3).
    """
    if node_type in _ANSWERS:
        return "text" if outputs <= 1 else "structured"
    return _FIXED.get((_CANVAS_NAMES.get(node_type, node_type), field), "value")
