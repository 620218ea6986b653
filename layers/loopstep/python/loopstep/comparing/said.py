"""Parsed parts of a plan as plain JSON data: two parts are equal here where they mean the same.

Defaults are filled in, the order of keys is none, an expression is its tree, a `ref` is the `expr` that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loopstep.compiler.model import Assignment, Edge, Expr, Node, Retry, Template, ValueExpr
from loopstep.expressions.tree import to_tree
from loopstep.expressions.unparse import tree_text
from loopstep.types.schema import MISSING, fields_to_json


def said(value: Any) -> Any:
    """A part of a node's config, or data."""
    if isinstance(value, ValueExpr):
        return _value(value)
    if isinstance(value, Expr):
        return {"expr": tree_text(to_tree(value.ast))}
    if isinstance(value, Template):
        return value.text
    if isinstance(value, Assignment):
        return {"state": ".".join(value.path or ()), "value": _value(value.value)}
    if isinstance(value, Mapping):
        return {name: said(part) for name, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [said(part) for part in value]
    return value


def node_said(node: Node) -> dict[str, Any]:
    """Everything that a node does, without its id and title."""
    assert node.type is not None
    parts: dict[str, Any] = {"type": node.type.name}
    for name, fields in (("input", node.input), ("output", node.output)):
        if fields is not None:
            parts[name] = fields_to_json(fields)
    if node.preconditions:
        parts["preconditions"] = sorted(node.preconditions)
    if node.retry is not None:
        parts["retry"] = _retry(node.retry)
    if node.timeout is not None:
        parts["timeout"] = node.timeout
    config = {name: said(value) for name, value in node.config.items() if value is not None}
    return parts | ({node.type.config_key: config} if config else {})


def edge_said(edge: Edge) -> dict[str, Any]:
    """Everything that an edge does, without its id."""
    parts: dict[str, Any] = {
        "source": {"nodeId": edge.source.node, "port": edge.source.port},
        "target": {"nodeId": edge.target.node, "port": edge.target.port},
    }
    if edge.when is not None:
        parts["when"] = tree_text(to_tree(edge.when.ast))
    if edge.bindings is not None:
        parts["bindings"] = said(edge.bindings)
    return parts


def _value(value: ValueExpr) -> dict[str, Any]:
    if value.form == "value":
        return {"value": value.literal}
    parts: dict[str, Any] = {"expr": tree_text(to_tree(value.ast))}
    if value.convert is not None:
        named = {
            "to": value.convert.to,
            "mode": value.convert.mode,
            "from": value.convert.source_kind,
            "topK": value.convert.top_k,
        }
        parts["convert"] = {name: each for name, each in named.items() if each is not None}
    if value.default is not MISSING:
        parts["default"] = value.default
    return parts


def _retry(retry: Retry) -> dict[str, Any]:
    parts = {
        "maxAttempts": retry.max_attempts,
        "backoff": retry.backoff,
        "factor": retry.factor,
        "maxBackoff": retry.max_backoff,
    }
    return {name: value for name, value in parts.items() if value is not None}
