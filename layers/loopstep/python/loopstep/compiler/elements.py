"""The type of a literal's members: what `item` is where a fan_out's items are written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loopstep.types.schema import Schema

ANY = Schema("any", required=True)


def element_of(plain: Any) -> Schema | None:
    """The type that the members of a literal list share; None where the literal is no list."""
    return _common([schema_of(member) for member in plain]) if isinstance(plain, list) else None


def schema_of(plain: Any) -> Schema:
    """The narrowest type of a literal without enum and constraints; what differs within a list is `any`.

    `null` is an `any` that may be absent, since null is how data says so.
    """
    if isinstance(plain, bool):
        return Schema("boolean", required=True)
    if isinstance(plain, (int, float)):
        return Schema("integer" if float(plain).is_integer() else "number", required=True)
    if isinstance(plain, str):
        return Schema("string", required=True)
    if isinstance(plain, list):
        return Schema("array", required=True, items=element_of(plain))
    if isinstance(plain, dict):
        return Schema("object", required=True, properties={name: schema_of(inner) for name, inner in plain.items()})
    return Schema("any")


def _common(schemas: Sequence[Schema]) -> Schema:
    """What fits all of them; a property that some lack is optional, as a member is where one is `null`."""
    types = {schema.type for schema in schemas}
    if types == {"integer", "number"}:
        return Schema("number", required=True)
    if len(types) != 1:
        return ANY._replace(required=all(schema.required for schema in schemas))
    first = schemas[0]
    if first.type == "array":
        return Schema("array", required=True, items=_common([schema.items or ANY for schema in schemas]))
    if first.type == "any":
        return ANY._replace(required=all(schema.required for schema in schemas))
    return Schema("object", required=True, properties=_properties(schemas)) if first.type == "object" else first


def _properties(schemas: Sequence[Schema]) -> dict[str, Schema]:
    by_name: dict[str, list[Schema]] = {}
    for schema in schemas:
        for name, inner in (schema.properties or {}).items():
            by_name.setdefault(name, []).append(inner)
    shared = {name: _common(some) for name, some in by_name.items()}
    return {
        name: schema._replace(required=schema.required and len(by_name[name]) == len(schemas))
        for name, schema in shared.items()
    }
