"""Two plans without errors, compared (docs/pipeline.md): pure, and equal plans give nothing."""

from __future__ import annotations

from collections.abc import Iterator

from loopstep.comparing.change import CHANGED, INPUT, OUTPUT, PLAN, STATE, Change, Comparison
from loopstep.comparing.contracts import kept, received, sent
from loopstep.comparing.graphs import compare_edges, compare_nodes
from loopstep.comparing.said import said
from loopstep.compiler.model import Plan


def compare(before: Plan, after: Plan) -> Comparison:
    """Every difference that means something: not the order of keys, comments, or how a value is written."""
    nodes, renamed = compare_nodes(before, after)
    return Comparison((
        *sent(INPUT, "input", before.input, after.input),
        *received(OUTPUT, "output", before.output, after.output),
        *nodes,
        *compare_edges(before, after, renamed),
        *kept(STATE, "state", before.state, after.state),
        *_plan(before, after, renamed),
    ))  # fmt: skip


def _plan(before: Plan, after: Plan, renamed: dict[str, str]) -> Iterator[Change]:
    assert before.entry is not None and after.entry is not None
    for name in ("title", "description", "timeout"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield Change(PLAN, CHANGED, name, old, new)
    start = renamed.get(before.entry.node, before.entry.node)
    for name, old, new in (
        ("entry.nodeId", start, after.entry.node),
        ("entry.port", before.entry.port, after.entry.port),
        ("entry.input", said(before.entry.bindings), said(after.entry.bindings)),
    ):
        if old != new:
            yield Change(PLAN, CHANGED, name, old, new)
