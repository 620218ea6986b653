"""CANVAS §4.1: conversions by the value's own type (kind `value`)."""

from __future__ import annotations

from typing import Any

from loopstep.convert.outcome import (
    EXACT,
    LOSSY,
    MAY_FAIL,
    NO_VALUE,
    NOT_A_NUMBER,
    UNSAFE_PATH,
    UNSUPPORTED,
    WRONG_FORM,
    Entry,
    Function,
)
from loopstep.convert.texts import MISSING, finite, json_of, number_of, says_true
from loopstep.types.forms import duration_seconds, is_directory_path, is_relative_path, parse_datetime
from loopstep.types.text import json_text, number_text

PATHS = ("filePath", "directoryPath")


def source_of(value: Any) -> str | None:
    """The row of the table that a value belongs to; None for null."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else None


def convert_value(value: Any, to: str) -> Any:
    """The value converted by its own type: a value or a No."""
    source = source_of(value)
    if source is None:
        return NO_VALUE
    if source == "number":
        value = finite(value)
        if value is None:
            return NOT_A_NUMBER
    entry = BY_VALUE.get((source, to))
    return UNSUPPORTED if entry is None else entry.function(value, "", None)


def whole(number: Any) -> Any:
    """`integer`: a number without fraction and within ±(2^53−1)."""
    return number if isinstance(number, int) and not isinstance(number, bool) else NOT_A_NUMBER


def path_of(text: str, to: str) -> Any:
    """A safe relative path, else `unsafe_path`."""
    return text if (is_directory_path if to == "directoryPath" else is_relative_path)(text) else UNSAFE_PATH


def as_text(value: Any) -> str:
    """A present value as text: texts as they are, numbers in their shortest form, the rest as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        number = finite(value)
        return "null" if number is None else number_text(number)
    return json_text(value)


def entries_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """`{key, value}` for every field, in order."""
    return [{"key": key, "value": item} for key, item in value.items()]


def or_no_number(number: Any) -> Any:
    """None means that there is no number."""
    return NOT_A_NUMBER if number is None else number


def _only_number(value: dict[str, Any]) -> Any:
    values = list(value.values())
    if len(values) != 1 or isinstance(values[0], bool) or not isinstance(values[0], (int, float)):
        return NOT_A_NUMBER
    return or_no_number(finite(values[0]))


def _parsed(text: str, wanted: type, otherwise: Any) -> Any:
    value = json_of(text, wanted)
    return otherwise if value is MISSING else value


def _only_object(value: list[Any]) -> Any:
    return value[0] if len(value) == 1 and isinstance(value[0], dict) else {"items": value}


def _of(function: Any) -> Function:
    return lambda value, mode, top_k: function(value)


def _same(value: Any) -> Any:
    return value


BY_VALUE: dict[tuple[str, str], Entry] = {
    ("string", "string"): Entry(_of(_same), EXACT, "the text as it is"),
    ("string", "number"): Entry(_of(lambda s: or_no_number(number_of(s))), MAY_FAIL, "the number that the text is"),
    ("string", "boolean"): Entry(_of(says_true), LOSSY, "true for the texts true, 1 and yes, else false"),
    ("string", "object"): Entry(
        _of(lambda s: _parsed(s, dict, {"value": s})), EXACT, "the JSON object that the text is, else {value: the text}"
    ),
    ("string", "array"): Entry(
        _of(lambda s: _parsed(s, list, [s])),
        EXACT,
        "the JSON array that the text is, else the text as its only element",
    ),
    ("number", "string"): Entry(_of(number_text), EXACT, "the number's shortest text"),
    ("number", "number"): Entry(_of(_same), EXACT, "the number as it is"),
    ("number", "boolean"): Entry(_of(lambda n: n != 0), LOSSY, "true unless it is 0"),
    ("number", "object"): Entry(_of(lambda n: {"value": n}), EXACT, "{value: the number}"),
    ("number", "array"): Entry(_of(lambda n: [n]), EXACT, "the number as the only element"),
    ("boolean", "string"): Entry(_of(lambda b: "true" if b else "false"), EXACT, "the text true or false"),
    ("boolean", "number"): Entry(_of(int), EXACT, "1 for true, 0 for false"),
    ("boolean", "boolean"): Entry(_of(_same), EXACT, "the boolean as it is"),
    ("boolean", "object"): Entry(_of(lambda b: {"value": b}), EXACT, "{value: the boolean}"),
    ("boolean", "array"): Entry(_of(lambda b: [b]), EXACT, "the boolean as the only element"),
    ("object", "string"): Entry(_of(json_text), EXACT, "the object as compact JSON"),
    ("object", "number"): Entry(_of(_only_number), MAY_FAIL, "its only value, if that is a number"),
    ("object", "boolean"): Entry(_of(bool), LOSSY, "true unless it is empty"),
    ("object", "object"): Entry(_of(_same), EXACT, "the object as it is"),
    ("object", "array"): Entry(_of(entries_of), EXACT, "its fields as a list of {key, value}"),
    ("array", "string"): Entry(_of(json_text), EXACT, "the array as compact JSON"),
    ("array", "number"): Entry(_of(len), LOSSY, "the number of its elements"),
    ("array", "boolean"): Entry(_of(bool), LOSSY, "true unless it is empty"),
    ("array", "object"): Entry(
        _of(_only_object), EXACT, "its only element if that is an object, else {items: the array}"
    ),
    ("array", "array"): Entry(_of(_same), EXACT, "the array as it is"),
}


def _others() -> None:
    for path in PATHS:
        BY_VALUE["string", path] = Entry(
            _of(lambda s, to=path: path_of(s, to)), MAY_FAIL, "the text, if it is a safe relative path"
        )
    for source in ("string", "number", "boolean", "object", "array"):
        number = BY_VALUE[source, "number"]
        BY_VALUE[source, "integer"] = Entry(
            _of(lambda value, function=number.function: whole(function(value, "", None))),
            MAY_FAIL if source in ("number", "string", "object") else number.loss,
            number.sentence + ("" if source in ("boolean", "array") else ", if it has no fraction"),
        )
        BY_VALUE[source, "any"] = Entry(_of(_same), EXACT, "the value as it is")
        for form, read in (("datetime", parse_datetime), ("duration", duration_seconds)):
            BY_VALUE[source, form] = Entry(
                _of(
                    lambda value, read=read: value if isinstance(value, str) and read(value) is not None else WRONG_FORM
                ),
                MAY_FAIL,
                f"the text, if it is a {form}",
            )


_others()
