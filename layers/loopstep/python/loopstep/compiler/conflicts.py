"""Parallel conflicts as diagnostics: at the later node, the earlier one related (LANGUAGE §10, Places)."""

from __future__ import annotations

from collections.abc import Iterable

from loopstep.compiler.parallel import Conflict, Touch, conflicts
from loopstep.compiler.resolve import Graph
from loopstep.diagnostics.collector import Reporter, related
from loopstep.diagnostics.diagnostic import Related
from loopstep.source.document import Scalar


def report_conflicts(touches: Iterable[Touch], graph: Graph, reporter: Reporter) -> None:
    """state.parallel_conflict for every pair of nodes and path."""
    for conflict in conflicts(touches, graph.position):
        _report(conflict, graph, reporter)


def _report(conflict: Conflict, graph: Graph, reporter: Reporter) -> None:
    path = _text(conflict.path)
    later, earlier = graph.nodes[conflict.later.node], graph.nodes[conflict.earlier.node]
    reading = [touch for touch in dict.fromkeys((conflict.earlier, conflict.later)) if touch.edge]
    touched = path + "".join(f" (`{touch.node}` reads it on the edge `{touch.edge}`)" for touch in reading)
    items = f"the items of `{conflict.part.node}` count as running at once, whatever `maxConcurrency` is"
    others: list[Related] = []
    if later is earlier:
        message = f"`{later.id}` writes {touched}, and {items}"
    else:
        what = "both write" if conflict.both_write else "write and read"
        message = f"`{earlier.id}` and `{later.id}` can run at once, and {what} {touched}"
        if conflict.part.kind == "items":
            message = f"`{earlier.id}` and `{later.id}` {what} {touched}, and {items}"
        others.append(related(f"`{earlier.id}` touches {path} at the same time", earlier.at))
    others += [_where(touch) for touch in reading]
    hint = "bring the value to the join instead, and merge what arrived"
    reporter.error("state.parallel_conflict", message, later.at, hint, others)


def _where(touch: Touch) -> Related:
    """The reference on an edge that touches the state."""
    assert touch.at is not None
    place = touch.at.place()
    if isinstance(touch.at, Scalar) and touch.ref is not None:
        place = touch.at.within(touch.ref.start, touch.ref.end)
    return related(f"the edge `{touch.edge}` reads {_text(touch.path)} here, for `{touch.node}`", place)


def _text(path: tuple[str, ...]) -> str:
    return "state." + ".".join(path)
