"""`loopstep eval --jsonl`: one expression a line, outside any plan (ARCHITECTURE §6)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from loopstep.convert.jsonl import written
from loopstep.expressions.ast import Ast
from loopstep.expressions.check import Typed, check, check_boolean
from loopstep.expressions.evaluate import NoValue, RangeFault, evaluate
from loopstep.expressions.parse import parse
from loopstep.expressions.scope import Scope, Unavailable, record
from loopstep.expressions.to_jsonata import condition
from loopstep.expressions.tree import to_tree
from loopstep.types.conform import conform
from loopstep.types.schema import TYPES, Fields, Schema

UNKNOWN = Schema("unknown", required=True)


class _Refused(Exception):
    """The line has no value; the text is the code."""


def lines(asked: Iterable[str], jsonata: bool = False) -> Iterator[str]:
    """For every line `{expr, data, types}` one line: `{value}` (null where it is absent) or `{error: code}`.

    `data` is by root, as {"input": {"n": 1}}, `types` the Schemas in the same shape; what has none gets the type of its
    value, and counts as required. With `jsonata` the line is `{jsonata, seen}`: the condition that a state machine
    would hold, and the operands it reads as `$states.input.seen`.
    """
    for line in asked:
        if line.strip():
            yield written(_answer(line, jsonata), {"error": "value.too_large"})


def _answer(line: str, jsonata: bool) -> dict[str, Any]:
    try:
        query = json.loads(line)
    except (ValueError, RecursionError):
        return {"error": "document.syntax"}
    if not isinstance(query, dict) or not isinstance(query.get("expr"), str):
        return {"error": "document.syntax"}
    try:
        return _evaluated(query, jsonata)
    except _Refused as refused:
        return {"error": str(refused)}
    except (RangeFault, NoValue) as fault:
        return {"error": fault.code}
    except RecursionError:
        return {"error": "value.too_large"}


def _evaluated(query: dict[str, Any], jsonata: bool) -> dict[str, Any]:
    ast, faults = parse(query["expr"])
    if ast is None or faults:
        raise _Refused(faults[0].code)
    data, scope = _scope(query.get("data") or {}, query.get("types") or {})
    if jsonata:
        return _condition(ast, scope, data)
    typed = _sound(check(ast, scope))
    return {"value": evaluate(to_tree(typed.ast), data)}


def _condition(ast: Ast, scope: Scope, data: dict[str, Any]) -> dict[str, Any]:
    compiled = condition(_sound(check_boolean(ast, scope)))
    return {"jsonata": compiled.jsonata, "seen": [_seen(operand, data) for operand in compiled.operands]}


def _seen(operand: Any, data: dict[str, Any]) -> Any:
    try:
        return evaluate(operand, data)
    except (RangeFault, NoValue):
        return None


def _sound(typed: Typed) -> Typed:
    if typed.faults:
        raise _Refused(typed.faults[0].code)
    return typed


# -- types and data --------------------------------------------------------------------------------------------------


def _scope(data: Any, types: Any) -> tuple[dict[str, Any], Scope]:
    """The data as its types want it, and the scope that declares it."""
    if not isinstance(data, dict) or not isinstance(types, dict):
        raise _Refused("document.syntax")
    roots: dict[str, Schema | Unavailable | None] = {}
    values: dict[str, Any] = {}
    for root in (*types, *(root for root in data if root not in types)):
        schema = _typed(types.get(root), data.get(root))
        roots[root] = schema
        value, problems = (data.get(root), []) if not _closed(schema) else conform(data.get(root), schema)
        if problems and root in data:
            raise _Refused("input.contract")
        values[root] = value
    return values, Scope(roots)


def _closed(schema: Schema) -> bool:
    """Whether `conform` knows every type in it."""
    inner = [*(schema.properties or {}).values(), *([schema.items] if schema.items else [])]
    return schema.type in TYPES and all(map(_closed, inner))


def _typed(declared: Any, value: Any) -> Schema:
    """A Schema, or a group of them by name; the rest from the value."""
    if declared is None:
        return _of_value(value)
    if not isinstance(declared, dict):
        raise _Refused("schema.invalid")
    if isinstance(declared.get("type"), str):
        return _schema(declared)
    inside = value if isinstance(value, dict) else {}
    names = dict.fromkeys((*declared, *inside))
    return record({name: _typed(declared.get(name), inside.get(name)) for name in names})


def _schema(declared: dict[str, Any]) -> Schema:
    try:
        schema = Schema.from_json(declared)
    except (KeyError, TypeError, AttributeError):
        raise _Refused("schema.invalid") from None
    if not _closed(schema):
        raise _Refused("schema.invalid")
    return schema


def _of_value(value: Any) -> Schema:
    """The type that a value shows. Null: something that may be absent; an empty array fits anything."""
    if value is None:
        return Schema("any")
    if isinstance(value, bool):
        return Schema("boolean", required=True)
    if isinstance(value, str):
        return Schema("string", required=True)
    if isinstance(value, (int, float)):
        whole = isinstance(value, int) or value.is_integer()
        return Schema("integer" if whole else "number", required=True)
    if isinstance(value, dict):
        fields: Fields = {name: _of_value(item) for name, item in value.items()}
        return record(fields)
    return Schema("array", required=True, items=_of_items(value))


def _of_items(items: list[Any]) -> Schema | None:
    if not items:
        return UNKNOWN
    schemas = [_of_value(item) for item in items]
    first = schemas[0]
    if all(schema == first for schema in schemas):
        return first
    if all(schema.type in ("integer", "number") for schema in schemas):
        return Schema("number", required=True)
    return Schema("object", required=True) if all(schema.type == "object" for schema in schemas) else None
