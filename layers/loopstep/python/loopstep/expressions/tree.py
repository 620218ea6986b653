"""The compiled form of an expression: JSON data that travels in definitions (the shape is in the module's table).

scalars are themselves · ["ref", root, segment…] · ["list", a…] · ["lit", json] · ["||", a, b…] · ["&&", a, b…] ·
["!", a] · ["neg", a] · ["==" | "!=" | "<" | "<=" | ">" | ">=" | "in", a, b] · ["+" | "-" | "*", a, b…] ·
["call", name, a…] · ["convert", a, {"to", "kind", "mode"?, "topK"?, "orAbsent"?}] · ["default", a, literal] ·
["path", i, d] · ["seen", i]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from loopstep.expressions.ast import Ast, Call, Chain, Comparison, ListOf, Literal, Reference, Unary

Tree = Any  # JSON data of the shape above


def to_tree(node: Ast) -> Tree:
    """The tree of a checked expression. A `ref` and an `expr` that is just that reference give the same."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Reference):
        return ["ref", *node.path]
    if isinstance(node, Comparison):
        return [node.op, to_tree(node.left), to_tree(node.right)]
    if isinstance(node, Chain):
        return _chain(node)
    if isinstance(node, Call):
        return ["call", node.name, *[to_tree(item) for item in node.arguments]]
    if isinstance(node, Unary):
        return ["!" if node.op == "!" else "neg", to_tree(node.operand)]
    if isinstance(node, ListOf):
        return ["list", *[to_tree(item) for item in node.items]]
    raise ValueError("an expression with faults has no tree")


def _chain(node: Chain) -> Tree:
    operands = [to_tree(item) for item in node.operands]
    if not any(node.minus):
        return [node.op, *operands]
    if all(node.minus[1:]):
        return ["-", *operands]
    signed = [["neg", item] if minus else item for item, minus in zip(operands, node.minus, strict=True)]
    return ["+", *signed]  # a + (-b) is a - b to the last bit


def literal_tree(value: Any) -> Tree:
    """The tree of a `value`: JSON data that stands for itself."""
    return ["lit", value] if isinstance(value, (list, dict)) else value


def convert_tree(
    source: Tree,
    to: str,
    kind: str = "value",
    mode: str | None = None,
    top_k: int | None = None,
    or_absent: bool = False,
) -> Tree:
    """`convert` around a source (LANGUAGE §4)."""
    options: dict[str, Any] = {"to": to, "kind": kind}
    if mode is not None:
        options["mode"] = mode
    if top_k is not None:
        options["topK"] = top_k
    if or_absent:
        options["orAbsent"] = True
    return ["convert", source, options]


def default_tree(source: Tree, default: Any) -> Tree:
    """`default`: what stands where the source is absent, unconverted (LANGUAGE §4)."""
    return ["default", source, literal_tree(default)]


def read_within(trees: Iterable[Tree]) -> list[Tree]:
    """What larger expressions among these read: their references, each once, in order. One that is itself a reference
    says what it read.
    """
    found: dict[tuple[Any, ...], Tree] = {}

    def keep(reference: list[Any]) -> Tree:
        found.setdefault(tuple(reference), reference)
        return reference

    for tree in trees:
        if isinstance(tree, list) and tree[0] != "ref":
            map_references(tree, keep)
    return list(found.values())


def map_references(tree: Tree, replace: Callable[[list[Any]], Tree]) -> Tree:
    """The tree with every ["ref", …] replaced by `replace(it)`; literals are left alone."""
    if not isinstance(tree, list) or tree[0] in ("lit", "seen", "path"):
        return tree
    if tree[0] == "ref":
        return replace(tree)
    if tree[0] == "convert":
        return ["convert", map_references(tree[1], replace), tree[2]]
    return [tree[0], *[map_references(part, replace) for part in tree[1:]]]
