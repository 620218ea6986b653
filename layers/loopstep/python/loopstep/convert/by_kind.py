"""CANVAS §4.2 and §4.3: conversions by the kind of the output field that the value came from."""

from __future__ import annotations

from typing import Any

from loopstep.convert.by_value import PATHS, as_text, convert_value, entries_of, or_no_number, path_of, whole
from loopstep.convert.outcome import (
    EXACT,
    LOSSY,
    MAY_FAIL,
    NO_VALUE,
    NOT_A_NUMBER,
    NOT_JSON,
    Entry,
    Function,
)
from loopstep.convert.texts import MISSING, finite, first_number, json_of, lines, number_of, says_false, says_true

CUT = 2000  # characters of a text that is no JSON object


def _on(kind: type | tuple[type, ...], to: str, function: Any) -> Function:
    """The function for values of the kind's own type; any other value goes by §4.1."""

    def applied(value: Any, mode: str, top_k: int | None) -> Any:
        fits = isinstance(value, kind) and not isinstance(value, bool)
        return function(value) if fits else convert_value(value, to)

    return applied


# -- text: what models answer ----------------------------------------------------------------------------------------


def _text_boolean(text: str) -> bool:
    return says_true(text) or bool(text.strip() and not says_false(text))


def _text_object(text: str) -> Any:
    value = json_of(text, dict, fence=True)
    return {"result": text[:CUT]} if value is MISSING else value


def _text_array(text: str) -> Any:
    value = json_of(text, list, fence=True)
    return lines(text) if value is MISSING else value


# -- evidence --------------------------------------------------------------------------------------------------------


def _content(evidence: Any) -> Any:
    content = evidence.get("content") if isinstance(evidence, dict) else None
    return NO_VALUE if content is None else as_text(content)


def _evidences_text(value: Any, mode: str, top_k: int | None) -> Any:
    if not isinstance(value, list) or mode == "json":
        return convert_value(value, "string")
    contents = [content for content in map(_content, value) if content is not NO_VALUE]
    if mode == "concat":
        return "\n\n".join(contents)
    first = _content(value[0]) if value else ""
    return "" if first is NO_VALUE else first


def _evidences_object(value: list[Any]) -> Any:
    if not value:
        return {}
    return value[0] if isinstance(value[0], dict) else convert_value(value[0], "object")


def _evidences_array(value: Any, mode: str, top_k: int | None) -> Any:
    if not isinstance(value, list):
        return convert_value(value, "array")
    return value if top_k is None else value[:top_k]


# -- files and structured answers ------------------------------------------------------------------------------------


def _first_path(to: str) -> Function:
    return _on(list, to, lambda files: path_of(as_text(files[0]), to) if files else NO_VALUE)


def _structured_number(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return or_no_number(finite(value))
    return or_no_number(number_of(as_text(value)))


def _structured_boolean(value: Any) -> bool:
    return value if isinstance(value, bool) else as_text(value).lower() == "true"


def _json_of_type(wanted: type) -> Function:
    return lambda value, mode, top_k: value if isinstance(value, wanted) else NOT_JSON


def _always(function: Any) -> Function:
    return lambda value, mode, top_k: function(value)


def _no_number(value: Any) -> Any:
    return NOT_A_NUMBER


BY_KIND: dict[tuple[str, str], Entry] = {
    ("text", "string"): Entry(_on(str, "string", str), EXACT, "the whole text"),
    ("text", "number"): Entry(
        _on(str, "number", lambda s: or_no_number(first_number(s))), MAY_FAIL, "the first number in the text"
    ),
    ("text", "boolean"): Entry(
        _on(str, "boolean", _text_boolean),
        LOSSY,
        "true, 1, yes or false, 0, no as they say; else true unless it is blank",
    ),
    ("text", "object"): Entry(
        _on(str, "object", _text_object),
        LOSSY,
        "the JSON object that the text is, else {result: its first 2,000 characters}",
    ),
    ("text", "array"): Entry(_on(str, "array", _text_array), LOSSY, "the JSON array that the text is, else its lines"),
    ("evidence", "string"): Entry(_on(dict, "string", _content), MAY_FAIL, "the evidence's content"),
    ("evidence", "number"): Entry(_always(_no_number), MAY_FAIL, "an evidence is no number", never=True),
    ("evidence", "boolean"): Entry(_always(lambda value: True), LOSSY, "true"),
    ("evidence", "object"): Entry(_on(dict, "object", dict), EXACT, "the evidence's fields"),
    ("evidence", "array"): Entry(_on(dict, "array", lambda value: [value]), EXACT, "the evidence as the only element"),
    ("evidences", "string"): Entry(
        _evidences_text,
        LOSSY,
        "top1: the first evidence's content; concat: all contents, a blank line between; json: all as compact JSON",
        modes=("top1", "concat", "json"),
    ),
    ("evidences", "number"): Entry(_on(list, "number", len), LOSSY, "the number of evidences"),
    ("evidences", "boolean"): Entry(_on(list, "boolean", bool), LOSSY, "true unless there are none"),
    ("evidences", "object"): Entry(
        _on(list, "object", _evidences_object), LOSSY, "the first evidence, {} if there are none"
    ),
    ("evidences", "array"): Entry(_evidences_array, EXACT, "all evidences, or the first topK", takes_top_k=True),
    ("evidenceCount", "string"): Entry(
        _always(lambda value: convert_value(value, "string")), EXACT, "the count as text"
    ),
    ("evidenceCount", "number"): Entry(_always(lambda value: convert_value(value, "number")), EXACT, "the count"),
    ("evidenceCount", "boolean"): Entry(_on((int, float), "boolean", lambda n: n > 0), LOSSY, "true if it is above 0"),
    ("evidenceCount", "object"): Entry(
        _on((int, float), "object", lambda n: {"evidenceCount": finite(n)}), EXACT, "{evidenceCount: the count}"
    ),
    ("evidenceCount", "array"): Entry(
        _on((int, float), "array", lambda n: [finite(n)]), EXACT, "the count as the only element"
    ),
    ("sourceType", "string"): Entry(_on(str, "string", str), EXACT, "the source type as it is"),
    ("sourceType", "number"): Entry(_always(_no_number), MAY_FAIL, "a source type is no number", never=True),
    ("sourceType", "boolean"): Entry(_on(str, "boolean", bool), LOSSY, "true unless it is empty"),
    ("sourceType", "object"): Entry(
        _on(str, "object", lambda s: {"sourceType": s}), EXACT, "{sourceType: the source type}"
    ),
    ("sourceType", "array"): Entry(_on(str, "array", lambda s: [s]), EXACT, "the source type as the only element"),
    ("diagnostics", "string"): Entry(_on(dict, "string", as_text), EXACT, "the diagnostics as compact JSON"),
    ("diagnostics", "number"): Entry(_always(_no_number), MAY_FAIL, "diagnostics are no number", never=True),
    ("diagnostics", "boolean"): Entry(_on(dict, "boolean", bool), LOSSY, "true unless there are none"),
    ("diagnostics", "object"): Entry(_on(dict, "object", dict), EXACT, "the diagnostics as they are"),
    ("diagnostics", "array"): Entry(_on(dict, "array", entries_of), EXACT, "the diagnostics as a list of {key, value}"),
    ("workingDirFiles", "string"): Entry(
        _on(list, "string", lambda files: as_text(files[0]) if files else ""),
        LOSSY,
        "the first path, empty if there are none",
    ),
    ("workingDirFiles", "number"): Entry(_on(list, "number", len), LOSSY, "the number of files"),
    ("workingDirFiles", "boolean"): Entry(_on(list, "boolean", bool), LOSSY, "true unless there are none"),
    ("workingDirFiles", "object"): Entry(
        _on(list, "object", lambda files: {"files": files}), EXACT, "{files: the paths}"
    ),
    ("workingDirFiles", "array"): Entry(_on(list, "array", list), EXACT, "the paths as they are"),
    ("structured", "string"): Entry(_always(as_text), EXACT, "a text as it is, anything else as compact JSON"),
    ("structured", "number"): Entry(
        _always(_structured_number), MAY_FAIL, "the number, or the number that the text is"
    ),
    ("structured", "boolean"): Entry(
        _always(_structured_boolean), LOSSY, "the boolean; else true only for the text true"
    ),
    ("structured", "object"): Entry(_json_of_type(dict), MAY_FAIL, "the JSON object"),
    ("structured", "array"): Entry(_json_of_type(list), MAY_FAIL, "the JSON array"),
}


def _others() -> None:
    kinds = list(dict.fromkeys(kind for kind, _ in BY_KIND))
    for kind in kinds:
        number = BY_KIND[kind, "number"]
        BY_KIND[kind, "integer"] = Entry(
            _always(lambda value, function=number.function: whole(function(value, "", None))),
            MAY_FAIL if number.loss == MAY_FAIL else number.loss,
            number.sentence + (", if it has no fraction" if kind in ("text", "structured") else ""),
            never=number.never,
        )
        for to in ("any", "datetime", "duration"):
            sentence = "the value as it is" if to == "any" else f"the text, if it is a {to}"
            function = _always(lambda value, to=to: convert_value(value, to))
            BY_KIND[kind, to] = Entry(function, EXACT if to == "any" else MAY_FAIL, sentence)
    for path in PATHS:
        for kind in ("text", "structured"):
            function = _always(lambda value, path=path: convert_value(value, path))
            BY_KIND[kind, path] = Entry(function, MAY_FAIL, "the text, if it is a safe relative path")
        BY_KIND["workingDirFiles", path] = Entry(_first_path(path), MAY_FAIL, "the first path")


_others()
