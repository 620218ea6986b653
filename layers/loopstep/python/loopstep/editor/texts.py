"""Literals and snippets as a document writes them: YAML's flow and block style, or JSON."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from loopstep.source.scalars import plain_scalar

_PLAIN: Final = re.compile(r"[\w./-]+( [\w./-]+)*")


def quoted(text: str) -> str:
    """A text as YAML writes it on one line."""
    plain = _PLAIN.fullmatch(text) is not None and isinstance(plain_scalar(text), str)
    return text if plain else json.dumps(text, ensure_ascii=False)


def literal_text(value: Any, as_json: bool) -> str:
    """A literal as a document writes it."""
    return quoted(value) if isinstance(value, str) and not as_json else json.dumps(value, ensure_ascii=False)


def flow_text(body: Any) -> str:
    """A snippet in YAML's flow style."""
    if isinstance(body, dict):
        return "{" + ", ".join(f"{name}: {flow_text(value)}" for name, value in body.items()) + "}"
    if isinstance(body, list):
        return "[" + ", ".join(map(flow_text, body)) + "]"
    return body if isinstance(body, str) else json.dumps(body)


def block_text(body: Any, indent: int) -> str:
    """A snippet in YAML's block style, beginning with a line break where it is a map or a list of maps."""
    blank = "\n" + " " * indent
    if isinstance(body, dict) and body:
        return "".join(f"{blank}{name}:{_behind(value, indent)}" for name, value in body.items())
    return " " + flow_text(body)


def _behind(value: Any, indent: int) -> str:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return "".join("\n" + " " * (indent + 2) + "- " + flow_text(one) for one in value)
    if isinstance(value, dict) and (len(flow_text(value)) > 70 or any(isinstance(one, list) for one in value.values())):
        return block_text(value, indent + 2)
    return " " + flow_text(value)
