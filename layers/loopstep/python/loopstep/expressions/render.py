"""Render compiled templates (LANGUAGE §6). Import-light: this runs in node functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopstep.expressions.evaluate import compile_tree
from loopstep.types.text import json_text, number_text


def render(parts: list[Any], data: dict[str, Any]) -> str:
    """The text. Parts are texts and {"e": tree, "k"?: what stands for an absent value}.

    What was rendered is never rendered again. Raises as `evaluate` does.
    """
    return compile_template(parts)(data)


def compile_template(parts: list[Any]) -> Callable[[dict[str, Any]], str]:
    """The template as a function of the data, for repeated use."""
    return compile_marked_template(parts, value_text)


def compile_marked_template(parts: list[Any], show: Callable[[Any], str]) -> Callable[[dict[str, Any]], str]:
    """The same with each present value as `show` gives it; what the author wrote stays as it is."""
    pieces = [part if isinstance(part, str) else (compile_tree(part["e"]), part.get("k", "")) for part in parts]

    def rendered(data: dict[str, Any]) -> str:
        texts = []
        for piece in pieces:
            if isinstance(piece, str):
                texts.append(piece)
            else:
                value = piece[0](data)
                texts.append(piece[1] if value is None else show(value))
        return "".join(texts)

    return rendered


def value_text(value: Any) -> str:
    """A present value as text: texts as they are, numbers as ECMAScript writes them, the rest as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    return json_text(value)
