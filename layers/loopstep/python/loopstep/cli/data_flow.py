"""A plan's data flow as text: what `explain` prints (ARCHITECTURE §6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from loopstep.cli import table
from loopstep.diagnostics.visible import visible
from loopstep.services.describe_flow import arrow


def text(flow: dict[str, Any]) -> str:
    """The same for people."""
    return "\n".join(
        [
            *(
                line
                for name in ("input", "state", "output")
                for line in _section(f"plan {name}", _field_rows(flow[name]))
            ),
            *_section("nodes", [row for node in flow["nodes"] for row in _node_rows(node)]),
            "edges",
            *(line for edge in flow["edges"] for line in _edge_lines(edge)),
            "",
            "order of arrival",
            *(f"  {each['node']}: {each['why']}" for each in flow["arrivalOrder"]),
            *([] if flow["arrivalOrder"] else ["  nothing depends on it"]),
        ]
    )


def _section(title: str, rows: Sequence[Sequence[str]]) -> list[str]:
    return [title, *(table.lines(rows, "  ") or ["  (none)"]), ""]


def _field_rows(fields: dict[str, Any]) -> list[list[str]]:
    return [[name, field["type"], _presence(field)] for name, field in fields.items()]


def _presence(field: dict[str, Any]) -> str:
    if "default" in field:
        return f"default {table.short(field['default'], 40)}"
    return "required" if field["required"] else "optional"


def _node_rows(node: dict[str, Any]) -> Iterator[list[str]]:
    fields = [f"input.{name}" for name in node["input"]]
    types = [f"{field['type']}, {_presence(field)}" for field in node["input"].values()]
    for index, (name, kind) in enumerate(zip(fields, types, strict=True)):
        yield [node["id"] if index == 0 else "", node["type"] if index == 0 else "", name, kind]
    if not fields:
        yield [node["id"], node["type"], "(no input)", ""]
    for value in node["values"]:
        yield ["", "", arrow(value), _types(value)]


def _edge_lines(edge: dict[str, Any]) -> Iterator[str]:
    when = f"  when {visible(edge['when'])}" if edge["when"] else ""
    yield f"  {edge['id']}: {edge['source'] or 'the invocation'} → {edge['target']}{when}"
    yield from table.lines([[arrow(value), _types(value)] for value in edge["values"]], "      ")


def _types(value: dict[str, Any]) -> str:
    kinds = (
        value["sourceType"]
        if value["sourceType"] == value["targetType"]
        else f"{value['sourceType']} → {value['targetType']}"
    )
    return f"{kinds}, {value['conversion']}" if value["conversion"] else str(kinds)
