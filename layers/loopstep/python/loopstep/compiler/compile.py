"""The whole way from a document to a Program, on one page (ARCHITECTURE §2).

    load → parse → resolve → wiring → regions → check → counts → parallel → pins → plan → fit

Each step is a pure function with its own result; what they find wrong is collected, never raised.
"""

from __future__ import annotations

from typing import NamedTuple

from loopstep.compiler.check import check
from loopstep.compiler.conflicts import report_conflicts
from loopstep.compiler.counts import check_counts
from loopstep.compiler.fit import fit
from loopstep.compiler.limits import MAX_EDGES, MAX_NODES
from loopstep.compiler.model import Plan
from loopstep.compiler.parse import parse
from loopstep.compiler.pins import Registry, find_pins
from loopstep.compiler.plan import build
from loopstep.compiler.program import Program
from loopstep.compiler.regions import find_regions
from loopstep.compiler.resolve import resolve
from loopstep.compiler.values import Flow
from loopstep.compiler.wiring import check_wiring
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.diagnostics.suggest import sparingly
from loopstep.source.load import load


class Compiled(NamedTuple):
    """`plan` None: the document could not be read. `program` None: it has errors. `diagnostics` in document order.

    `flows`: every value on its way, for `explain`; complete only without errors.
    """

    plan: Plan | None
    program: Program | None
    flows: tuple[Flow, ...]
    diagnostics: tuple[Diagnostic, ...]


def compile(data: bytes | str, name: str | None = None, registry: Registry | None = None) -> Compiled:
    """Compiles a YAML or JSON document, whatever is in it; `name` is the plan's, whatever the document says.

    `registry` is the stack's. Without one (offline) nothing is pinned, so nothing that asks a model can be run.
    """
    with sparingly():
        return _compiled(data, name, registry)


def _compiled(data: bytes | str, name: str | None, registry: Registry | None) -> Compiled:
    reporter = Reporter()
    root, faults = load(data)
    for fault in faults:
        reporter.fault(fault)
    plan = parse(root, reporter) if root is not None else None
    if plan is None:
        return Compiled(None, None, (), reporter.sorted())
    if name is not None:
        plan = plan._replace(name=name)
    if len(plan.nodes) > MAX_NODES or len(plan.edges) > MAX_EDGES:
        return Compiled(plan, None, (), reporter.sorted())  # limit.nodes: nothing is worth saying about so many
    graph = resolve(plan, reporter)
    forward = check_wiring(graph, reporter)
    regions = find_regions(graph, forward, reporter)
    checked = check(graph, regions, reporter)
    check_counts(graph, regions, checked.items, reporter)
    report_conflicts(checked.touches, graph, reporter)
    pins = find_pins(graph, registry, reporter)
    program = None if reporter.has_errors else fit(build(graph, regions, checked, pins), graph, reporter)
    return Compiled(plan, program, checked.flows, reporter.sorted())
