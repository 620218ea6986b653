"""A plan's data flow as data: what `explain` shows (ARCHITECTURE §6).

It answers the review questions of the plan language: every input, the state, every node's input and the output; for
every edge the source reference, the target field and both types; and what depends on the order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from loopstep.compiler.model import Edge, Node, Plan
from loopstep.compiler.values import Flow
from loopstep.diagnostics.one_line import short
from loopstep.services.secrets import hide, paths_of
from loopstep.types.schema import MISSING, Fields, Schema, describe

ENTRY = "entry"
FIRST_COME = {  # modes of a join that do not wait for everything
    "any": "the first part to arrive wins; `winner` and the output are its",
    "count": "the first {count} parts to arrive are merged, in the order of their arrival",
}


def describe_flow(plan: Plan, flows: Sequence[Flow]) -> dict[str, Any]:
    """The whole flow, as JSON data."""
    edges = {edge.id for edge in plan.edges}
    return {
        "plan": plan.name,
        "input": _fields(plan.input),
        "state": _fields(plan.state),
        "output": _fields(plan.output),
        "nodes": [
            _node(node, plan, [f for f in flows if f.node == node.id and _inside(f, edges)]) for node in plan.nodes
        ],
        "edges": [
            *_entry(plan, flows),
            *(_edge(edge, [f for f in flows if f.place == edge.id]) for edge in plan.edges),
        ],
        "arrivalOrder": [*_arrivals(plan)],
    }


def _inside(flow: Flow, edges: set[str]) -> bool:
    return flow.place != ENTRY and flow.place not in edges


def _fields(fields: Fields) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "type": describe(schema),
            "required": schema.required,
            **({} if schema.default is MISSING else {"default": _without_secrets(schema.default, schema)}),
        }
        for name, schema in fields.items()
    }


def _without_secrets(value: Any, schema: Schema | None) -> Any:
    """The value with `***` for what its field declares secret."""
    return hide({"": value}, paths_of({"": schema}))[""] if schema is not None else value


def _node(node: Node, plan: Plan, flows: Sequence[Flow]) -> dict[str, Any]:
    assert node.type is not None, "the plan compiles"
    return {
        "id": node.id,
        "type": node.type.name,
        "input": _fields(node.type.contract(node, plan.output)),
        "output": _fields(node.output or {}),
        "values": [_value(flow) for flow in flows],
    }


def _entry(plan: Plan, flows: Sequence[Flow]) -> Iterator[dict[str, Any]]:
    if plan.entry is not None:
        values = [_value(flow) for flow in flows if flow.place == ENTRY]
        yield {
            "id": ENTRY,
            "source": None,
            "target": f"{plan.entry.node}.{plan.entry.port}",
            "when": None,
            "values": values,
        }


def _edge(edge: Edge, flows: Sequence[Flow]) -> dict[str, Any]:
    return {
        "id": edge.id,
        "source": f"{edge.source.node}.{edge.source.port}",
        "target": f"{edge.target.node}.{edge.target.port}",
        "when": edge.when.text if edge.when else None,
        "values": [_value(flow) for flow in flows],
    }


def _value(flow: Flow) -> dict[str, Any]:
    return {
        "source": flow.source,
        "sourceType": flow.source_type,
        "target": flow.target,
        "targetType": flow.target_type,
        "conversion": flow.conversion or None,
        **({} if flow.literal is MISSING else {"value": _without_secrets(flow.literal, flow.field)}),
        **({} if flow.default is MISSING else {"default": _without_secrets(flow.default, flow.field)}),
    }


def _arrivals(plan: Plan) -> Iterator[dict[str, str]]:
    """What may differ between two runs with the same input and answers."""
    for node in plan.nodes:
        if text := FIRST_COME.get(node.config.get("mode", "")):
            yield {"node": node.id, "why": text.format(count=node.config.get("count"))}


def arrow(value: dict[str, Any]) -> str:
    """`field ← reference`, a literal as it is, and what stands where the source is absent."""
    source = short(value["value"], 60) if "value" in value else value["source"]
    default = f", else {short(value['default'], 40)}" if "default" in value else ""
    return f"{value['target']} ← {source}{default}"
