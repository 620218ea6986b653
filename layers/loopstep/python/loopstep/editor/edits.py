"""Edits of a document, and a new entry of a mapping in the style of what stands around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from loopstep.compiler.look import Steps
from loopstep.editor.analysis import value_at
from loopstep.source.document import Mapping, Sequence, Span, Value, plain
from loopstep.source.load import load


class Edit(NamedTuple):
    """The text of a span, replaced; an empty span inserts."""

    span: Span
    text: str


class Fix(NamedTuple):
    """`preferred`: the one that is most likely meant."""

    title: str
    edits: tuple[Edit, ...]
    preferred: bool = False


def added(holder: Mapping, name: str, text: str, as_json: bool) -> Edit:
    """A new entry at the end of a mapping, in its own style."""
    content = holder.text.content
    if as_json:
        name, text = f'"{name}"', json_of(text)
    if content[holder.start : holder.start + 1] == "{":
        empty = not holder.entries
        at = holder.end - 1
        while not empty and content[at - 1] in " \n\r":
            at -= 1
        separator = "" if empty else ", "
        return Edit(holder.text.span(at, at), f"{separator}{name}: {text}")
    first = next(iter(holder.key_offsets.values()), (holder.start, holder.start))
    column = holder.text.position(first[0])[1]
    return Edit(Span(*holder.span[2:], *holder.span[2:]), f"\n{' ' * (column - 1)}{name}: {text}")


JSON_STARTS: Final = ('"', "{", "[")


def json_of(text: str) -> str:
    """A flow value of ours as JSON."""
    root, _ = load(f"[{text}]")
    assert isinstance(root, Sequence)
    return json.dumps(plain(root.items[0]), ensure_ascii=False)


def without_places(text: str) -> str:
    """A snippet without its placeholders."""
    return re.sub(r"\$\{\d+:([^{}]*)\}", r"\1", text)


def numbered(name: str) -> Iterator[str]:
    yield name[:63]
    number = 2
    while True:
        yield f"{name[:58]}_{number}"
        number += 1


def steps_to(root: Value, pointer: str) -> Steps:
    """A JSON pointer as a path of the tree."""
    steps: list[str | int] = []
    value: Value | None = root
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        step: str | int = int(name) if isinstance(value, Sequence) and name.isdigit() else name
        steps.append(step)
        value = value_at(value, (step,))
    return tuple(steps)
