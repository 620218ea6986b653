"""The spec of nodes that ask a model or a source: their config, templates compiled, defaults of no effect left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import QUESTIONS, TEMPLATE
from loopstep.nodes.node_type import fields_json

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeType, NodeView

_COMPILED_IN = "missing"  # is in the templates


def model_spec(node_type: NodeType, node: NodeView, lower: Lower) -> dict[str, Any]:
    """Each config field under its document name, `output` where declared; left out: false, a list empty by default."""
    keep = node.config.get(_COMPILED_IN) == "keep"
    made: dict[str, Any] = {}
    for name, value in node.config.items():
        kind, default = node_type.by_name[name].kind, node_type.by_name[name].default
        if name == _COMPILED_IN or value is False or value == default == ():
            continue
        if kind == TEMPLATE:
            made[name] = lower.template(value, keep)
        elif kind == QUESTIONS:
            made[name] = [lower.template(question, keep) for question in value]
        else:
            made[name] = list(value) if isinstance(value, tuple) else value
    if node.output is not None:
        made["output"] = fields_json(node.output)
    return made
