"""The syntax tree of an expression. Offsets are code points into the text that was parsed, `end` exclusive.

Chains of one precedence are flat (`a && b && c` is one Chain), so that no text nests deeper than its brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str | int, ...]


class Literal(NamedTuple):
    """`null`, a boolean, a number (normalised: no float without fraction) or a string."""

    value: bool | int | float | str | None
    start: int
    end: int


class Reference(NamedTuple):
    """`path[0]` is the root, then names (NFC) and indexes."""

    path: Path
    start: int
    end: int


class ListOf(NamedTuple):
    """`[a, b]`."""

    items: tuple[Ast, ...]
    start: int
    end: int


class Unary(NamedTuple):
    """`!a` or `-a`; a minus before a number literal is part of the Literal."""

    op: str
    operand: Ast
    start: int
    end: int


class Chain(NamedTuple):
    """`||`, `&&`, `*` or a sum: operands in order. `minus[i]` (only with op "+") says that operand i is subtracted."""

    op: str
    operands: tuple[Ast, ...]
    minus: tuple[bool, ...]
    start: int
    end: int


class Comparison(NamedTuple):
    """`==`, `!=`, `<`, `<=`, `>`, `>=` or `in`."""

    op: str
    left: Ast
    right: Ast
    start: int
    end: int


class Call(NamedTuple):
    """A known function with the right number of arguments."""

    name: str
    arguments: tuple[Ast, ...]
    start: int
    end: int


class Faulty(NamedTuple):
    """What is left of a text whose spelling was wrong and already reported: only its references are still checked."""

    references: tuple[Reference, ...]
    start: int
    end: int


Ast = Literal | Reference | ListOf | Unary | Chain | Comparison | Call | Faulty


def path_text(path: Path) -> str:
    """The reference as written: ("state", "a", 0) is `state.a[0]`. Scope.present holds such texts."""
    text = str(path[0])
    for segment in path[1:]:
        text += f"[{segment}]" if isinstance(segment, int) else f".{segment}"
    return text


def children(node: Ast) -> tuple[Ast, ...]:
    """The operands of a node, in order."""
    if isinstance(node, Chain):
        return node.operands
    if isinstance(node, Comparison):
        return (node.left, node.right)
    if isinstance(node, Call):
        return node.arguments
    if isinstance(node, Unary):
        return (node.operand,)
    if isinstance(node, ListOf):
        return node.items
    if isinstance(node, Faulty):
        return node.references
    return ()


def references(node: Ast) -> Iterator[Reference]:
    """Every reference under the node, in the order of the text."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Reference):
            yield current
        waiting.extend(reversed(children(current)))
