"""Places an activation in its plan: which regions, items and passes are around it, and why it left where it left."""

from __future__ import annotations

from typing import Any

from loopstep.expressions.evaluate import NoValue, RangeFault, compile_tree
from loopstep.services.secrets import HIDDEN

Json = dict[str, Any]
NOTHING: Json = {"nodes": {}}  # of a version that was published before there was a structure

BRANCHES = "branches"
_ON = ("body", "exhausted")  # ports by which a loop leaves where its `while` holds


def regions_around(structure: Json, node: str, path: list[int]) -> list[Json]:
    """`[{kind, nodeId, part, index}]`, outermost first; `index` is the item's or the pass's, null for a branch."""
    numbers = iter(path)
    around = structure["nodes"].get(node, {}).get("enclosing", ())
    return [{**part, "index": None if part["kind"] == BRANCHES else next(numbers, None)} for part in around]


def shown_seen(structure: Json, node: str, port: str | None, seen: list[Any] | None) -> list[Any] | None:
    """The operands without what reads a secret."""
    operands = _port(structure, node, port).get("operands", [])
    if seen is None or len(operands) != len(seen):
        return seen
    return [HIDDEN if each.get("secret") else value for each, value in zip(operands, seen, strict=True)]


def choice(
    structure: Json, node: str, port: str | None, seen: list[Any] | None, read: list[Any] | None = None
) -> Json | None:
    """Why it left through its edge: `{port, while, operands: [{text, value}], edges: [{edge, when, holds}]}`.

    `operands`: what stands in a condition by itself, then what larger parts of it, and a loop's `while`, read.
    `edges` in the order in which they were tried; `holds` is null for the default and for those behind the first that
    held, which nobody asked. `while` is `{text, holds}` at a loop. None where nothing was asked.
    """
    described = structure["nodes"].get(node, {})
    asked = described.get("while")
    conditions = _port(structure, node, port)
    operands = conditions.get("operands", [])
    if seen is None or len(operands) != len(seen):
        conditions, operands = {}, []
    if port is None or not (conditions or asked):
        return None
    shown = {each["text"]: value for each, value in zip(operands, seen or [], strict=False)}
    within = [*conditions.get("read", []), *(described.get("read", []) if port != "failed" else [])]
    if read is not None and len(read) == len(within):
        operands = [*operands, *(each for each in within if each["text"] not in shown)]
        shown = {each["text"]: value for each, value in zip(within, read, strict=True)} | shown
    return {
        "port": port,
        "while": {"text": asked, "holds": port in _ON} if asked and port != "failed" else None,
        "operands": [
            {"text": each["text"], "value": HIDDEN if each.get("secret") else shown.get(each["text"])}
            for each in operands
        ],
        "edges": _tried(conditions.get("edges", []), seen or []),
    }


def _tried(edges: list[Any], seen: list[Any]) -> list[Json]:
    found, tried = False, []
    for edge, when, test in edges:
        holds = None if found or when is None else _holds(test, seen)
        found = found or holds is True
        tried.append({"edge": edge, "when": when, "holds": holds})
    return tried


def _holds(test: Any, seen: list[Any]) -> bool | None:
    try:
        return compile_tree(test)({"seen": seen}) is True
    except (NoValue, RangeFault):
        return None


def _port(structure: Json, node: str, port: str | None) -> Json:
    found: Json = structure["nodes"].get(node, {}).get("ports", {}).get(port or "", {})
    return found
