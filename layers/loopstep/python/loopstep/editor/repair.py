"""A document that does not load, made to load: what is half written on single lines is closed or left out.

Lines stay where they are, so places on the other lines are those of the document itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loopstep.editor.cursor import lines_of
from loopstep.source.document import Fault, Value
from loopstep.source.load import load

ROUNDS = 6
LONGEST = 200_000  # characters of a text that are worth several tries


class Loaded(NamedTuple):
    """`root` None: nothing could be made of it. `whole`: it loads as it is."""

    root: Value | None
    whole: bool


def load_anyway(text: str, line: int | None = None) -> Loaded:
    """The document's tree; `line` (1-based) is where somebody is writing, the first suspect."""
    root, faults = load(text)
    if root is not None or not faults:
        return Loaded(root, True)
    lines = lines_of(text.replace("\t", " "))
    if "\t" in text:
        root, faults = load("\n".join(lines))
    rounds = ROUNDS if len(text) <= LONGEST else 1
    while root is None and faults and rounds > 0:
        found = _step(lines, faults[-1], line)
        if found is None:
            break
        lines, root, faults = found
        rounds -= 1
    return Loaded(root, False)


def _step(lines: list[str], fault: Fault, line: int | None) -> tuple[list[str], Value | None, list[Fault]] | None:
    """The change that makes the document load, else the one after which its fault comes latest."""
    best: tuple[tuple[int, int], list[str], list[Fault]] | None = None
    for number in _suspects(lines, fault, line):
        for changed in _variants(lines[number]):
            candidate = [*lines[:number], changed, *lines[number + 1 :]]
            root, faults = load("\n".join(candidate))
            if root is not None:
                return candidate, root, faults
            place = (faults[-1].span.line, faults[-1].span.column)
            if place > (fault.span.line, fault.span.column) and (best is None or place > best[0]):
                best = place, candidate, faults
    return None if best is None else (best[1], None, best[2])


def _suspects(lines: list[str], fault: Fault, line: int | None) -> Iterator[int]:
    """Lines, from 0: the one being written, the one with the fault, those before it, one with an open quote."""
    seen = set()
    at = min(fault.span.line, len(lines)) - 1
    before = [number for number in range(max(at - 6, 0), at) if lines[number].strip()][-2:]
    quotes = [number for number in range(max(at - 400, 0), at + 1) if _closing(lines[number])[:1] in ("'", '"')][:1]
    for number in ([] if line is None else [min(line, len(lines)) - 1]) + [at] + quotes + before[::-1]:
        if number not in seen:
            seen.add(number)
            yield number


def _variants(line: str) -> Iterator[str]:
    """The line with its quotes and brackets closed; without its value; without anything."""
    content = line.lstrip()
    closing = _closing(line)
    if closing:
        yield line + closing
    indent = line[: len(line) - len(content)]
    name, colon, _ = content.partition(": ")
    if colon and not name.lstrip("- ").startswith(("{", "[", '"', "'")):
        yield f"{indent}{name}:"
    if content.startswith("- "):
        yield f"{indent}-"
    if content:
        yield ""


def _closing(line: str) -> str:
    """What closes the quote and the brackets that a line leaves open."""
    open_: list[str] = []
    quote = ""
    escaped = False
    for at, character in enumerate(line):
        if quote:
            if escaped:
                escaped = False
            elif character == "\\" and quote == '"':
                escaped = True
            elif character == quote:
                quote = ""
        elif character in "'\"" and (at == 0 or line[at - 1] in " [{,:"):
            quote = character
        elif character in "{[":
            open_.append("}" if character == "{" else "]")
        elif character in "}]" and open_:
            open_.pop()
        elif character == "#" and at and line[at - 1] == " ":
            break
    return quote + "".join(reversed(open_))
