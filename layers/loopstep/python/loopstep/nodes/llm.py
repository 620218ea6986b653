"""`llm`: one question to a model (LANGUAGE §7, CANVAS §3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import INTEGER, NUMBER, TEMPLATE, TEXT, Field, context, missing
from loopstep.nodes.model_spec import model_spec
from loopstep.nodes.node_type import MUST_DECLARE, NodeType, declared_on_completed, exits

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The prompts as compiled templates, the rest as it stands."""
    return model_spec(LLM, node, lower)


LLM = NodeType(
    name="llm",
    config_key="llm",
    summary="Asks a model once: one output field is the whole answer, several are read from one JSON object.",
    ports="completed, failed",
    exposes="the declared output",
    fields=(
        Field("model", TEXT, "The model; left out: the stack's."),
        Field("system", TEMPLATE, "The system prompt."),
        Field("prompt", TEMPLATE, "The prompt.", required=True),
        context(),
        missing(),
        Field("temperature", NUMBER, "From 0 to 1.", low=0, high=1),
        Field("maxTokens", INTEGER, "Most tokens of the answer.", low=1),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    declares_output=MUST_DECLARE,
    outputs=declared_on_completed,
    acts_outside=True,
)
