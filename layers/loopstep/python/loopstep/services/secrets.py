"""What `secret: true` hides (LANGUAGE §3): the fields of a plan that listings and logs must not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopstep.compiler.model import Plan
    from loopstep.types.schema import Schema

HIDDEN = "***"
EACH = "*"  # in a path: every item of an array

Paths = list[list[str]]


def secrets_of(plan: Plan) -> dict[str, Any]:
    """`{input, output, state: [path, …], nodes: {id: {input, output: [path, …]}}}`; nodes without secrets left out."""
    found: dict[str, Any] = {name: paths_of(getattr(plan, name)) for name in ("input", "output", "state")}
    found["nodes"] = {}
    for node in plan.nodes:
        arriving = node.type.contract(node, plan.output) if node.type else node.input or {}
        sides = {
            "input": paths_of(arriving),
            "output": paths_of(node.output or {}),
        }
        if any(sides.values()):
            found["nodes"][node.id] = sides
    return found


def paths_of(fields: dict[str, Schema]) -> Paths:
    """The paths of the secret fields in a map of fields, outermost name first; what is inside one is not listed."""
    return [[name, *rest] for name, schema in fields.items() for rest in _inside(schema)]


def hide(values: Any, paths: Paths) -> Any:
    """The values with every secret that is there replaced by `***`; the given values stay as they are."""
    for path in paths:
        values = _hidden(values, path)
    return values


def _inside(schema: Schema) -> Paths:
    if schema.secret:
        return [[]]
    if schema.items is not None:
        return [[EACH, *rest] for rest in _inside(schema.items)]
    return paths_of(schema.properties or {})


def _hidden(value: Any, path: list[str]) -> Any:
    if not path:
        return HIDDEN
    if path[0] == EACH and isinstance(value, list):
        return [_hidden(item, path[1:]) for item in value]
    if isinstance(value, dict) and path[0] in value:
        return {**value, path[0]: _hidden(value[path[0]], path[1:])}
    return value
