"""`skill`: a registered skill answers (LANGUAGE §7, CANVAS §3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import TEXT, Field, context, hermes, max_steps
from loopstep.nodes.model_spec import model_spec
from loopstep.nodes.node_type import MUST_DECLARE, NodeType, declared_on_completed, exits, one_text_output

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The skill and how it may work."""
    return model_spec(SKILL, node, lower)


SKILL = NodeType(
    name="skill",
    config_key="skill",
    summary="Has a registered skill answer, in one call or with tools.",
    ports="completed, failed",
    exposes="the declared output, one string field",
    fields=(
        Field("skillId", TEXT, "The registered skill.", required=True, registry="skill"),
        hermes(),
        max_steps(),
        context(),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    declares_output=MUST_DECLARE,
    outputs=declared_on_completed,
    problems=one_text_output,
    acts_outside=True,
)
