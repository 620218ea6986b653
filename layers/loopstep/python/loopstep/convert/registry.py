"""The one registry of conversions (CANVAS §4): what converts to what, how, in which modes, with which loss.

It serves bindings, preconditions, structured answers, the canvas's lowering and its mapping options. A conversion is
added in one place: the table of by_value.py or by_kind.py.
"""

from __future__ import annotations

from typing import Any

from loopstep.convert.by_kind import BY_KIND
from loopstep.convert.by_value import BY_VALUE, convert_value, source_of
from loopstep.convert.fields import kind_of_field
from loopstep.convert.outcome import MAY_FAIL, NO_VALUE, UNSUPPORTED, Entry, No

__all__ = [
    "KINDS",
    "TARGETS",
    "Entry",
    "convert",
    "convertible",
    "entry",
    "fit",
    "kind_of_field",
    "supported",
    "sure",
    "tried",
]

KINDS = (
    "value", "evidence", "evidences", "evidenceCount", "sourceType", "diagnostics", "workingDirFiles", "text",
    "structured",
)  # fmt: skip
TARGETS = (
    "string", "number", "integer", "boolean", "object", "array", "filePath", "directoryPath", "datetime", "duration",
    "any", "scope",
)  # fmt: skip

_ROWS = {"integer": "number", **dict.fromkeys(("scope", "duration", "datetime", "filePath", "directoryPath"), "string")}
_DECLARED = ("string", "number", "boolean", "object", "array")
_IMPLICIT = {
    ("filePath", "string"),
    ("directoryPath", "string"),
    ("number", "string"),
    ("boolean", "string"),
    ("array", "object"),
}


def convert(
    value: Any, kind: str, to: str, mode: str | None = None, top_k: int | None = None
) -> tuple[Any, str | None]:
    """(value, None), or (None, reason) with a reason of CANVAS §4. Never raises, whatever the value."""
    try:
        result = _converted(value, kind, to, mode, top_k)
    except (RecursionError, ValueError, OverflowError):  # nested or large beyond what any encoder takes
        result = UNSUPPORTED
    return (None, str(result)) if isinstance(result, No) else (result, None)


def _converted(value: Any, kind: str, to: str, mode: str | None, top_k: int | None) -> Any:
    if value is None:
        return NO_VALUE
    if kind == "value":
        return UNSUPPORTED if mode is not None else convert_value(value, to)
    found = BY_KIND.get((kind, to))
    if found is None or (mode is not None and mode not in found.modes):
        return UNSUPPORTED
    return found.function(value, mode or (found.modes[0] if found.modes else ""), top_k if found.takes_top_k else None)


def entry(kind: str, to: str, source: str = "any") -> Entry | None:
    """The conversion of a field of that kind (for kind `value`: of that declared type) to a type, or None.

    For a source of type `any` the value's own type decides at run time.
    """
    if kind != "value":
        return BY_KIND.get((kind, to))
    if _ROWS.get(source, source) in _DECLARED:
        return BY_VALUE.get((_ROWS.get(source, source), to))
    if to not in TARGETS or to == "scope":
        return None
    return Entry(lambda value, mode, top_k: convert_value(value, to), MAY_FAIL, f"by the value's own type to {to}")


def supported(kind: str, to: str, mode: str | None = None, top_k: int | None = None, source: str = "any") -> bool:
    """Whether `convert: {to, mode, from: kind, topK}` on a source of that declared type may stand (LANGUAGE §4)."""
    found = entry(kind, to, source)
    if found is None:
        return False
    return (mode is None or mode in found.modes) and (top_k is None or found.takes_top_k)


def sure(kind: str, to: str, source: str = "any") -> bool:
    """Whether every present value of a field of that kind and declared type converts."""
    if kind == "value" and _ROWS.get(source, source) not in _DECLARED:
        return all(sure(kind, to, each) for each in _DECLARED)
    found = entry(kind, to, source)
    return found is not None and found.loss != MAY_FAIL


def tried(value: Any, kind: str, to: str) -> str:
    """What became of a value that gave none, in words and without the value: `a string, taken as … gives no number`."""
    own = source_of(value)
    found = entry(kind, to, own) if own is not None else None
    what = "null" if own is None else f"{'an' if own[0] in 'ao' else 'a'} {own}"
    if kind != "value":
        what += f" (kind {kind})"
    return f"{what}, which nothing converts to {to}" if found is None else f"{what}; {to}: {found.sentence}"


def convertible(source: str, kind: str, to: str, mode: str | None = None) -> bool:
    """`supported` for a source of that declared type; a source of unknown type is judged as `any`."""
    return supported(kind, to, mode, source=source)


def fit(kind: str, source: str, to: str) -> str:
    """How a canvas field of that kind and declared type fits an input: exact, implicit, converted or incompatible."""
    if source == to or to == "any":
        return "exact"
    if (source, to) in _IMPLICIT:
        return "implicit"
    found = entry(kind, to, source)
    return "converted" if found is not None and not found.never else "incompatible"
