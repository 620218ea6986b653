"""Nodes, edges and plans to begin with, as data with placeholders (`${1:name}`) that editors step through."""

from __future__ import annotations

from typing import Any

from loopstep.compiler import grammar
from loopstep.nodes import field as kinds
from loopstep.nodes.field import Field
from loopstep.nodes.node_type import MUST_DECLARE, NodeType

_LITERALS = {"duration": "PT1M", "datetime": "2030-01-31T09:00:00Z"}


class _Places:
    """Counts placeholders."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, text: str) -> str:
        self.count += 1
        return f"${{{self.count}:{text}}}"


def node_skeleton(node_type: NodeType) -> dict[str, Any]:
    """A node of the type with everything that is required of it."""
    place = _Places()
    made: dict[str, Any] = {"id": place("id"), "type": node_type.name}
    if node_type.declares_output == MUST_DECLARE:
        made["output"] = {place("result"): {"type": "string"}}
    made[node_type.config_key] = config_skeleton(node_type, place)
    return made


def config_skeleton(node_type: NodeType, place: _Places | None = None) -> dict[str, Any]:
    """What has to stand under the type's own key."""
    place = place or _Places()
    needed = {*node_type.required, *node_type.alternatives[:1]}
    return {one.name: field_skeleton(one, place) for one in node_type.fields if one.name in needed}


def field_skeleton(one: Field, place: _Places | None = None) -> Any:
    """What may stand in a field."""
    place = place or _Places()
    if one.kind == kinds.VALUE:
        wanted = one.schema.type if one.schema is not None else "any"
        literal = _LITERALS.get(wanted)
        return {"value": place(literal)} if literal else {"ref": place("plan.input.x")}
    if one.kind == kinds.CHOICE:
        return place(one.choices[0])
    if one.kind in (kinds.INTEGER, kinds.NUMBER):
        return place(f"{max(one.low or 0, 3):g}" if one.high is None or one.high >= 3 else f"{one.high:g}")
    simple = {
        kinds.TEMPLATE: "text",
        kinds.CONDITION: "loop.index < 3",
        kinds.FLAG: "true",
        kinds.DURATION: "PT1M",
        kinds.TEXT: one.name,
        kinds.CONTEXT: "input",
    }
    if one.kind in simple:
        return place(simple[one.kind])
    if one.kind == kinds.ASSIGNMENTS:
        return [{"state": place("field"), "value": {"ref": place("input.x")}}]
    if one.kind == kinds.QUESTIONS:
        return [{"expression": place("what has to hold")}]
    if one.kind == kinds.MERGE:
        return {place("field"): {"ref": place("items.x")}}
    return [place("name")]


def edge_skeleton() -> dict[str, Any]:
    """An edge, without bindings."""
    place = _Places()
    return {
        "id": place("id"),
        "source": {"nodeId": place("from"), "port": place("completed")},
        "target": {"nodeId": place("to"), "port": place("in")},
    }


def plan_skeleton() -> dict[str, Any]:
    """A plan with one step, which compiles."""
    return {
        "apiVersion": grammar.API_VERSION,
        "kind": grammar.PLAN_KIND,
        "metadata": {"name": "${1:my_plan}", "title": "${2:What it does}"},
        "input": {"${3:message}": {"type": "string", "required": True}},
        "output": {"result": {"type": "string", "required": True}},
        "graph": {
            "entry": {"nodeId": "first", "port": "in"},
            "nodes": [
                {
                    "id": "first",
                    "type": "pass",
                    "input": {"${3:message}": {"type": "string", "required": True}},
                    "pass": {},
                },
                {"id": "done", "type": "end", "end": {"outcome": "succeeded"}},
            ],
            "edges": [
                {
                    "id": "finish",
                    "source": {"nodeId": "first", "port": "completed"},
                    "target": {"nodeId": "done", "port": "in"},
                    "bindings": {"result": {"ref": "input.${3:message}"}},
                }
            ],
        },
    }
