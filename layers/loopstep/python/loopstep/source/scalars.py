"""The YAML 1.2 core schema (YAML 1.2.2 §10.3.2): which plain scalar is which JSON value."""

from __future__ import annotations

import re
from typing import Final

WORDS: Final[dict[str, bool | float | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}

_BEGINS_NUMBER: Final = frozenset("+-.0123456789")
_DECIMAL: Final = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE: Final = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LONGEST_INTEGER: Final = 400  # digits; longer ones are beyond every double and stay an infinity


def plain_scalar(text: str) -> str | int | float | bool | None:
    """The value of a scalar without quotes: null, a boolean, a number or else the text itself.

    `012` is 12 and `0o12` is 10, as the core schema has it; `yes`, `on`, dates and `1_000` are texts. Integers are
    exact whatever their size, `.inf` and `.nan` are floats: whoever takes a number judges them.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _BEGINS_NUMBER:
        return text
    if _DECIMAL.fullmatch(text):
        return integer(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text


def integer(digits: str) -> int | float:
    """The integer of a decimal text; an infinity where it is longer than Python reads without a fight."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)
