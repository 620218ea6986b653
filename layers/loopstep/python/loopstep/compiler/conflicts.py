"""Parallel conflicts as diagnostics: at the later node, the earlier one related (LANGUAGE §10, Places)."""

from __future__ import annotations

from collections.abc import Iterable

from loopstep.compiler.parallel import Conflict, Touch, conflicts
from loopstep.compiler.resolve import Graph
from loopstep.diagnostics.collector import Reporter, related


def report_conflicts(touches: Iterable[Touch], graph: Graph, reporter: Reporter) -> None:
    """state.parallel_conflict for every pair of nodes and path."""
    for conflict in conflicts(touches, graph.position):
        _report(conflict, graph, reporter)


def _report(conflict: Conflict, graph: Graph, reporter: Reporter) -> None:
    path = "state." + ".".join(conflict.path)
    later, earlier = graph.nodes[conflict.later], graph.nodes[conflict.earlier]
    if later is earlier:
        message = f"`{later.id}` writes {path}, and runs for several items at once"
        hint = "bring the value to the join instead, and merge what arrived"
        reporter.error("state.parallel_conflict", message, later.at, hint)
        return
    what = "both write" if conflict.both_write else "write and read"
    message = f"`{earlier.id}` and `{later.id}` can run at once, and {what} {path}"
    hint = "bring the value to the join instead, and merge what arrived"
    other = related(f"`{earlier.id}` touches {path} at the same time", earlier.at)
    reporter.error("state.parallel_conflict", message, later.at, hint, (other,))
