"""The Schema of LANGUAGE §3."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Missing:
    """The type of MISSING: "not given", where None would be a value. There is one, also after a copy."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:  # copy, deepcopy and pickle give the one back
        return "MISSING"


MISSING: Final[Any] = Missing()

TYPES = (
    "string", "number", "integer", "boolean", "array", "object",
    "scope", "duration", "datetime", "filePath", "directoryPath", "any",
)  # fmt: skip
NOMINAL = frozenset(("scope", "duration", "datetime", "filePath", "directoryPath"))
TEXTS = frozenset(("string", *NOMINAL))
NUMBERS = frozenset(("number", "integer"))
SCALARS = TEXTS | NUMBERS | {"boolean"}

UNKNOWN_TYPE = "unknown"  # of a schema, or a part of one, that a document says wrongly: it fits everything (§10)

_CONSTRAINTS = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minimum": "minimum",
    "maximum": "maximum",
    "minItems": "min_items",
    "maxItems": "max_items",
}


class Schema(NamedTuple):
    """One declared type. `properties` None: an open object; `items` None: an array of anything."""

    type: str
    required: bool = False
    default: Any = MISSING
    description: str = ""
    enum: tuple[Any, ...] | None = None
    items: Schema | None = None
    properties: dict[str, Schema] | None = None
    additional: bool = False
    secret: bool = False
    min_length: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    min_items: int | None = None
    max_items: int | None = None

    @property
    def guaranteed(self) -> bool:
        """Whether a value is there in every valid object: required, or with a default."""
        return self.required or self.default is not MISSING

    @property
    def demanded(self) -> bool:
        """Whether whoever makes a value has to bring this field: required, and no default stands for it."""
        return self.required and self.default is MISSING

    @property
    def open(self) -> bool:
        """Whether an object may hold fields that it does not declare."""
        return self.type == "object" and (self.properties is None or self.additional)

    @staticmethod
    def from_json(data: dict[str, Any] | str) -> Schema:
        """The Schema of what `to_json` or `brief` makes; trusts its input."""
        if isinstance(data, str):
            return Schema(data.removesuffix("!"), data.endswith("!"))
        items, properties, enum = data.get("items"), data.get("properties"), data.get("enum")
        return Schema(
            data["type"],
            data.get("required", False),
            data.get("default", MISSING),
            data.get("description", ""),
            None if enum is None else tuple(enum),
            None if items is None else Schema.from_json(items),
            None if properties is None else fields_from_json(properties),
            data.get("additional", False),
            data.get("secret", False),
            *(data.get(name) for name in _CONSTRAINTS),
        )

    def brief(self) -> dict[str, Any] | str:
        """As a definition carries it: `integer`, `integer!` where it is required, the map where more is declared."""
        data = self.to_json()
        return data if data.keys() - {"type", "required"} else f"{self.type}{'!' if self.required else ''}"

    def to_json(self) -> dict[str, Any]:
        """As a document writes it, without description and whatever is left out or default there."""
        data: dict[str, Any] = {"type": self.type}
        for name in ("required", "additional", "secret"):
            if getattr(self, name):
                data[name] = True
        if self.default is not MISSING:
            data["default"] = self.default
        if self.enum is not None:
            data["enum"] = list(self.enum)
        if self.items is not None:
            data["items"] = self.items.to_json()
        if self.properties is not None:
            data["properties"] = fields_to_json(self.properties)
        for name, attribute in _CONSTRAINTS.items():
            if (limit := getattr(self, attribute)) is not None:
                data[name] = limit
        return data


Fields = dict[str, Schema]


def fields_from_json(data: dict[str, Any]) -> Fields:
    """A map of fields, as `fields_to_json` makes it."""
    return {name: Schema.from_json(schema) for name, schema in data.items()}


def fields_to_json(fields: Fields) -> dict[str, Any]:
    """A map of fields in the document's form."""
    return {name: schema.to_json() for name, schema in fields.items()}


def describe(schema: Schema) -> str:
    """The type in a few words: `string`, `array of integer`, `string ("a" or "b")`, `object {a, b?}`."""
    if schema.enum is not None:
        from loopstep.types.text import json_text

        members = [json_text(member) for member in schema.enum[:4]]
        return f"{schema.type} ({' or '.join(members)}{' …' if len(schema.enum) > 4 else ''})"
    if schema.type == "array" and schema.items is not None:
        return f"array of {describe(schema.items)}"
    if schema.type == "object" and schema.properties is not None:
        names = [name if field.guaranteed else f"{name}?" for name, field in schema.properties.items()]
        return "object {" + ", ".join(names[:6]) + (", …" if len(names) > 6 else "") + "}"
    return schema.type
