"""Schemas of a document, each fault where it stands: schema.invalid, schema.default_mismatch (LANGUAGE §3)."""

from __future__ import annotations

from typing import Any

from loopstep.compiler import read
from loopstep.compiler.grammar import MAPPINGS
from loopstep.compiler.parse_literal import literal
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.nodes.node_type import UNKNOWN
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.types import assignable
from loopstep.types.forms import is_field_name
from loopstep.types.schema import MISSING, NUMBERS, TYPES, Fields, Schema
from loopstep.types.text import json_text

INVALID = "schema.invalid"

_KNOWN = frozenset(TYPES)
_PLAIN = frozenset(("type", "required", "description"))
_KEYWORDS = MAPPINGS["schema"].names
_HARMLESS = frozenset(("description", "secret"))  # misspelt, they change nothing that is checked

_TEXTS = frozenset(("string", "scope", "filePath", "directoryPath"))
_ARRAYS, _OBJECTS = frozenset(("array",)), frozenset(("object",))

# keyword → the types it belongs to
BELONGS = {
    "minLength": _TEXTS, "maxLength": _TEXTS, "minimum": NUMBERS, "maximum": NUMBERS,
    "minItems": _ARRAYS, "maxItems": _ARRAYS, "items": _ARRAYS, "properties": _OBJECTS, "additional": _OBJECTS,
}  # fmt: skip
_BOUNDS = (("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems"))

# what people write who come from other languages
_MEANT = {
    "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "bool": "boolean",
    "str": "string", "text": "string", "list": "array", "map": "object", "dict": "object", "date": "datetime",
    "timestamp": "datetime", "file": "filePath", "path": "filePath", "directory": "directoryPath", "json": "any",
}  # fmt: skip


def fields(value: Value, what: str, report: Reporter, code: str = read.INVALID) -> Fields | None:
    """A map of field names to Schemas; None where it is none. A field with a bad name stands under that name."""
    mapping = read.mapping(value, what, report, code=code)
    if mapping is None:
        return None
    found: Fields = {}
    for name, entry in mapping.entries.items():
        if not is_field_name(name):
            message = f"`{name}` is no field name"
            hint = (
                "write a letter or `_`, then letters, digits, marks and `_`, in Unicode's form NFC, at most 63 in all"
            )
            report.error(code, message, mapping.at_key(name), hint)
        found[name] = schema(entry, f"`{name}`", report)
    return found


def schema(value: Value, what: str, report: Reporter) -> Schema:
    """The Schema; of unknown type where its type, or what its type hangs on, could not be read."""
    if not isinstance(value, Mapping):
        read.wrong(value, f"the schema of {what}", "a map", report, "write it as `{type: string}`", INVALID)
        return UNKNOWN._replace(default=None)
    entries = value.entries
    meant = read.NOTHING
    if not (entries.keys() <= _KEYWORDS and "type" in entries):
        meant = read.keys(value, _KEYWORDS, ("type",), f"the schema of {what}", report)
    kind = _type(entries["type"], report) if "type" in entries else None
    required = read.flag(entries["required"], "`required`", report, INVALID) if "required" in entries else False
    if "description" in entries:
        _description(entries["description"], report)
    if entries.keys() <= _PLAIN and not meant and kind is not None and required is not None:
        return Schema(kind, required=required, description=_plain_text(entries.get("description")))
    return _schema(value, kind, required, meant, report)


def _schema(value: Mapping, kind: str | None, required: bool | None, meant: frozenset[str], report: Reporter) -> Schema:
    entries = value.entries
    parts = _parts(value, kind, report)
    doubtful = parts.pop("doubtful") or kind is None or required is None or not meant <= _HARMLESS
    made = Schema(kind or UNKNOWN.type, required=bool(required), description=_plain_text(entries.get("description")))
    if parts:
        made = made._replace(**parts)
    if "enum" in entries:
        members = _enum(entries["enum"], made, report)
        doubtful = doubtful or members is None
        made = made._replace(enum=members)
    if "default" in entries:
        made = made._replace(default=_default(entries["default"], made, report))
    if not doubtful:
        return made
    # What may be required once it is mended neither asks for a value nor counts as absent.
    unsure = required is None or "required" in meant
    known = made.default is not MISSING or unsure or "default" in meant
    return Schema(UNKNOWN.type, required=made.required, default=None if known else MISSING)


def _type(value: Value, report: Reporter) -> str | None:
    plain = value.value if isinstance(value, Scalar) else None
    if not isinstance(plain, str):
        read.wrong(value, "`type`", "the name of a type", report, "one of " + ", ".join(TYPES), INVALID)
        return None
    if plain in _KNOWN:
        return plain
    near = _MEANT.get(plain.lower()) or nearest(plain, TYPES)
    hint = f"did you mean `{near}`?" if near else "one of " + ", ".join(TYPES)
    report.error(INVALID, f"there is no type `{plain}`", value, hint)
    return None


def _description(value: Value, report: Reporter) -> None:
    if not (isinstance(value, Scalar) and isinstance(value.value, str)):
        read.wrong(value, "`description`", "a text", report, code=INVALID)


def _plain_text(value: Value | None) -> str:
    return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else ""


def _parts(value: Mapping, kind: str | None, report: Reporter) -> dict[str, Any]:
    """The keywords that belong to some types only, by their attribute of Schema, and `doubtful`."""
    entries = value.entries
    parts: dict[str, Any] = {"doubtful": False}
    for keyword, types in BELONGS.items():
        if keyword not in entries:
            continue
        if kind is not None and kind not in types:
            message = f"`{keyword}` belongs to {' and '.join(sorted(types))}, not to {kind}"
            report.error(INVALID, message, value.at_key(keyword))
            continue
        _KEYWORD_READERS[keyword](entries[keyword], parts, report)
    if "secret" in entries:
        parts["secret"] = bool(read.flag(entries["secret"], "`secret`", report, INVALID))
    for least, most in _BOUNDS:
        low, high = parts.get(_ATTRIBUTE[least]), parts.get(_ATTRIBUTE[most])
        if low is not None and high is not None and low > high:
            report.error(INVALID, f"`{least}` {low:,} is above `{most}` {high:,}", entries[least])
            parts[_ATTRIBUTE[least]] = parts[_ATTRIBUTE[most]] = None
    return parts


def _items(value: Value, parts: dict[str, Any], report: Reporter) -> None:
    parts["items"] = schema(value, "`items`", report)


def _properties(value: Value, parts: dict[str, Any], report: Reporter) -> None:
    parts["properties"] = fields(value, "`properties`", report, INVALID)
    parts["doubtful"] |= parts["properties"] is None


def _additional(value: Value, parts: dict[str, Any], report: Reporter) -> None:
    found = read.flag(value, "`additional`", report, INVALID)
    parts["additional"] = bool(found)
    parts["doubtful"] |= found is None


def _count(keyword: str) -> Any:
    def reader(value: Value, parts: dict[str, Any], report: Reporter) -> None:
        parts[_ATTRIBUTE[keyword]] = read.integer(value, f"`{keyword}`", 0, None, report, INVALID)

    return reader


def _bound(keyword: str) -> Any:
    def reader(value: Value, parts: dict[str, Any], report: Reporter) -> None:
        parts[_ATTRIBUTE[keyword]] = read.number(value, f"`{keyword}`", None, None, report, INVALID)

    return reader


_ATTRIBUTE = {
    "minLength": "min_length", "maxLength": "max_length", "minimum": "minimum", "maximum": "maximum",
    "minItems": "min_items", "maxItems": "max_items",
}  # fmt: skip
_KEYWORD_READERS = {
    "items": _items, "properties": _properties, "additional": _additional,
    "minimum": _bound("minimum"), "maximum": _bound("maximum"),
    **{keyword: _count(keyword) for keyword in ("minLength", "maxLength", "minItems", "maxItems")},
}  # fmt: skip


def _enum(value: Value, made: Schema, report: Reporter) -> tuple[Any, ...] | None:
    """The members; None where one is bad."""
    if not isinstance(value, Sequence) or not value.items:
        read.wrong(value, "`enum`", "a list of one or more values", report, code=INVALID)
        return None
    members: dict[str, Any] = {}
    sound = True
    for item in value.items:
        member, reason = _member(item, made, report)
        if reason:
            report.error(INVALID, f"{json_text(member)} cannot be a member of this `enum`: {reason}", item)
        elif member is not None and json_text(member) in members:
            report.error(INVALID, f"{json_text(member)} stands twice in this `enum`", item)
            continue
        sound = sound and member is not None and not reason
        members[json_text(member)] = member
    return tuple(members.values()) if sound else None


def _member(item: Value, made: Schema, report: Reporter) -> tuple[Any, str]:
    """(value, why it is no member); (None, "") where it has been reported."""
    member, sound = literal(item, report, INVALID)
    if not sound:
        return None, ""
    if member is None:
        return None, "nothing (`null`) is never a member"
    if not judgeable(made):
        return member, ""
    return _fits(member, made)


def _default(value: Value, made: Schema, report: Reporter) -> Any:
    """The default in its normal form; as it stands where it was reported."""
    found, sound = literal(value, report, INVALID)
    if not sound:
        return None
    reason = ""
    if found is None:
        reason = "nothing (`null`) is the same as no default"
    elif judgeable(made):
        found, reason = _fits(found, made)
    if reason:
        report.error(
            "schema.default_mismatch", f"the default {json_text(found)} does not fit its own schema: {reason}", value
        )
    return found


def _fits(value: Any, made: Schema) -> tuple[Any, str]:
    normal, fault = assignable.literal(value, made)
    return (value, fault.message) if fault else (normal, "")


def judgeable(made: Schema) -> bool:
    """Whether no part of the schema is of unknown type."""
    if made.type == UNKNOWN.type:
        return False
    if made.items is not None and not judgeable(made.items):
        return False
    return made.properties is None or all(map(judgeable, made.properties.values()))
