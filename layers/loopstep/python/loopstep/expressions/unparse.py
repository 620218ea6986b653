"""A compiled tree as the text that an author would write: what an operand of a condition was, for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loopstep.expressions.ast import path_text
from loopstep.types.text import json_text

Counter = Callable[[int, int], str]  # (position in the path, 0 or 1) → `loop.index`, `loop.parent.iteration`, …

# How tightly an operator binds (LANGUAGE §6); a part that binds less tightly gets brackets.
_BINDS = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "neg": 6, "!": 6}
_COMPARES = ("==", "!=", "<", "<=", ">", ">=", "in")
_BINDS |= dict.fromkeys(_COMPARES, 3)
_TIGHTEST = 7


def tree_text(tree: Any, counter: Counter | None = None) -> str:
    """The expression of a tree (`expressions.tree`); a conversion and a default are written as calls."""
    return _text(tree, counter or _unnamed)


def _unnamed(position: int, first: int) -> str:
    return "loop.iteration" if first else "loop.index"


def _text(tree: Any, counter: Counter) -> str:
    if not isinstance(tree, list):
        return _literal(tree)
    op, *parts = tree
    if op == "ref":
        return path_text(tuple(parts))
    if op == "lit":
        return json_text(parts[0])
    if op == "path":
        return counter(parts[0], parts[1])
    if op == "list":
        return f"[{', '.join(_text(part, counter) for part in parts)}]"
    if op == "call":
        return f"{parts[0]}({', '.join(_text(part, counter) for part in parts[1:])})"
    if op == "convert":
        return f"convert({_text(parts[0], counter)}, {parts[1]['to']})"
    if op == "default":
        return f"default({_text(parts[0], counter)}, {_text(parts[1], counter)})"
    if op == "seen":
        return f"seen[{parts[0]}]"
    binds = _BINDS[op]
    if op in ("!", "neg"):
        return ("!" if op == "!" else "-") + _part(parts[0], counter, binds)
    if op in _COMPARES:
        return f" {op} ".join(_part(part, counter, binds + 1) for part in parts)
    return _chain(op, parts, counter, binds)


def _chain(op: str, parts: list[Any], counter: Counter, binds: int) -> str:
    """Operands in a row; a negated one in a sum is subtracted, as it was written."""
    text = _part(parts[0], counter, binds)
    for part in parts[1:]:
        minus = op == "+" and isinstance(part, list) and part[0] == "neg"
        text += f" - {_part(part[1], counter, binds + 1)}" if minus else f" {op} {_part(part, counter, binds + 1)}"
    return text


def _part(tree: Any, counter: Counter, least: int) -> str:
    text = _text(tree, counter)
    binds = _BINDS.get(tree[0], _TIGHTEST) if isinstance(tree, list) else _TIGHTEST
    return text if binds >= least else f"({text})"


def _literal(value: Any) -> str:
    """Texts in single quotes, as authors write them inside YAML."""
    if isinstance(value, str) and "'" not in value and json.dumps(value, ensure_ascii=False) == f'"{value}"':
        return f"'{value}'"
    return json_text(value)
