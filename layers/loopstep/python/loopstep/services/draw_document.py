"""A document that need not be published, compiled for the eyes: its graph, its data, or its state machine."""

from __future__ import annotations

from typing import Any

from loopstep.compiler.compile import compile as compile_plan
from loopstep.compiler.emit import emit
from loopstep.compiler.pins import Registry
from loopstep.services.check_plan import UNNAMED
from loopstep.services.compile_document import FunctionArn
from loopstep.services.describe_graph import describe_graph
from loopstep.services.describe_places import describe_places
from loopstep.services.views import DATA, DEFINITION


def describe_document(
    document: bytes, view: str, function_arn: FunctionArn, registry: Registry | None = None
) -> dict[str, Any]:
    """`{valid, diagnostics, described}`; `described` is null where the document has errors.

    It is what `describe_graph`, `describe_places` (view `data`) or `emit` (`definition`) give.
    """
    compiled = compile_plan(document, UNNAMED, registry)
    said = [each.to_json() for each in compiled.diagnostics]
    plan, program = compiled.plan, compiled.program
    if plan is None or program is None:
        return {"valid": False, "diagnostics": said, "described": None}
    if view == DEFINITION:
        described = emit(program, function_arn)
    elif view == DATA:
        described = describe_places(plan, program, compiled.flows)
    else:
        described = describe_graph(plan, program)
    return {"valid": True, "diagnostics": said, "described": described}
