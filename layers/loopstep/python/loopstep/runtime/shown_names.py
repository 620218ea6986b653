"""What people call a node's input, in sentences of the record (CANVAS §2)."""

from __future__ import annotations

from collections.abc import Mapping

from loopstep.types.schema import Schema, describe


def own_name(name: str, fields: Mapping[str, Schema]) -> str:
    """The input's name. One that a canvas shows as a text too has a second name for its type: `x_number` is `x`."""
    schema = fields.get(name)
    base = name.rstrip("_").removesuffix(f"_{schema.type}") if schema is not None else name
    return base if base in fields else name


def shown(name: str, fields: Mapping[str, Schema]) -> str:
    """The input's name and type: `x (number)`."""
    schema = fields.get(name)
    return own_name(name, fields) + (f" ({describe(schema)})" if schema is not None else "")
