"""Which node types this stack can run: those it has a function for. Tests hold template, functions and docs against it.

Every type of the language compiles; a plan with a type of COMPILED_LATER is refused when it is published.
"""

from __future__ import annotations

from loopstep.compiler.model import Node, Plan
from loopstep.diagnostics.diagnostic import ERROR, Diagnostic

NO_FUNCTION = "node.unavailable"

# Adding a function means taking its type out here.
COMPILED_LATER = frozenset(
    {"list_files", "llm", "agent", "skill", "smart_action", "knowledge_retrieval", "condition"}
)  # fmt: skip


def without_function(plan: Plan) -> list[Diagnostic]:
    """One error at each node that the stack cannot run, in document order."""
    return [_diagnostic(node) for node in plan.nodes if node.type is not None and not can_run(node.type.name)]


def can_run(name: str) -> bool:
    """Whether the stack has a function for this node type."""
    return name not in COMPILED_LATER


def _diagnostic(node: Node) -> Diagnostic:
    assert node.type is not None
    place = node.at.place()
    message = f"this stack has no function for nodes of type {node.type.name}"
    hint = "`loopstep check` and `compile` take the plan as it is; a later version of the stack runs it"
    return Diagnostic(NO_FUNCTION, ERROR, message, place.pointer, *place.span, hint)
