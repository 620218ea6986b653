"""Request bodies: their bytes within the limit, and JSON read strictly."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, NoReturn, TypeVar

from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent
from pydantic import BaseModel, ValidationError

from loopstep.services.refusals import Malformed, TooLarge

MAX_BODY = 1024 * 1024  # LANGUAGE §11, bytes
MAX_DEPTH = 300  # levels of maps and lists; what walks a value later may recurse

M = TypeVar("M", bound=BaseModel)


def raw_body(event: BaseProxyEvent) -> bytes:
    """The body's bytes, b"" without one. Raises TooLarge `document.too_large`, Malformed `request.malformed`."""
    body = event.get("body") or ""
    if len(body) > MAX_BODY * 4 // 3 + 8:
        _too_large()
    try:
        data = base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode("utf-8")
    except (binascii.Error, UnicodeEncodeError):
        raise Malformed("request.malformed", "The body cannot be decoded.") from None
    if len(data) > MAX_BODY:
        _too_large()
    return data


def json_body(event: BaseProxyEvent, model: type[M]) -> M:
    """The body as the model, {} without one. Raises Malformed `request.malformed`, `request.invalid`."""
    data = raw_body(event)
    try:
        return model.model_validate(read_json(data) if data.strip() else {})
    except ValidationError as invalid:
        raise Malformed("request.invalid", "The body is not what this route takes.", errors=faults(invalid)) from None


def read_json(data: bytes) -> Any:
    """Strict JSON: UTF-8, no NaN or infinity, no key twice, no half of a surrogate pair in one, 300 levels at most.

    What values an input may have is its contract's to say, with the place of each fault. Raises Malformed.
    """
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse)
        _measure(value)
    except (ValueError, RecursionError):
        raise Malformed("request.malformed", "The body is not valid JSON.") from None
    return value


def faults(invalid: ValidationError) -> list[dict[str, str]]:
    """What pydantic found, as `{path, code, message}`; never the values."""
    found = invalid.errors(include_url=False, include_input=False, include_context=False)
    return [{"path": _pointer(each["loc"]), "code": each["type"], "message": each["msg"]} for each in found]


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    "".join(value).encode("utf-8")  # UnicodeEncodeError is a ValueError
    return value


def _refuse(_: str) -> NoReturn:
    raise ValueError("not a JSON number")


def _measure(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return
    raise ValueError("nested too deep")


def _parts(value: Any) -> list[Any]:
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [part for part in inside if isinstance(part, (dict, list))]


def _too_large() -> NoReturn:
    raise TooLarge("document.too_large", "The body is larger than 1 MiB.")
