"""Texts with `{{ expression }}` (LANGUAGE §6): their parts, their checks, their compiled form."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from loopstep.expressions.ast import Ast, Faulty, Literal, Reference, path_text
from loopstep.expressions.check import check
from loopstep.expressions.faults import WARNING, ExprFault
from loopstep.expressions.parse import parse_between
from loopstep.expressions.render import render
from loopstep.expressions.scope import Scope
from loopstep.expressions.tree import to_tree

__all__ = ["Interpolation", "Part", "TemplateTyped", "check_template", "compile_parts", "parse_template", "render"]

_OPEN = re.compile(r"\\?\{\{")
_INSIDE = re.compile(r"""[^"'}]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\}(?!\})""", re.DOTALL)


class Interpolation(NamedTuple):
    """`{{ … }}`; `ast` None: its fault was reported. All offsets count from the start of the template."""

    ast: Ast | None
    start: int
    end: int


Part = str | Interpolation


class TemplateTyped(NamedTuple):
    """`faults` in order; among them may be the warning template.optional_reference (faults.WARNING)."""

    faults: tuple[ExprFault, ...]
    refs: tuple[Reference, ...]


def parse_template(text: str) -> tuple[tuple[Part, ...], list[ExprFault]]:
    """The parts, no two texts side by side. Faults: template.syntax, and inside `{{ }}` those of `parse`."""
    parts: list[Part] = []
    faults: list[ExprFault] = []
    literal, place = "", 0
    while opening := _OPEN.search(text, place):
        literal += text[place : opening.start()]
        place = opening.end()
        if opening[0][0] == "\\":
            literal += "{{"
            continue
        closing = _closing(text, place)
        if closing is None:
            hint = r"close it with }} (quotes inside protect a }}), or write \{{ for the characters themselves"
            faults.append(ExprFault("template.syntax", "{{ is never closed", opening.start(), place, hint))
            place = len(text)
            break
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(_interpolation(text, opening.start(), closing + 2, faults))
        place = closing + 2
    literal += text[place:]
    return (*parts, literal) if literal else tuple(parts), faults


def _closing(text: str, place: int) -> int | None:
    """Where the `}}` of an interpolation stands: the first outside quotes."""
    while not text.startswith("}}", place):
        inside = _INSIDE.match(text, place)
        if inside is None:
            return None
        place = inside.end()
    return place


def _interpolation(text: str, start: int, end: int, faults: list[ExprFault]) -> Interpolation:
    if not text[start + 2 : end - 2].strip():
        hint = r"write a reference inside, or \{{ for the characters themselves"
        faults.append(ExprFault("expr.syntax", "nothing stands inside {{ }}", start, end, hint))
        return Interpolation(None, start, end)
    ast, found = parse_between(text, start + 2, end - 2)
    faults.extend(found)
    return Interpolation(ast, start, end)


def check_template(parts: tuple[Part, ...], scope: Scope, keep: bool = False) -> TemplateTyped:
    """Checks every interpolation. A bare reference that may be absent is the warning template.optional_reference,
    which `keep` (`missing: keep`) drops; inside a larger expression it is the error reference.optional.
    """
    faults: list[ExprFault] = []
    refs: list[Reference] = []
    for part in parts:
        if isinstance(part, str) or part.ast is None:
            continue
        typed = check(part.ast, scope)
        faults.extend(typed.faults)
        refs.extend(typed.refs)
        if isinstance(part.ast, Reference) and not typed.present and not keep:
            faults.append(_warning(part.ast))
    return TemplateTyped(tuple(faults), tuple(refs))


def _warning(node: Reference) -> ExprFault:
    text = path_text(node.path)
    hint = "give it a default where it is declared or bound, if nothing should not stand there"
    return ExprFault(WARNING, f"{text} may be absent; then nothing stands here", node.start, node.end, hint)


def compile_parts(parts: tuple[Part, ...], keep: bool = False) -> list[Any]:
    """The JSON form that `render` takes: texts and {"e": tree}, with "k": "{{name}}" for what `keep` shows.

    A literal inside `{{ }}` is the author's text as what stands around it is.
    """
    compiled: list[Any] = []
    for part in parts:
        own = part.ast.value if isinstance(part, Interpolation) and isinstance(part.ast, Literal) else part
        if isinstance(own, str):
            compiled[-1:] = (
                [compiled[-1] + own] if compiled and isinstance(compiled[-1], str) else [*compiled[-1:], own]
            )
            continue
        assert isinstance(part, Interpolation)
        if part.ast is None or isinstance(part.ast, Faulty):
            raise ValueError("a template with faults does not compile")
        piece: dict[str, Any] = {"e": to_tree(part.ast)}
        if keep and isinstance(part.ast, Reference):
            names = [segment for segment in part.ast.path if isinstance(segment, str)]
            piece["k"] = f"{{{{{names[-1]}}}}}"
        compiled.append(piece)
    return compiled
