"""Arguments that name a file or carry a value."""

from __future__ import annotations

import json
import sys
from typing import IO, Any

from loopstep.cli import outcome
from loopstep.source.limits import DOCUMENT_BYTES

INPUT_BYTES = 10 * 1024 * 1024  # API Gateway takes no larger body


def read_document(file: str, most: int = DOCUMENT_BYTES) -> bytes:
    """The bytes of a plan file; "-" is stdin. Of more than `most` only one more is read. Raises Failure."""
    try:
        if file == "-":
            return _stdin().read(most + 1)
        with open(file, "rb") as document:  # no pathlib here: it costs every start of `compile` some milliseconds
            return document.read(most + 1)
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        reason = getattr(fault, "strerror", None) or fault
        raise outcome.Failure(f"{file}: {reason}", outcome.USAGE) from None


def read_text(file: str) -> bytes:
    """A document that is sent as it is: UTF-8, which no gateway would replace. Raises Failure."""
    data = read_document(file)
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise outcome.Failure(f"{file}: line {line}: not UTF-8 (byte {fault.start + 1})", outcome.NO) from None
    return data


def read_object(text: str, option: str = "--input") -> dict[str, Any]:
    """A JSON object given as text, as "@file", or as "@-" for stdin. Raises Failure."""
    source = _read_text(text[1:], option) if text.startswith("@") else text
    try:
        value = json.loads(source, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_once)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise outcome.Failure(
            f"{option} holds half of a surrogate pair, which is no character", outcome.USAGE
        ) from None
    except ValueError as fault:
        raise outcome.Failure(f"{option} is not JSON: {fault}", outcome.USAGE) from None
    except RecursionError:
        raise outcome.Failure(f"{option} is nested too deeply", outcome.USAGE) from None
    if not isinstance(value, dict):
        raise outcome.Failure(f"{option} must be a JSON object, one member for each field", outcome.USAGE)
    return value


def _read_text(file: str, option: str) -> str:
    data = read_document(file, INPUT_BYTES)
    if len(data) > INPUT_BYTES:
        raise outcome.Failure(f"{option}: {file} has more than {INPUT_BYTES:,} bytes", outcome.USAGE)
    try:
        return data.decode()
    except UnicodeDecodeError as fault:
        raise outcome.Failure(f"{option}: {file} is not UTF-8 (byte {fault.start + 1})", outcome.USAGE) from None


def _stdin() -> IO[bytes]:
    if sys.stdin is None:
        raise OSError("there is no stdin")
    return sys.stdin.buffer


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else float(_refuse(text))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two members with one name nobody knows which was meant."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{json.dumps(name)} is there twice")
        found[name] = value
    return found
