"""What may be given to what, decided at compile time (LANGUAGE §3, "Assignable")."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.types.conform import Problem, conform
from loopstep.types.schema import UNKNOWN_TYPE, Schema, describe
from loopstep.types.text import is_member


class Mismatch(NamedTuple):
    """Why a source does not fit. `kind` "optional": only since a property of an object may be absent; else "type"."""

    reason: str
    kind: str = "type"


def assignable(source: Schema, target: Schema) -> Mismatch | None:
    """None where every value of `source` may stand for `target`, else why not. Constraints are left to run time.

    Whether the source itself may be absent is judged by the caller, who knows its guards.
    """
    if UNKNOWN_TYPE in (source.type, target.type):
        return None
    if target.type == "any":
        return _enum(source, target)
    if source.type != target.type and (source.type, target.type) != ("integer", "number"):
        return Mismatch(f"{describe(source)} does not fit {describe(target)}")
    if target.type == "array":
        return _items(source, target) or _enum(source, target)
    if target.type == "object":
        return _properties(source, target) or _enum(source, target)
    return _enum(source, target)


def literal(value: Any, target: Schema) -> tuple[Any, Problem | None]:
    """A literal against the whole schema of its target: its normalized value, and the first thing wrong with it.

    A text takes the nominal type of its target if it has its form. Nested defaults are filled in, as on arrival.
    """
    value, problems = conform(value, target)
    return value, problems[0] if problems else None


def _enum(source: Schema, target: Schema) -> Mismatch | None:
    if target.enum is None:
        return None
    if source.enum is None:
        return Mismatch(f"{describe(source)} may hold more than {describe(target)}")
    if all(is_member(member, target.enum) for member in source.enum):
        return None
    return Mismatch(f"{describe(source)} may hold more than {describe(target)}")


def _items(source: Schema, target: Schema) -> Mismatch | None:
    if target.items is None:
        return None
    if source.items is None:
        return Mismatch(f"an array of anything does not fit {describe(target)}")
    inner = assignable(source.items, target.items)
    if inner is None:
        return None
    return Mismatch(f"{describe(source)} does not fit {describe(target)}: of the items, {inner.reason}", inner.kind)


def _properties(source: Schema, target: Schema) -> Mismatch | None:
    if target.properties is None:
        return None
    if source.open:
        return Mismatch(f"an open object does not fit {describe(target)}")
    declared = source.properties or {}
    for name, wanted in target.properties.items():
        given = declared.get(name)
        if given is None:
            if wanted.demanded:
                return Mismatch(f"{describe(source)} does not fit {describe(target)}: the required {name} is missing")
            continue
        inner = assignable(given, wanted)
        if inner is not None:
            reason = f"{describe(source)} does not fit {describe(target)}: in {name}, {inner.reason}"
            return Mismatch(reason, inner.kind)
        if wanted.demanded and not given.guaranteed:
            reason = f"{describe(source)} does not fit {describe(target)}: the required {name} may be absent"
            return Mismatch(reason, "optional")
    if not target.additional:
        for name in declared:
            if name not in target.properties:
                return Mismatch(f"{describe(source)} does not fit {describe(target)}, which does not declare {name}")
    return None
