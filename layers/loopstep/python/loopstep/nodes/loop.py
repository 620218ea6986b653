"""`loop`: repeats its body (LANGUAGE §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import CONDITION, INTEGER, WHILE, Field
from loopstep.nodes.node_type import LOOP as ROLE
from loopstep.nodes.node_type import Exits, NodeType

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView

MAX_ITERATIONS = 1_000

_COUNTED = Exits(("body", "completed", "failed"))
_ASKED = Exits(("body", "completed", "exhausted", "failed"))
_EITHER = Exits(("body", "completed", "exhausted", "failed"), exempt=("exhausted", "failed"))


def exits(node: NodeView) -> Exits:
    """`exhausted` only where there is a `while`."""
    if not node.valid:
        return _EITHER
    return _ASKED if node.stands("while") else _COUNTED


def parts(node: NodeView) -> tuple[str, ...]:
    """The port into the body."""
    return ("body",)


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """How often, and while what."""
    loop: dict[str, Any] = {"max": node.config["maxIterations"]}
    if "while" in node.config:
        loop["while"] = lower.expr(node.config["while"])
    return {"loop": loop}


LOOP = NodeType(
    name="loop",
    config_key="loop",
    summary="Repeats its body a number of times, or while a condition holds.",
    ports="body, completed, exhausted (with `while`), failed; a second entry port next",
    exposes="–",
    fields=(
        Field("maxIterations", INTEGER, "Most passes through the body.", required=True, low=1, high=MAX_ITERATIONS),
        Field("while", CONDITION, "Asked before each pass; false leaves through completed.", reads=WHILE),
    ),
    exits=exits,
    spec=spec,
    role=ROLE,
    entries=("in", "next"),
    parts=parts,
    counts=True,
)
