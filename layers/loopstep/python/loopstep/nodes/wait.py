"""`wait`: for a time, or until one (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.alternatives import one_of
from loopstep.nodes.field import VALUE, Field
from loopstep.nodes.node_type import NodeType, Problem, exits
from loopstep.types.schema import Schema

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView


def problems(node: NodeView) -> Iterator[Problem]:
    """Either a length or a moment."""
    return one_of(node, "wait", "duration", "until")


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """What is awaited, under its own name."""
    return {name: lower.value(value) for name, value in node.config.items()}


WAIT = NodeType(
    name="wait",
    config_key="wait",
    summary="Waits for a length of time or until a moment; a moment that is past passes at once.",
    ports="completed, failed",
    exposes="–",
    fields=(
        Field("duration", VALUE, "How long (or `until`).", schema=Schema("duration", required=True)),
        Field("until", VALUE, "The moment (or `duration`).", schema=Schema("datetime", required=True)),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    problems=problems,
    pauses=True,
    alternatives=("duration", "until"),
)
