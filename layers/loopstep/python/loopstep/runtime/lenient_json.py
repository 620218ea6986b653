"""The JSON object in a model's answer, read with patience: fences, prose, trailing commas, other quotes, bare words.

Every reading is one pass over the text and bounded in depth and in number, whatever the text is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from loopstep.convert.texts import finite

DEEPEST = 100  # lists and objects inside one another
STARTS = 50  # places where an object is looked for
LONGEST = 2_000_000  # characters of an answer that are looked at

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d][\w-]*")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None}
_CODE = re.compile(r"u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SPECIAL = {quote: re.compile(rf"[\\{quote}]") for quote in _QUOTES.values()}


class _NoJson(Exception):
    """Not even with patience."""


def object_in(text: str, wanted: Collection[str]) -> dict[str, Any] | None:
    """The object with most of the `wanted` keys, the first of several; None where there is no object at all."""
    text = text[:LONGEST]
    best: dict[str, Any] | None = None
    place = text.find("{")
    for _ in range(STARTS):
        if place < 0:
            break
        try:
            found, end = _object(text, place, 0)
        except (_NoJson, RecursionError):
            end = place + 1
        else:
            if best is None or _hits(found, wanted) > _hits(best, wanted):
                best = found
            if _hits(best, wanted) == len(wanted):
                break
        place = text.find("{", end)
    return best


def _hits(found: dict[str, Any], wanted: Collection[str]) -> int:
    return sum(name in found for name in wanted)


def _skip(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    return match.end() if match else place


def _at(text: str, place: int) -> str:
    return text[place : place + 1]


def _value(text: str, place: int, depth: int) -> tuple[Any, int]:
    if depth > DEEPEST:
        raise _NoJson
    here = _at(text, place)
    if here == "{":
        return _object(text, place, depth)
    if here == "[":
        return _list(text, place, depth)
    if here in _QUOTES and here:
        return _string(text, place)
    if number := _NUMBER.match(text, place):
        return _number(number[0]), number.end()
    if word := _WORD.match(text, place):
        return _WORDS.get(word[0].lower(), word[0]), word.end()
    raise _NoJson


def _object(text: str, place: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    place = _skip(text, place + 1)
    while _at(text, place) != "}":
        key, place = _key(text, place)
        place = _skip(text, place)
        if _at(text, place) not in (":", "："):
            raise _NoJson
        found[key], place = _value(text, _skip(text, place + 1), depth + 1)
        place = _after(text, place, "}")
    return found, place + 1


def _list(text: str, place: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    place = _skip(text, place + 1)
    while _at(text, place) != "]":
        value, place = _value(text, place, depth + 1)
        found.append(value)
        place = _after(text, place, "]")
    return found, place + 1


def _after(text: str, place: int, closing: str) -> int:
    """Behind an element: at the next one, or at the closing bracket."""
    place = _skip(text, place)
    if _at(text, place) in (",", "，"):
        return _skip(text, place + 1)
    if _at(text, place) != closing:
        raise _NoJson
    return place


def _key(text: str, place: int) -> tuple[str, int]:
    if _at(text, place) in _QUOTES and _at(text, place):
        return _string(text, place)
    if word := _WORD.match(text, place):
        return word[0], word.end()
    raise _NoJson


def _string(text: str, place: int) -> tuple[str, int]:
    special = _SPECIAL[_QUOTES[text[place]]]
    parts: list[str] = []
    place += 1
    while match := special.search(text, place):
        parts.append(text[place : match.start()])
        if match[0] != "\\":
            return "".join(parts), match.end()
        part, place = _escape(text, match.end())
        parts.append(part)
    raise _NoJson  # never closed: the answer was cut


def _escape(text: str, place: int) -> tuple[str, int]:
    """What a backslash before `place` stands for. Pairs of surrogates are one character, a half of one is U+FFFD."""
    if code := _CODE.match(text, place):
        try:
            return json.loads(f'"\\{code[0]}"').encode("utf-16", "surrogatepass").decode(
                "utf-16", "replace"
            ), code.end()
        except ValueError:
            raise _NoJson from None
    here = _at(text, place)
    return _ESCAPES.get(here, here), place + 1


def _number(written: str) -> int | float | str:
    """The number; a text where it is not finite."""
    if len(written) <= 15 and written.lstrip("+-").isdigit():
        return int(written)
    value = finite(float(written))
    return written if value is None else value
