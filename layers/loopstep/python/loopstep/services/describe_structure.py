"""What a run's timeline needs of its plan: the regions around each node, and what each port's conditions ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from loopstep.compiler.emit_choice import shared
from loopstep.compiler.model import Plan
from loopstep.compiler.program import Enclosing, Program, Step
from loopstep.expressions.tree import read_within
from loopstep.expressions.unparse import Counter, tree_text
from loopstep.services.describe_graph import enclosing
from loopstep.services.secrets import EACH

LOOP = "loop"
BODY = "body"


def describe_structure(plan: Plan, program: Program, secrets: dict[str, Any]) -> dict[str, Any]:
    """`{nodes: {id: {enclosing, while?, read?, ports?: {port: {operands, read, edges: [[edge, when, test]]}}}}}`.

    `operands` and `read` are `[{text, secret?}]`, in the order of an activation's `seen` and `read` (the port's, then a
    `while`'s); `edges` in the order in which they are tried, `when` and `test`
    (a tree over `seen`) null for the default. `secrets` as `secrets_of` has them.
    """
    whens = {edge.id: edge.when.text for edge in plan.edges if edge.when is not None}
    asked = {node.id: node.config["while"].text for node in plan.nodes if "while" in node.config}
    return {"nodes": {step.id: _node(step, whens, asked, secrets) for step in program.steps.values()}}


def _node(step: Step, whens: dict[str, str], asked: dict[str, str], secrets: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {"enclosing": [enclosing(part) for part in step.enclosing]}
    if step.id in asked:
        described["while"] = asked[step.id]
        described["read"] = _told(read_within([step.spec["loop"]["while"]]), step, secrets)
    ports = {port: found for port in step.exits if (found := _port(step, port, whens, secrets))}
    return {**described, "ports": ports} if ports else described


def _port(step: Step, port: str, whens: dict[str, str], secrets: dict[str, Any]) -> dict[str, Any] | None:
    exits, operands = shared(step.exits[port])
    if not operands and all(each.condition is None for each in exits):
        return None
    own = (Enclosing(LOOP, step.id, BODY),) if step.counts and port == BODY else ()
    counter = _counter((*step.enclosing, *own))
    return {
        "operands": _told(operands, step, secrets, counter),
        "read": _told(read_within(operands), step, secrets, counter),
        "edges": [
            [each.edge, whens.get(each.edge), each.condition.residual if each.condition else None] for each in exits
        ],
    }


def _told(
    trees: list[Any], step: Step, secrets: dict[str, Any], counter: Counter | None = None
) -> list[dict[str, Any]]:
    """`[{text, secret?}]`."""
    return [
        {"text": tree_text(each, counter), **({"secret": True} if _is_secret(each, step.id, secrets) else {})}
        for each in trees
    ]


def _counter(around: tuple[Enclosing, ...]) -> Callable[[int, int], str]:
    """Names a position of the path, as it is written where these regions are around."""
    adding = [part for part in around if part.kind != "branches"]

    def named(position: int, first: int) -> str:
        further_in = sum(part.kind == LOOP for part in adding[position + 1 :])
        return "loop." + "parent." * further_in + ("iteration" if first else "index")

    return named


def _is_secret(tree: Any, node: str, secrets: dict[str, Any]) -> bool:
    """Whether the operand reads a secret field, or one that has secrets in it."""
    own = secrets["nodes"].get(node, {})
    hidden = {
        "plan": [["input", *path] for path in secrets["input"]],
        "state": secrets["state"],
        "input": own.get("input", []),
        "output": own.get("output", []),
    }
    return any(_meet(path, secret) for root, path in _references(tree) for secret in hidden.get(root, []))


def _meet(path: list[Any], secret: list[str]) -> bool:
    """Whether one of the two paths leads to the other."""
    return all(
        name == part or (name == EACH and isinstance(part, int)) for part, name in zip(path, secret, strict=False)
    )


def _references(tree: Any) -> Iterator[tuple[str, list[Any]]]:
    if not isinstance(tree, list) or tree[0] in ("lit", "path", "seen"):
        return
    if tree[0] == "ref":
        yield tree[1], tree[2:]
        return
    for part in tree[1:]:
        yield from _references(part)
