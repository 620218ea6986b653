"""What a state's JSON says for an input: JSONata between `{% %}`, and the few JSONPath fields that machines use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jsonata


def evaluated(value: Any, states: Mapping[str, Any]) -> Any:
    """JSON with its JSONata texts replaced by what they give; `states` is `$states`."""
    if isinstance(value, dict):
        return {name: evaluated(part, states) for name, part in value.items()}
    if not isinstance(value, str) or not value.startswith("{%"):
        return value
    expression = value[2:-2].strip()
    path = expression.split(".")
    if path[0] == "$states" and all(part.isidentifier() for part in path[1:]):
        return _at(states, path[1:])
    parsed = _parsed(expression)
    parsed.assign("states", states)
    return parsed.evaluate(None)


def selected(fields: Mapping[str, Any], data: Any, context: Any) -> dict[str, Any]:
    """JSONPath parameters: `$.field` of the input, `$$.a.b` of the context."""
    found = {}
    for name, value in fields.items():
        if name.endswith(".$"):
            root = context if value.startswith("$$.") else data
            value = _at(root, value.lstrip("$").lstrip(".").split("."))
        found[name.removesuffix(".$")] = value
    return found


def _at(root: Any, path: list[str]) -> Any:
    for part in path:
        root = root[part]
    return root


@lru_cache(4096)
def _parsed(expression: str) -> Any:
    return jsonata.Jsonata(expression)
