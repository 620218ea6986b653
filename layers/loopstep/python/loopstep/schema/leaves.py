"""JSON Schemas of single values: names, durations, references, literals.

Patterns are read alike by Python and JavaScript.
"""

from __future__ import annotations

from typing import Any, Final

from loopstep.compiler.parse_schema import BELONGS
from loopstep.nodes.node_type import NodeType
from loopstep.types.schema import TEXTS, TYPES

Json = dict[str, Any]

_FIRST, _MORE = r"[^\x00-@\[-^`{-\x7f]", r"[^\x00-/:-@\[-^`{-\x7f]"  # whatever is not ASCII may be a letter
_NAME: Final = f"{_FIRST}{_MORE}*"
ID_PATTERN: Final = "^[A-Za-z_][A-Za-z0-9_]{0,62}$"
FIELD_PATTERN: Final = f"^{_NAME}$"
REFERENCE_PATTERN: Final = rf"^\s*{_NAME}(?:\.{_NAME}|\[(?:0|[1-9][0-9]*)\])*\s*$"
WORD_PATTERN: Final = r"\S"
_PARTS: Final = r"P(?=.)(?:[0-9]+W)?(?:[0-9]+D)?(?:T(?=.)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
DURATION_PATTERN: Final = f"^{_PARTS}$"
SECONDS_PATTERN: Final = rf"^(?!(?:P|T|0+[WDHM]|0+(?:\.[0-9]+)?S)+$){_PARTS}$"  # at least a second
_MOMENT: Final = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$"
)

PRESENT: Final = ["string", "number", "boolean", "array", "object"]  # every type but null

_LITERALS: Final[dict[str, Json]] = {
    **{name: {"type": "string"} for name in TEXTS},
    "duration": {"type": "string", "pattern": DURATION_PATTERN},
    "datetime": {"type": "string", "pattern": _MOMENT},
    "scope": {"type": "string", "minLength": 1, "maxLength": 256},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "array": {"type": "array"},
    "object": {"type": "object"},
    "any": {"type": PRESENT},
}


def literal(kind: str) -> Json:
    """What a literal of a type looks like."""
    return dict(_LITERALS[kind])


def by_type() -> list[Json]:
    """The rules of a Schema that hang on its type: which keywords belong to it, what its default and enum may hold."""
    rules = []
    for kind in TYPES:
        foreign = {keyword: False for keyword, types in BELONGS.items() if kind not in types}
        value = {} if kind == "any" else literal(kind)
        members = {"default": value, "enum": {"items": value}} if value else {}
        rules.append(when("type", kind, {"properties": {**foreign, **members}}))
    return rules


def when(name: str, choice: str, then: Json, otherwise: Json | None = None) -> Json:
    """A rule for objects whose field has that value."""
    rule: Json = {"if": {"properties": {name: {"const": choice}}, "required": [name]}, "then": then}
    return rule | ({"else": otherwise} if otherwise is not None else {})


def beside(node_type: NodeType) -> list[Json]:
    """The rules between the config fields of a node type: alternatives, and what stands only beside a choice."""
    rules: list[Json] = []
    if node_type.alternatives:
        rules.append({"oneOf": [{"required": [name]} for name in node_type.alternatives]})
    for one in node_type.fields:
        if one.only_with is None:
            continue
        other, choice = one.only_with
        needed: Json = {"required": [one.name]} if one.needed_with else {}
        rules.append(when(other, choice, needed, {"properties": {one.name: False}}))
    return rules


def ranged(low: float | None, high: float | None) -> Json:
    """Bounds of a number."""
    bounds = {"minimum": low, "maximum": high}
    return {name: bound for name, bound in bounds.items() if bound is not None}
