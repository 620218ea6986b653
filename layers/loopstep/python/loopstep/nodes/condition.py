"""`condition`: a model chooses the branch (LANGUAGE §7, CANVAS §3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import QUESTIONS, Field, context, missing
from loopstep.nodes.model_spec import model_spec
from loopstep.nodes.node_type import Exits, NodeType

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView

OTHERWISE = "otherwise"


def exits(node: NodeView) -> Exits:
    """One port per condition, by number."""
    conditions = node.config.get("conditions")
    if conditions is None:
        return Exits((OTHERWISE, "failed"), exempt=(OTHERWISE, "failed"), open=True)
    branches = tuple(f"branch_{i}" for i in range(len(conditions)))
    return Exits((*branches, OTHERWISE, "failed"), exempt=(OTHERWISE, "failed"))


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The conditions as compiled templates."""
    return model_spec(CONDITION, node, lower)


CONDITION = NodeType(
    name="condition",
    config_key="condition",
    summary="Has a model choose which of several conditions holds.",
    ports="branch_0 … branch_n-1, otherwise, failed",
    exposes="–",
    fields=(
        Field("conditions", QUESTIONS, "The conditions, as a list of {expression: template}.", required=True),
        context(),
        missing(),
    ),
    exits=exits,
    spec=spec,
)
