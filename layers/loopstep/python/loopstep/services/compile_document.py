"""A plan document to everything that a version of it consists of; the only service that knows the compiler."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loopstep.compiler.compile import compile as compile_plan
from loopstep.compiler.emit import definition_text, emit
from loopstep.compiler.gate import GateFault, gate
from loopstep.compiler.model import Plan
from loopstep.compiler.pins import Registry, together
from loopstep.compiler.program import Program
from loopstep.plans.records import Draft, digest
from loopstep.services.describe_graph import describe_graph
from loopstep.services.describe_structure import describe_structure
from loopstep.services.secrets import secrets_of
from loopstep.types.schema import Schema

FunctionArn = Callable[[str], str]

LONGEST_TITLE = 200
LONGEST_DESCRIPTION = 1000  # what lists show; the whole text is in the document

_TOO_LARGE = {
    "limit.definition_size": "The compiled plan is larger than the 1 MiB that Step Functions takes.",
    "limit.state_size": "What this node says is larger than 128 KiB.",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`diagnostics` in document order, as LANGUAGE §10 has them; `draft` (without a machine) unless one is an error."""

    diagnostics: list[dict[str, Any]]
    draft: Draft | None = None


def compile_document(
    document: bytes, name: str, function_arn: FunctionArn, registry: Registry | None = None
) -> Outcome:
    """Compile a YAML or JSON document under the given plan name, whatever name it carries itself.

    What it refers to is looked up in `registry`, the stack's; the versions found are pinned.
    """
    compiled = compile_plan(document, name, registry)
    diagnostics = [diagnostic.to_json() for diagnostic in compiled.diagnostics]
    if compiled.program is None or compiled.plan is None:
        return Outcome(diagnostics)
    definition = emit(compiled.program, function_arn)
    faults = gate(definition)
    if faults:
        return Outcome(diagnostics + [_diagnostic(fault, compiled.program) for fault in faults])
    return Outcome(diagnostics, _draft(name, document, compiled.plan, compiled.program, definition, diagnostics))


def _draft(
    name: str,
    document: bytes,
    plan: Plan,
    program: Program,
    definition: dict[str, Any],
    diagnostics: list[dict[str, Any]],
) -> Draft:
    secrets = secrets_of(plan)
    texts = {
        "document": document.decode("utf-8"),
        "definition": definition_text(definition),
        "graph": _compact(describe_graph(plan, program)),
        "structure": _compact(describe_structure(plan, program, secrets)),
        "diagnostics": _compact(diagnostics),
        "secrets": _compact(secrets),
        "input": _compact(_fields(plan.input)),
        "output": _compact(_fields(plan.output)),
        "state": _compact(_fields(plan.state)),
        "pins": _compact(together(step.spec.get("pins", {}) for step in program.steps.values())),
    }
    return Draft(
        name=name,
        title=plan.title[:LONGEST_TITLE],
        description=plan.description[:LONGEST_DESCRIPTION],
        machine="",
        fences=bool(program.fan_outs),
        timeout=program.timeout,
        texts=texts,
        document_digest=digest(texts["document"]),
        definition_digest=digest(texts["definition"]),
    )


def _diagnostic(fault: GateFault, program: Program) -> dict[str, Any]:
    """A limit of the engine as a diagnostic; any other fault of a definition is the compiler's own."""
    if fault.code not in _TOO_LARGE:
        raise AssertionError(f"the compiler wrote a definition that its own gate refuses: {fault}")
    step = program.steps.get(fault.state.partition(".")[0])
    line = step.line if step else 1
    place = {"path": "", "line": line, "column": 1, "endLine": line, "endColumn": 1}
    message = _TOO_LARGE[fault.code]
    return {"code": fault.code, "severity": "error", "message": message, **place, "hint": "", "related": []}


def _fields(fields: dict[str, Schema]) -> dict[str, Any]:
    return {name: schema.to_json() for name, schema in fields.items()}


def _compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
