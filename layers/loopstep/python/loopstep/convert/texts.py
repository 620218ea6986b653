"""What texts hold: numbers, booleans and JSON (CANVAS §4). Nothing here raises for bad data."""

from __future__ import annotations

import json
import math
import re
from typing import Any

SAFE = 2**53 - 1
MAX_DEPTH = 200  # deeper JSON is no JSON to us: engines and encoders recurse

# Patterns stay texts: `re` compiles one at its first use, and keeps it; the compiler imports this and needs none.
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_IN_TEXT = (
    r"(?:(?<![0-9])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|(?<![^\W_])\.[0-9]+(?:[eE][+-]?[0-9]+)?"
)
_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)}
_FENCE = r"(?s)```[ \t]*[A-Za-z0-9_+.#-]*[ \t]*\r?\n?(.*?)```"
_LINE_END = r"\r\n|\r|\n"
_SURROGATE = "[\ud800-\udfff]"

MISSING = object()


def finite(value: float) -> int | float | None:
    """The number as the language writes it (no float without fraction up to 2^53−1), or None where it is not finite."""
    if isinstance(value, int):
        if -SAFE <= value <= SAFE:
            return value
        try:
            return float(value)
        except OverflowError:
            return None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and -SAFE <= value <= SAFE else value


def number_of(text: str) -> int | float | None:
    """The number that the whole text is: ASCII digits, decimal or exponent notation, blanks around."""
    written = text.strip()
    return finite(float(written)) if re.fullmatch(_NUMBER, written) else None


def first_number(text: str) -> int | float | None:
    """The first number in a text.

    `1,234.5` is one number (groups of exactly three), full-width digits count, an ASCII sign counts unless a letter, a
    digit or `)` stands right before it.
    """
    plain = text.translate(_FULL_WIDTH)
    match = re.search(_IN_TEXT, plain)
    if match is None:
        return None
    value = finite(float(match[0].replace(",", "")))
    sign = match.start() - 1
    if value is None or sign < 0 or plain[sign] not in "+-":
        return value
    before = plain[sign - 1] if sign > 0 else " "
    negative = plain[sign] == "-" and not (before.isalnum() or before == ")")
    return -value if negative else value


def says_true(text: str) -> bool:
    """`true`, `1` or `yes`, in any case, blanks around."""
    return text.strip().lower() in ("true", "1", "yes")


def says_false(text: str) -> bool:
    """`false`, `0` or `no`, in any case, blanks around."""
    return text.strip().lower() in ("false", "0", "no")


def lines(text: str) -> list[str]:
    """The lines that are not blank, trimmed."""
    return [line.strip() for line in re.split(_LINE_END, text) if line.strip()]


def json_of(text: str, wanted: type, fence: bool = False) -> Any:
    """The JSON value that the whole text is, if it is a `wanted` (dict or list), else MISSING.

    Strict: no `NaN`, no duplicate keys, nothing that is not finite, no halves of surrogate pairs; blanks around are
    allowed, with `fence` also a code fence around it, with or without a language.
    """
    written = text.strip()
    fenced = re.fullmatch(_FENCE, written) if fence else None
    if fenced:
        written = fenced[1].strip()
    if not written.startswith("{" if wanted is dict else "["):
        return MISSING
    try:
        value = json.loads(
            written, parse_constant=_refuse, parse_float=_float, parse_int=_int, object_pairs_hook=_pairs
        )
    except (ValueError, RecursionError):
        return MISSING
    return value if isinstance(value, wanted) and _carried(value, written) else MISSING


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _float(written: str) -> int | float:
    value = finite(float(written))
    if value is None:
        raise ValueError(written)
    return value


def _int(written: str) -> int | float:
    return _float(written) if len(written) > 15 else int(written)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _carried(value: Any, written: str) -> bool:
    """Whether other programs can carry it: not too deep, no half of a surrogate pair."""
    check_text = "\\u" in written or "\\U" in written
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
                if check_text and any(re.search(_SURROGATE, key) for key in item):
                    return False
            elif isinstance(item, list):
                inner.extend(item)
            elif check_text and isinstance(item, str) and re.search(_SURROGATE, item):
                return False
        if not inner:
            return True
        level = inner
    return False
