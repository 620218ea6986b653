"""Texts of a canvas: `{{name}}` becomes `{{ input.name }}`, everything else stays as it is written (CANVAS §2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

PLACEHOLDER = re.compile(r"\{\{\s*([^\s{}](?:[^{}]*[^\s{}])?)\s*\}\}")
_NO_NAME = re.compile(r"[\"'`:;,=()\[\]<>|&]")


class Placeholder(NamedTuple):
    """`{{ name }}` from `start` to `end`."""

    name: str
    start: int
    end: int


def placeholders(text: str) -> Iterator[Placeholder]:
    """What a text wants to show; braces around what can be no name are text."""
    for match in PLACEHOLDER.finditer(text):
        if not _NO_NAME.search(match[1]):
            yield Placeholder(match[1], *match.span())


def rewrite(text: str, filled: Callable[[str], bool]) -> str:
    """The plan's template: the placeholders that are `filled` read the input, the others stay literal."""
    made, place = [], 0
    for name, start, end in placeholders(text):
        if filled(name):
            made += [_literal(text[place:start], True), f"{{{{ input.{name} }}}}"]
            place = end
    return "".join([*made, _literal(text[place:], False)])


def _literal(text: str, followed: bool) -> str:
    """A text that a template shows as it is; `followed` by an interpolation, which its last character could spoil."""
    last = ""
    braces = len(text) - len(text.rstrip("{"))
    if followed and (braces % 2 or text.endswith("\\")):
        text, last = text[:-1], '{{ "{" }}' if braces else '{{ "\\\\" }}'
        if text.endswith(("\\", "{")):  # would spoil the interpolation that now follows
            return _literal(text, True) + last
    return text.replace("{{", "\\{{") + last
