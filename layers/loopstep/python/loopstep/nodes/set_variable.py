"""`set_variable`: the only writer of state (LANGUAGE §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import ASSIGNMENTS, Field
from loopstep.nodes.node_type import NodeType, exits
from loopstep.types.schema import MISSING

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The assignments, and the contracts of the state fields they touch."""
    assignments = node.config["assignments"]
    touched = dict.fromkeys(a.path[0] for a in assignments)
    return {
        "set": [[list(a.path), lower.value(a.value)] for a in assignments],
        "state": {name: lower.plan_state[name]._replace(required=False, default=MISSING).brief() for name in touched},
    }


SET_VARIABLE = NodeType(
    name="set_variable",
    config_key="setVariable",
    summary="Writes state: all assignments read the same old snapshot and are committed as one.",
    ports="completed, failed",
    exposes="–",
    fields=(
        Field(
            "assignments", ASSIGNMENTS, "What to write, as a list of {state: path, value: ValueExpr}.", required=True
        ),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
)
