"""Plain values of a document: what was read, or None after it has been reported why not (LANGUAGE §2)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.types.forms import duration_fault, duration_seconds, is_id
from loopstep.types.text import is_number

INVALID, MISSING_FIELD, UNKNOWN_FIELD = "document.invalid_value", "document.missing_field", "document.unknown_field"

NOTHING: frozenset[str] = frozenset()

IDENTIFIER_FORM = "a letter or `_`, then letters, digits and `_`, at most 63 characters"


def shape(value: Value) -> str:
    """What a value is, in a reader's words."""
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, Sequence):
        return "a list"
    assert isinstance(value, Scalar)
    plain = value.value
    if plain is None:
        return "nothing"
    if isinstance(plain, bool):
        return "true or false"
    return "a text" if isinstance(plain, str) else "a number"


def wrong(value: Value, what: str, wanted: str, report: Reporter, hint: str = "", code: str = INVALID) -> None:
    """Reports that a value is of another shape than its field takes."""
    report.error(code, f"{what} has to be {wanted}, here is {shape(value)}", value, hint)


def keys(
    mapping: Mapping, allowed: frozenset[str], required: Iterable[str], what: str, report: Reporter
) -> frozenset[str]:
    """Reports unknown and missing fields; gives the names that unknown ones were probably meant to be.

    A missing field that was probably misspelt is one fault, the unknown field.
    """
    entries = mapping.entries
    meant = NOTHING if entries.keys() <= allowed else _unknown(mapping, allowed, what, report)
    for name in required:
        if name not in entries and name not in meant:
            report.error(MISSING_FIELD, f"{what} needs the field `{name}`", mapping)
    return meant


def _unknown(mapping: Mapping, allowed: frozenset[str], what: str, report: Reporter) -> frozenset[str]:
    meant = set()
    free, known = sorted(allowed.difference(mapping.entries)), sorted(allowed)
    for name in mapping.entries:
        if name in allowed:
            continue
        if report.full:
            break
        near = nearest(name, free) or nearest(name, known)
        hint = f"did you mean `{near}`?" if near else "it takes " + ", ".join(f"`{one}`" for one in known)
        report.error(UNKNOWN_FIELD, f"{what} has no field `{name}`", mapping.at_key(name), hint if allowed else "")
        if near and near not in mapping.entries:
            meant.add(near)
    return frozenset(meant)


def mapping(value: Value, what: str, report: Reporter, hint: str = "", code: str = INVALID) -> Mapping | None:
    """A map."""
    if isinstance(value, Mapping):
        return value
    wrong(value, what, "a map", report, hint, code)
    return None


def sequence(value: Value, what: str, report: Reporter, hint: str = "") -> Sequence | None:
    """A list."""
    if isinstance(value, Sequence):
        return value
    wrong(value, what, "a list", report, hint)
    return None


def text(value: Value, what: str, report: Reporter, hint: str = "") -> str | None:
    """Any text, the empty one too."""
    if isinstance(value, Scalar) and isinstance(value.value, str):
        return value.value
    quotes = "put it in quotes" if isinstance(value, Scalar) and value.value is not None else ""
    wrong(value, what, "a text", report, hint or quotes)
    return None


def word(value: Value, what: str, report: Reporter) -> str | None:
    """A text that says something."""
    found = text(value, what, report)
    if found is not None and not found.strip():
        report.error(INVALID, f"{what} is empty", value)
        return None
    return found


def identifier(value: Value, what: str, report: Reporter) -> str:
    """A plan name or an id (§2). A text of another form is reported but stands, so that what names it still does."""
    found = text(value, what, report)
    if found is None:
        return ""
    if not is_id(found):
        report.error(INVALID, f"{what} `{found}` is no identifier", value, f"write {IDENTIFIER_FORM}")
    return found


def number(
    value: Value, what: str, low: float | None, high: float | None, report: Reporter, code: str = INVALID
) -> float | None:
    """A finite number in a range; one without fraction is an int."""
    plain = value.value if isinstance(value, Scalar) else None
    if isinstance(plain, bool) or not isinstance(plain, (int, float)):
        wrong(value, what, "a number", report, code=code)
        return None
    if not is_number(plain):
        report.error(code, f"{what} is {refusal(plain)}", value)
        return None
    if (low is not None and plain < low) or (high is not None and plain > high):
        report.error(code, f"{what} has to be {_range(low, high)}, not {plain:,}", value)
        return None
    return int(plain) if plain == math.floor(plain) else plain


def integer(
    value: Value, what: str, low: float | None, high: float | None, report: Reporter, code: str = INVALID
) -> int | None:
    """A whole number in a range."""
    found = number(value, what, low, high, report, code)
    if found is None or isinstance(found, int):
        return found
    report.error(code, f"{what} has to be a whole number, not {found}", value)
    return None


def refusal(plain: int | float) -> str:
    """Why a number is none of the language: not finite, or an integer beyond ±(2^53−1) (§3)."""
    return "no finite number" if not math.isfinite(plain) else f"beyond the integers of ±(2^53−1): {plain}"


def _range(low: float | None, high: float | None) -> str:
    if high is None:
        return f"at least {low:,}"
    return f"at most {high:,}" if low is None else f"from {low:,} to {high:,}"


def flag(value: Value, what: str, report: Reporter, code: str = INVALID) -> bool | None:
    """True or false."""
    if isinstance(value, Scalar) and isinstance(value.value, bool):
        return value.value
    wrong(value, what, "true or false", report, code=code)
    return None


def choice(value: Value, what: str, choices: tuple[str, ...], report: Reporter) -> str | None:
    """One of some words."""
    found = text(value, what, report)
    if found is None or found in choices:
        return found
    near = nearest(found, choices)
    wanted = " or ".join(f"`{c}`" for c in choices)
    hint = f"did you mean `{near}`?" if near else ""
    report.error(INVALID, f"{what} has to be {wanted}, not `{found}`", value, hint)
    return None


def seconds(value: Value, what: str, report: Reporter) -> int | None:
    """A duration of at least a second, in whole seconds, rounded up (§7)."""
    hint = "write an ISO 8601 duration of weeks, days, hours, minutes, seconds, at most 365 days: `PT30S`, `P7D`"
    found = text(value, what, report, hint)
    if found is None:
        return None
    exact = duration_seconds(found)
    if exact is None:
        report.error(INVALID, f"{what} `{found}` {duration_fault(found)}", value, hint)
        return None
    if exact < 1:
        report.error(INVALID, f"{what} has to be at least PT1S, not `{found}`", value)
        return None
    return math.ceil(exact)
