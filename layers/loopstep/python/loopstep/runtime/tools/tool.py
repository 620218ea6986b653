"""A tool: what the model is told of it, what its input has to be, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.gateways.models import Tool
from loopstep.runtime.marks import defused
from loopstep.runtime.tools.weight import readable
from loopstep.types.schema import Fields, Schema

_TYPES = {"number": "number", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object"}
_KEYWORDS = {"min_length": "minLength", "max_length": "maxLength", "minimum": "minimum", "maximum": "maximum"}


class Refused(Exception):
    """A call that is not allowed, or whose input is not: nothing was done. The message is for the model."""


class Unable(Exception):
    """A call that was allowed and came to nothing. The message is for the model."""


class AgentTool(NamedTuple):
    """`fields` is the contract of the input; `run` takes an input that satisfies it and returns the result's text.

    `run` raises Refused and Unable. Any other exception is the function's own failure, not an answer to the model.
    """

    name: str
    description: str
    fields: Fields
    run: Callable[[dict[str, Any]], str]

    def offered(self) -> Tool:
        """As the model is told of it."""
        return Tool(self.name, told(self.description), object_schema(self.fields))


def told(text: str) -> str:
    """A description that can be told: registered texts stand in it, which hold no marks of data of ours."""
    return defused(readable(text))


def object_schema(fields: Fields) -> dict[str, Any]:
    """The JSON Schema of an object with these fields. Some models take no other keyword at the top."""
    return {
        "type": "object",
        "properties": {name: json_schema(schema) for name, schema in fields.items()},
        "required": [name for name, schema in fields.items() if schema.demanded],
    }


def json_schema(schema: Schema) -> dict[str, Any]:
    """The JSON Schema of one of our Schemas: types, members, lengths and ranges; a nominal type is a text."""
    made: dict[str, Any] = {}
    if schema.type != "any":
        made["type"] = _TYPES.get(schema.type, "string")
    if schema.description:
        made["description"] = told(schema.description)
    if schema.enum is not None:
        made["enum"] = list(schema.enum)
    if schema.items is not None:
        made["items"] = json_schema(schema.items)
    if schema.properties is not None:
        made |= object_schema(schema.properties)
    for attribute, keyword in _KEYWORDS.items():
        if (limit := getattr(schema, attribute)) is not None:
            made[keyword] = limit
    return made
