"""Arguments that name a file or carry a value."""

from __future__ import annotations

import json
import sys
from typing import Any

from loopstep.cli import outcome


def read_document(file: str) -> bytes:
    """The bytes of a plan file; "-" is stdin. Raises Failure."""
    try:
        if file == "-":
            return sys.stdin.buffer.read()
        with open(file, "rb") as document:  # no pathlib here: it costs every start of `compile` some milliseconds
            return document.read()
    except OSError as fault:
        raise outcome.Failure(f"{file}: {fault.strerror or fault}", outcome.USAGE) from None


def read_object(text: str) -> dict[str, Any]:
    """A JSON object given as text, as "@file", or as "@-" for stdin. Raises Failure."""
    source = read_document(text[1:]).decode("utf-8", "replace") if text.startswith("@") else text
    try:
        value = json.loads(source, parse_constant=_refuse)
    except ValueError as fault:
        raise outcome.Failure(f"--input is not JSON: {fault}", outcome.USAGE) from None
    if not isinstance(value, dict):
        raise outcome.Failure("--input must be a JSON object, one member for each input field", outcome.USAGE)
    return value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
