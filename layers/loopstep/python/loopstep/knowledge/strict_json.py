"""JSON of documents, read strictly, with a sentence for what is wrong."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from loopstep.types.text import is_number

MOST_DEPTH = 20


class BadJson(ValueError):
    """The message says what is wrong."""


def json_object(line: str) -> dict[str, Any]:
    """The JSON object that the line is.

    No `NaN`, no number that JSON's readers cannot keep, no key twice, no half of a surrogate pair, at most MOST_DEPTH
    levels. Raises BadJson.
    """
    try:
        value = json.loads(line, object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_int, parse_float=_float)
    except BadJson:
        raise
    except json.JSONDecodeError as fault:
        raise BadJson(f"no JSON: {fault.msg} at character {fault.colno}") from None
    except RecursionError:
        raise BadJson("nested too deep") from None
    if not isinstance(value, dict):
        raise BadJson("a JSON object has to stand here")
    _measure(value)
    if "\\u" in line:
        _pair_up(value)
    return value


def _pair_up(value: dict[str, Any]) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadJson("half of a surrogate pair, which is no character") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadJson("a key stands twice")
    return found


def _constant(word: str) -> NoReturn:
    raise BadJson(f"{word} is no JSON number")


def _int(written: str) -> int | float:
    return int(written) if len(written) <= 15 else _float(written)


def _float(written: str) -> int | float:
    value = float(written)
    if not is_number(value):
        raise BadJson("a number that readers of JSON do not keep")
    return int(value) if value.is_integer() else value


def _measure(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MOST_DEPTH):
        level = [part for each in level for part in _inside(each)]
        if not level:
            return
    raise BadJson(f"nested deeper than {MOST_DEPTH} levels")


def _inside(value: Any) -> list[Any]:
    parts = list(value.values()) if isinstance(value, dict) else value
    return [part for part in parts if isinstance(part, (dict, list))]
