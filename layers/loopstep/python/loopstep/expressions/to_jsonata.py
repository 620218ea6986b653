"""A checked condition as JSONata over the node's operands (ARCHITECTURE §2).

The Choice sees numbers, booleans, members of simple enums and presence; every other comparison, every function and all
arithmetic is an operand that the node evaluates. Texts and secrets therefore never reach an execution history.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from loopstep.expressions.ast import Ast, Chain, Comparison, ListOf, Literal, Reference, Unary, references
from loopstep.expressions.check import Typed
from loopstep.expressions.tree import Tree, to_tree
from loopstep.types.schema import Schema
from loopstep.types.text import number_text

MAX_OPERANDS = 16
"""A condition that reads more is evaluated by the node as a whole, so that the token stays small."""
MAX_NESTING = 16
"""What nests deeper in the JSONata is evaluated by the node; engines recurse several frames a level."""

_SIMPLE = re.compile(r"[A-Za-z0-9_ .-]{0,64}")
_NUMBERS = ("integer", "number")
_JSONATA_OPS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Condition(NamedTuple):
    """`jsonata` reads `$states.input.seen[i]`, i counting `operands`; `residual` is the same over ["seen", i].

    Operands are evaluated lazily: one that the residual does not touch may be null. Then all three agree for all data.
    """

    jsonata: str
    operands: tuple[Tree, ...]
    residual: Tree


def condition(typed: Typed) -> Condition:
    """The condition of a `when` or `while` that check_boolean found without fault."""
    if typed.faults or typed.schema is None:
        raise ValueError("a condition with faults does not compile")
    split = _Split(typed)
    residual, text = split.boolean(typed.ast, 0)
    if len(split.operands) > MAX_OPERANDS:
        return whole(typed)
    return Condition(text, tuple(split.operands), residual)


def whole(typed: Typed) -> Condition:
    """The condition as one operand, for where tokens would grow too large."""
    return Condition(_seen(0), (to_tree(typed.ast),), ["seen", 0])


def _seen(index: int) -> str:
    return f"$states.input.seen[{index}]"


_Pair = tuple[Tree, str]  # residual, JSONata


class _Split:
    def __init__(self, typed: Typed) -> None:
        self.typed = typed
        self.operands: list[Tree] = []
        self.places: dict[str, int] = {}

    def operand(self, tree: Tree) -> _Pair:
        """The operand's place; equal trees share one."""
        key = json.dumps(tree, ensure_ascii=False)
        place = self.places.setdefault(key, len(self.operands))
        if place == len(self.operands):
            self.operands.append(tree)
        return ["seen", place], _seen(place)

    def boolean(self, node: Ast, depth: int) -> _Pair:
        if isinstance(node, Literal):
            return node.value, "true" if node.value else "false"
        if depth > MAX_NESTING:
            return self.operand(to_tree(node))
        if isinstance(node, Chain):
            parts = [self.boolean(item, depth + 1) for item in node.operands]
            word = " and " if node.op == "&&" else " or "
            return [node.op, *[residual for residual, _ in parts]], _balanced([text for _, text in parts], word)
        if isinstance(node, Unary):
            residual, text = self.boolean(node.operand, depth + 1)
            return ["!", residual], f"$not({text})"
        if isinstance(node, Comparison):
            return self.comparison(node, depth)
        residual, text = self.operand(to_tree(node))
        return residual, f"({text} = true)" if self.may_be_absent(node) else text

    def comparison(self, node: Comparison, depth: int) -> _Pair:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side, Literal) and side.value is None:
                return self.presence(other, node.op)
        if self.is_secret(node):
            return self.operand(to_tree(node))
        if node.op == "in":
            return self.member(node)
        if not (self.is_plain(node.left) and self.is_plain(node.right)) or self.is_ordered_text(node):
            return self.operand(to_tree(node))
        left, left_text = self.side(node.left, depth)
        right, right_text = self.side(node.right, depth)
        text = f"({left_text} {_JSONATA_OPS[node.op]} {right_text})"
        if node.op not in ("==", "!="):
            for side, side_text in ((node.right, right_text), (node.left, left_text)):
                if self.may_be_absent(side):
                    text = f"({side_text} != null and {text})"
        return [node.op, left, right], text

    def presence(self, node: Ast, op: str) -> _Pair:
        if self.is_plain(node) and not self.is_secret(node):
            residual, text = self.operand(to_tree(node))
            return [op, residual, None], f"({text} {_JSONATA_OPS[op]} null)"
        residual, text = self.operand(["!=", to_tree(node), None])
        return (residual, text) if op == "!=" else (["!", residual], f"$not({text})")

    def member(self, node: Comparison) -> _Pair:
        listed = node.right.items if isinstance(node.right, ListOf) else ()
        literals = [item.value for item in listed if isinstance(item, Literal)]
        plain = len(literals) == len(listed) and all(self.is_plain(item) for item in listed)
        if not plain or isinstance(node.right, Reference) or not self.is_plain(node.left):
            return self.operand(to_tree(node))
        left, text = self.side(node.left, MAX_NESTING)
        members = ", ".join(_literal(value) for value in literals)
        return ["in", left, ["list", *literals]], f"({text} in [{members}])"

    def side(self, node: Ast, depth: int) -> _Pair:
        """One side of a comparison, as a value."""
        if isinstance(node, Literal):
            return node.value, _literal(node.value)
        if isinstance(node, (Chain, Unary, Comparison)) and self.is_boolean(node):
            return self.boolean(node, depth + 1)
        return self.operand(to_tree(node))

    # -- what may be seen --------------------------------------------------------------------------------------------

    def type_of(self, node: Ast) -> Schema | None:
        return self.typed.types.get(id(node))

    def is_boolean(self, node: Ast) -> bool:
        schema = self.type_of(node)
        return schema is not None and schema.type == "boolean"

    def is_plain(self, node: Ast) -> bool:
        """A number, a boolean or a member of a simple enum."""
        schema = self.type_of(node)
        if schema is None:
            return False
        if schema.type in _NUMBERS or schema.type == "boolean":
            return True
        members = schema.enum or ()
        simple = all(isinstance(member, str) and _SIMPLE.fullmatch(member) for member in members)
        return schema.type == "string" and bool(members) and simple

    def is_ordered_text(self, node: Comparison) -> bool:
        schema = self.type_of(node.left)
        return node.op not in ("==", "!=") and schema is not None and schema.type == "string"

    def is_secret(self, node: Ast) -> bool:
        found = [self.typed.resolved.get(id(reference)) for reference in references(node)]
        return any(resolved is not None and resolved.secret for resolved in found)

    def may_be_absent(self, node: Ast) -> bool:
        found = self.typed.resolved.get(id(node))
        return found is not None and found.optional


def _literal(value: bool | int | float | str | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'  # only members of simple enums come here
    return number_text(value) if value is not None else "null"


def _balanced(parts: list[str], word: str) -> str:
    """`(a and b and c)`; long chains are halved, so that a parser's stack grows with their logarithm only."""
    if len(parts) <= 8:
        return "(" + word.join(parts) + ")"
    middle = len(parts) // 2
    return f"({_balanced(parts[:middle], word)}{word}{_balanced(parts[middle:], word)})"
