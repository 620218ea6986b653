"""The types that `check` reckons with: of literals, of the elements of a list, and how messages name them."""

from __future__ import annotations

from typing import Any

from loopstep.types.schema import NOMINAL as NOMINAL_TYPES
from loopstep.types.schema import Schema, describe

NOMINAL = frozenset(NOMINAL_TYPES)
NUMBERS = frozenset({"integer", "number"})
SCALARS = frozenset({"string", "integer", "number", "boolean"}) | NOMINAL

BOOLEAN = Schema(type="boolean", required=True)
INTEGER = Schema(type="integer", required=True)
NUMBER = Schema(type="number", required=True)
STRING = Schema(type="string", required=True)
EMPTY = Schema(type="array", required=True, max_items=0)


def literal_schema(value: Any) -> Schema:
    """The type of a scalar literal: its own only member."""
    if isinstance(value, bool):
        return Schema(type="boolean", required=True, enum=(value,))
    if isinstance(value, str):
        return Schema(type="string", required=True, enum=(value,))
    return Schema(type="integer" if isinstance(value, int) else "number", required=True, enum=(value,))


def plain(schema: Schema) -> Schema:
    """Without the enum, for messages: the reader knows the literal."""
    if schema.type == "array" and schema.items is not None:
        return Schema(type="array", items=plain(schema.items))
    return Schema(type=schema.type)


def join(left: Schema, right: Schema) -> Schema | None:
    """The type of elements of both types, or None where they are mixed."""
    if left.type == right.type:
        kind = left.type
    elif left.type in NUMBERS and right.type in NUMBERS:
        kind = "number"
    elif left.type in NOMINAL and right.type == "string" and right.enum is not None:
        kind = left.type
    elif right.type in NOMINAL and left.type == "string" and left.enum is not None:
        kind = right.type
    else:
        return None
    if kind in ("array", "object", "any"):
        return _structure(left, right, kind)
    enum = (*left.enum, *right.enum) if left.enum is not None and right.enum is not None else None
    return Schema(type=kind, required=True, enum=enum)


def _structure(left: Schema, right: Schema, kind: str) -> Schema | None:
    if kind == "array" and left.items is not None and right.items is not None:
        items = join(left.items, right.items)
        return Schema(type=kind, required=True, items=items) if items is not None else None
    if left is EMPTY or right is EMPTY:
        return right if left is EMPTY else left
    return left if left == right else Schema(type=kind, required=True)


def both(left: Schema, right: Schema) -> str:
    return f"{describe(plain(left))} and {describe(plain(right))}"


def quoted(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else str(value)


def compare_hint(left: Schema, right: Schema) -> str:
    kinds = {left.type, right.type}
    if "any" in kinds:
        return "give it a type first, by an input of that type and `convert`"
    if kinds & NUMBERS and "string" in kinds:
        return "write a number without quotes, or convert the text with `convert: {to: number}`"
    if kinds & NOMINAL and "string" in kinds:
        return "a nominal type compares only with itself and with literals of its form"
    return ""


def boolean_hint(schema: Schema) -> str:
    if schema.type in NUMBERS:
        return "compare it, as in … > 0"
    return "compare it with a value" if schema.type in SCALARS else "use length(…) or contains(…)"
