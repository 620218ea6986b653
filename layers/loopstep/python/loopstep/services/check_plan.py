"""Check a document: every diagnostic, and nothing stored."""

from __future__ import annotations

from typing import Any

from loopstep.compiler.pins import Registry
from loopstep.services.compile_document import FunctionArn, compile_document

UNNAMED = "plan"  # a document may leave its name out; publishing gives one


def check_plan(
    document: bytes, function_arn: FunctionArn, name: str | None = None, registry: Registry | None = None
) -> dict[str, Any]:
    """`{valid, diagnostics}`; valid means that publishing would be accepted."""
    outcome = compile_document(document, name or UNNAMED, function_arn, registry)
    return {"valid": outcome.draft is not None, "diagnostics": outcome.diagnostics}
