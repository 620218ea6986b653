"""Fields that a canvas node declares: `data.outputs`, `data.variables`, `data.inputs`, `data.fields` (CANVAS §1)."""

from __future__ import annotations

from collections.abc import Iterator

from loopstep.canvas.model import IO_TYPES, Choice, Field, Wanted
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import did_you_mean
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.types.forms import is_field_name

INVALID, MISSING = "document.invalid_value", "document.missing_field"


def written(value: Value | None, report: Reporter) -> tuple[Field, ...]:
    """What a node says it writes."""
    return tuple(
        Field(name, _type(entry, report), "value", entry.entries["name"], _flag(entry, "required"))
        for name, entry in _named(value, report)
    )


def wanted(value: Value | None, report: Reporter) -> tuple[Wanted, ...]:
    """What a node says it reads."""
    return tuple(
        Wanted(
            name,
            _type(entry, report),
            _flag(entry, "required"),
            _mapping(entry, report),
            text_of(entry.entries.get("mode")) or None,
            entry.entries["name"],
        )
        for name, entry in _named(value, report)
    )


def text_of(value: Value | None) -> str:
    """A text; "" for anything else."""
    return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else ""


def is_nothing(value: Value | None) -> bool:
    """Left out, or null, which editors write for it."""
    return value is None or (isinstance(value, Scalar) and value.value is None)


def _named(value: Value | None, report: Reporter) -> Iterator[tuple[str, Mapping]]:
    """The entries of a list that have a usable name."""
    if is_nothing(value):
        return
    if not isinstance(value, Sequence):
        assert value is not None
        report.error(INVALID, "this has to be a list of fields, as `[{name, type}]`", value)
        return
    seen: set[str] = set()
    for entry in value.items:
        if not isinstance(entry, Mapping):
            report.error(INVALID, "a field is a map, as `{name, type}`", entry)
        elif (at := entry.entries.get("name")) is None:
            report.error(MISSING, "a field needs a `name`", entry)
        elif not isinstance(at, Scalar) or not isinstance(at.value, str):
            report.error(INVALID, "a field's name is a text", at)
        elif not is_field_name(at.value):
            hint = "write a letter or `_`, then letters, digits and `_`, at most 63 characters"
            report.error("canvas.invalid_name", f"`{at.value}` cannot be a variable's name", at, hint)
        elif at.value in seen:
            report.error(INVALID, f"`{at.value}` is declared twice here", at)
        else:
            seen.add(at.value)
            yield at.value, entry


def _type(entry: Mapping, report: Reporter) -> str:
    at = entry.entries.get("type")
    if at is None or is_nothing(at):
        return "string"
    name = text_of(at)
    if name in IO_TYPES:
        return name
    hint = did_you_mean(name, IO_TYPES) or "one of " + ", ".join(IO_TYPES)
    report.error(INVALID, f"there is no type `{name}`" if name else "a type is a text", at, hint)
    return "string"


def _flag(entry: Mapping, key: str) -> bool:
    at = entry.entries.get(key)
    return isinstance(at, Scalar) and at.value is True


def _mapping(entry: Mapping, report: Reporter) -> Choice | None:
    at = entry.entries.get("mapping")
    if at is None or is_nothing(at) or (isinstance(at, Scalar) and at.value == ""):
        return None
    if not isinstance(at, Mapping):
        report.error(INVALID, "a mapping is a map, as `{nodeId, field}`", at)
        return None
    node, field = text_of(at.entries.get("nodeId")), text_of(at.entries.get("field"))
    if bool(node) != bool(field):
        report.error(MISSING, "a mapping needs `nodeId` and `field`", at)
    return Choice(node, field, at) if node and field else None
