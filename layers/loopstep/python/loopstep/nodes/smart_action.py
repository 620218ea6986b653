"""`smart_action`: an instruction that a model carries out (LANGUAGE §7, CANVAS §3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import TEMPLATE, TEXTS, Field, context, hermes, max_steps, missing
from loopstep.nodes.model_spec import model_spec
from loopstep.nodes.node_type import MUST_DECLARE, NodeType, declared_on_completed, exits, one_text_output

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The instruction as a compiled template, and how it may be carried out."""
    return model_spec(SMART_ACTION, node, lower)


SMART_ACTION = NodeType(
    name="smart_action",
    config_key="smartAction",
    summary="Has a model carry out an instruction, in one call or with tools.",
    ports="completed, failed",
    exposes="the declared output, one string field",
    fields=(
        Field("prompt", TEMPLATE, "What to do.", required=True),
        hermes(),
        max_steps(),
        Field("tools", TEXTS, "The tools it may call; left out: all."),
        context(),
        missing(),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    declares_output=MUST_DECLARE,
    outputs=declared_on_completed,
    problems=one_text_output,
    acts_outside=True,
)
