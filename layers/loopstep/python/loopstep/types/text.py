"""Numbers and JSON as text, the same here, in the state machine and in a browser: as ECMAScript writes them."""

from __future__ import annotations

import json
import math
from typing import Any, Final

SAFE: Final = 2**53 - 1  # the largest integer that every reader of JSON keeps exactly (LANGUAGE §3)

_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")).encode


def is_number(value: Any) -> bool:
    """Whether it is a number of LANGUAGE §3: finite and within ±SAFE. A boolean is none.

    A double beyond SAFE has no fraction, so it is an integer that §3 refuses.
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -SAFE <= value <= SAFE


def is_integer(value: Any) -> bool:
    """Whether it is a number without fraction; 5.0 is."""
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def normalize_number(value: int | float) -> int | float:
    """A finite number without fraction as an int (5.0 → 5, -0.0 → 0), any other as it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def number_text(value: int | float) -> str:
    """ECMAScript's Number::toString (ECMA-262 §6.1.6.1.20): shortest round-trip digits, `1e-7`, `1e+21`, -0 is `0`.

    An int is written exactly, whatever its size. Raises ValueError for NaN and infinities, which are no JSON.
    """
    if isinstance(value, int):
        return str(int(value))
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    if value == 0:
        return "0"
    digits, exponent = _decimal(abs(value))
    return ("-" if value < 0 else "") + _layout(digits, exponent)


def json_text(value: Any) -> str:
    """Compact JSON, keys in the order given, not ASCII-escaped, numbers as `number_text`.

    Raises ValueError for a number that is not finite, TypeError for what is not JSON data.
    """
    return _write(value) if _has_float(value) else _compact(value)


def json_equal(left: Any, right: Any) -> bool:
    """Equality of JSON data: 1 is 1.0, true is not 1, the order of keys does not count."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return bool(left == right)


def is_member(value: Any, members: tuple[Any, ...]) -> bool:
    """Whether one of the members equals the value as `json_equal` has it; many members are looked up, not walked."""
    if len(members) <= _FEW or isinstance(value, (list, dict)):
        return any(json_equal(value, member) for member in members)
    return (isinstance(value, bool), value) in _scalars(members)


def _scalars(members: tuple[Any, ...]) -> frozenset[tuple[bool, Any]]:
    """The scalar members with whether they are booleans; kept for the tuples that were asked last."""
    kept = _KEPT.get(id(members))
    if kept is None or kept[0] is not members:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        scalars = frozenset((isinstance(each, bool), each) for each in members if not isinstance(each, (list, dict)))
        kept = _KEPT[id(members)] = (members, scalars)
    return kept[1]


_FEW: Final = 16
_MOST_KEPT: Final = 32
_KEPT: Final[dict[int, tuple[tuple[Any, ...], frozenset[tuple[bool, Any]]]]] = {}


def _decimal(value: float) -> tuple[str, int]:
    """The digits s without zeros around them, and n such that the value is 0.s × 10^n."""
    mantissa, _, power = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    stripped = digits.lstrip("0")
    return stripped.rstrip("0"), len(whole) - (len(digits) - len(stripped)) + int(power or 0)


def _layout(digits: str, n: int) -> str:
    """ECMA-262's choice among the plain and the exponent notations."""
    k = len(digits)
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return f"{digits[:n]}.{digits[n:]}"
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    return f"{digits[0]}{'.' if k > 1 else ''}{digits[1:]}e{n - 1:+d}"


def _has_float(value: Any) -> bool:
    """Whether the C encoder would write a number in Python's way."""
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_float, value))
    return isinstance(value, float)


def _write(value: Any) -> str:
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_compact(key)}:{_write(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_write, value)) + "]"
    return _compact(value)


def exchange_quotes(text: str) -> str:
    """The text with `"` for `'` and the other way round: JSON inside JSON without a backslash before every quote.

    Its own inverse; a spec travels so in a definition, where it can also be read.
    """
    return text.translate(_QUOTES)


_QUOTES: Final = str.maketrans({'"': "'", "'": '"'})
