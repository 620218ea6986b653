"""Values that arrive at run time, checked and brought into the form their schema says (LANGUAGE §3).

Runs in every Lambda function for every activation: plain functions over plain data, nothing imported that costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from loopstep.types.forms import duration_seconds, is_directory_path, is_relative_path, is_scope, parse_datetime
from loopstep.types.schema import MISSING, UNKNOWN_TYPE, Fields, Schema, describe
from loopstep.types.text import SAFE, is_member, is_number, json_text, number_text

DEEPEST: Final = 256  # lists and objects inside one another in a value; keeps every reader clear of its own stack

_SHOWN: Final = 20  # members of an enum that a message lists
_SURROGATE: Final = "[\ud800-\udfff]"  # compiled at its first use, which most processes never see


class Problem(NamedTuple):
    """One fault of a value: a JSON pointer to it, a code, a sentence that never shows the value itself.

    Codes: required, unknown, type, null, enum, form, number, minimum, maximum, minLength, maxLength, minItems,
    maxItems, text (no Unicode), depth.
    """

    path: str
    code: str
    message: str


Path = str | tuple[Any, str | int]  # a pointer, or the path of a container and the key inside: made a text if wanted

MOST: Final = 1000  # problems that are told of one value, and
ROOM: Final = 1_000_000  # characters of their pointers


def conform(value: Any, schema: Schema, path: str = "") -> tuple[Any, list[Problem]]:
    """The value as its schema wants it, and everything wrong with it; the value counts only without problems.

    Nested defaults are filled in, a null of a declared field is dropped, 5.0 becomes 5. The value is not changed in
    place; parts of it may be shared with the result. `path` is the JSON pointer that the value itself has.
    """
    problems: list[Problem] = []
    return _value(value, schema, path, problems, 0), problems


def conform_fields(values: dict[str, Any], fields: Fields, path: str = "") -> tuple[dict[str, Any], list[Problem]]:
    """The same for a closed map of fields: an input, an output, a state. Fields come in the order given, then defaults.

    A required field that is missing and one that nobody declared are reported at their own name.
    """
    problems: list[Problem] = []
    return _fields(values, fields, False, path, problems, 0), problems


def _value(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    if value is None and schema.type != UNKNOWN_TYPE:
        _report(problems, path, "null", f"null is not {_a(schema)}")
        return None
    before = len(problems)
    value = _CHECKS[schema.type](value, schema, path, problems, depth)
    if schema.enum is not None and len(problems) == before and not is_member(value, schema.enum):
        members = ", ".join(json_text(member) for member in schema.enum[:_SHOWN])
        more = ", …" if len(schema.enum) > _SHOWN else ""
        _report(problems, path, "enum", f"must be one of {members}{more}")
    return value


def _string(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    if not isinstance(value, str):
        return _wrong(value, schema, path, problems)
    if not value.isascii() and re.search(_SURROGATE, value):
        _report(problems, path, "text", "holds half of a surrogate pair, which is no character")
    length = len(value)
    if schema.min_length is not None and length < schema.min_length:
        _report(problems, path, "minLength", f"needs at least {schema.min_length} characters")
    if schema.max_length is not None and length > schema.max_length:
        _report(problems, path, "maxLength", f"may have at most {schema.max_length} characters")
    if schema.type in _FORMS:
        has_form, wanted = _FORMS[schema.type]
        if not has_form(value):
            _report(problems, path, "form", f"is not {wanted}")
    return value


def _number(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return _wrong(value, schema, path, problems)
    if not is_number(value):
        return _bad_number(value, path, problems)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if schema.type == "integer" and isinstance(value, float):
        _report(problems, path, "type", "a number with a fraction is not an integer")
        return value
    if schema.minimum is not None and value < schema.minimum:
        _report(problems, path, "minimum", f"must be at least {number_text(schema.minimum)}")
    if schema.maximum is not None and value > schema.maximum:
        _report(problems, path, "maximum", f"must be at most {number_text(schema.maximum)}")
    return value


def _boolean(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    return value if isinstance(value, bool) else _wrong(value, schema, path, problems)


def _array(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    if not isinstance(value, list):
        return _wrong(value, schema, path, problems)
    count = len(value)
    if schema.min_items is not None and count < schema.min_items:
        _report(problems, path, "minItems", f"needs at least {schema.min_items} items")
    if schema.max_items is not None and count > schema.max_items:
        _report(problems, path, "maxItems", f"may have at most {schema.max_items} items")
    items = schema.items
    if items is None:
        return _anything(value, path, problems, depth)
    if depth >= DEEPEST:
        return _too_deep(path, problems)
    return [_value(item, items, (path, index), problems, depth + 1) for index, item in enumerate(value)]


def _object(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    if not isinstance(value, dict):
        return _wrong(value, schema, path, problems)
    if schema.properties is None:
        return _anything(value, path, problems, depth)
    if depth >= DEEPEST:
        return _too_deep(path, problems)
    return _fields(value, schema.properties, schema.additional, path, problems, depth + 1)


def _any(value: Any, schema: Schema, path: Path, problems: list[Problem], depth: int) -> Any:
    return _anything(value, path, problems, depth)


def _fields(
    values: dict[str, Any], fields: Fields, additional: bool, path: Path, problems: list[Problem], depth: int
) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    undeclared: list[str] = []
    for name, value in values.items():
        schema = fields.get(name)
        if schema is not None:
            if value is not None:
                answer[name] = _value(value, schema, (path, name), problems, depth)
        elif additional:
            answer[name] = _named(name, value, path, problems, depth)
        else:
            undeclared.append(name)
    if undeclared:
        _unknown(undeclared, fields, path, problems)
    for name, schema in fields.items():
        if name in answer:
            continue
        if schema.default is not MISSING:
            answer[name] = _copy(schema.default)
        elif schema.required:
            _report(problems, (path, name), "required", f"{name} is missing; it is {_a(schema)}")
    return answer


def _anything(value: Any, path: Path, problems: list[Problem], depth: int) -> Any:
    """A value that no schema describes: JSON data with numbers of LANGUAGE §3; null stays."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not value.isascii() and re.search(_SURROGATE, value):
            _report(problems, path, "text", "holds half of a surrogate pair, which is no character")
        return value
    if isinstance(value, (int, float)):
        if not is_number(value):
            return _bad_number(value, path, problems)
        return int(value) if isinstance(value, float) and value.is_integer() else value
    if depth >= DEEPEST:
        return _too_deep(path, problems)
    if isinstance(value, list):
        return [_anything(item, (path, index), problems, depth + 1) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: _named(name, entry, path, problems, depth + 1) for name, entry in value.items()}
    _report(problems, path, "type", f"{type(value).__name__} is not JSON")
    return value


def _named(name: str, value: Any, path: Path, problems: list[Problem], depth: int) -> Any:
    """An entry that no schema describes, its name included."""
    path = (path, name)
    if not name.isascii() and re.search(_SURROGATE, name):
        _report(problems, path, "text", "the name holds half of a surrogate pair, which is no character")
    return _anything(value, path, problems, depth)


def _wrong(value: Any, schema: Schema, path: Path, problems: list[Problem]) -> Any:
    _report(problems, path, "type", f"{_kind(value)} is not {_a(schema)}")
    return value


def _bad_number(value: int | float, path: Path, problems: list[Problem]) -> Any:
    message = f"an integer beyond ±{SAFE} cannot be kept exactly; write it as a string"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        message = "is not a finite number"
    _report(problems, path, "number", message)
    return value


def _too_deep(path: Path, problems: list[Problem]) -> Any:
    _report(problems, path, "depth", f"is nested more than {DEEPEST} levels deep")
    return None


def _unknown(names: list[str], fields: Fields, path: Path, problems: list[Problem]) -> None:
    from loopstep.diagnostics.suggest import did_you_mean, sparingly

    with sparingly():
        for name in names:
            meant = did_you_mean(name, fields)
            message = f"{name} is not declared" + (f"; {meant}" if meant else "")
            _report(problems, (path, name), "unknown", message)


def _copy(value: Any) -> Any:
    """A default of its own for each value, since results are built upon."""
    if isinstance(value, dict):
        return {name: _copy(entry) for name, entry in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _report(problems: list[Problem], path: Path, code: str, message: str) -> None:
    if len(problems) >= MOST or sum(len(each.path) for each in problems) > ROOM:
        return
    steps: list[str] = []
    while isinstance(path, tuple):
        path, step = path
        steps.append(_step(step) if isinstance(step, str) else str(step))
    problems.append(Problem("/".join([path, *reversed(steps)]), code, message))


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else name


def _kind(value: Any) -> str:
    """What a value is, for messages."""
    if isinstance(value, bool):
        return "a boolean"
    for kind, name in ((str, "a string"), ((int, float), "a number"), (list, "an array"), (dict, "an object")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else type(value).__name__


def _a(schema: Schema) -> str:
    name = describe(schema)
    return f"{'an' if name[0] in 'aio' else 'a'} {name}" if schema.type != "any" else "a value"


_FORMS: Final[dict[str, tuple[Callable[[str], bool], str]]] = {
    "scope": (is_scope, "a scope, a text of 1 to 256 characters"),
    "duration": (
        lambda text: duration_seconds(text) is not None,
        "an ISO 8601 duration of at most 365 days, such as PT30S or P1DT12H",
    ),
    "datetime": (lambda text: parse_datetime(text) is not None, "an RFC 3339 time, such as 2024-02-29T12:00:00Z"),
    "filePath": (is_relative_path, "a safe relative path, such as docs/report.md"),
    "directoryPath": (is_directory_path, "a safe relative path, such as docs"),
}

_CHECKS: Final[dict[str, Callable[[Any, Schema, Path, list[Problem], int], Any]]] = {
    "string": _string,
    **dict.fromkeys(_FORMS, _string),
    "number": _number,
    "integer": _number,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
    "any": _any,
    UNKNOWN_TYPE: _any,
}
