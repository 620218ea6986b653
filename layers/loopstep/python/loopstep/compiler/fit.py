"""Fits a Program into the engine: which fan_outs become Distributed Maps, and what does not fit at all.

A fan_out of up to 500 items runs inline, as long as its items fit into the execution's history beside everything else;
then the compiler puts it into a Distributed Map, whose items have histories of their own (LANGUAGE §11).
"""

from __future__ import annotations

from loopstep.compiler.history import DISTRIBUTED, Histories, histories
from loopstep.compiler.limits import (
    MAX_HISTORY_EVENTS,
    MAX_REGIONS,
    MAX_TOKEN_BYTES,
    MUCH_HISTORY_EVENTS,
)
from loopstep.compiler.program import Program
from loopstep.compiler.resolve import Graph
from loopstep.compiler.tokens import token_bytes
from loopstep.diagnostics.collector import Reporter

_HINT = "let the loop run fewer rounds, move what it repeats into a fan_out over items, or split the plan"


def fit(program: Program, graph: Graph, reporter: Reporter) -> Program | None:
    """The program with its fan_outs in place; None, and a `limit.*`, where something would not fit."""
    _report_tokens(program, graph, reporter)
    placed = _placed(program)
    found = histories(placed)
    _report("the run", found.run, found, None, graph, reporter)
    for fan_out, events in found.children.items():
        _report(f"one item of `{fan_out}`", events, found, fan_out, graph, reporter)
    return None if reporter.has_errors else placed


def _report_tokens(program: Program, graph: Graph, reporter: Reporter) -> None:
    for step in program.steps.values():
        place = graph.nodes[step.id].at
        if len(step.enclosing) > MAX_REGIONS:
            message = f"`{step.id}` stands inside {len(step.enclosing)} loops and fan_outs, at most {MAX_REGIONS} nest"
            reporter.error("limit.depth", message, place, "split the plan")
        elif (size := token_bytes(program, step)) > MAX_TOKEN_BYTES:
            message = f"the conditions behind `{step.id}` read too much: {size:,} bytes, at most {MAX_TOKEN_BYTES:,}"
            reporter.error("limit.state_size", message, place, "decide by several nodes, each with fewer edges")


def _placed(program: Program) -> Program:
    """Inline as long as that fits; then one fan_out after the other distributed, the one with most events first."""
    first = histories(program)
    if _most(first) < MUCH_HISTORY_EVENTS:
        return program
    inline = [name for name, region in program.fan_outs.items() if region.kind == "items" and not region.distributed]
    weights = {name: first.regions.get(name, 0) * _times(program, name) for name in inline}
    placed = program
    for name in sorted(inline, key=lambda each: -weights[each]):
        if first.regions.get(name, 0) <= DISTRIBUTED:
            continue
        moved = placed.fan_outs[name]._replace(distributed=True)
        placed = placed._replace(fan_outs={**placed.fan_outs, name: moved})
        if _most(histories(placed)) < MUCH_HISTORY_EVENTS:
            return placed
    if _most(first) < MAX_HISTORY_EVENTS or _most(histories(placed)) >= MAX_HISTORY_EVENTS:
        return program  # nothing is won
    return placed


def _most(found: Histories) -> int:
    return max(found.run, *found.children.values(), 0)


def _times(program: Program, name: str) -> int:
    """How often a node may run in one execution."""
    times = 1
    for each in program.steps[name].enclosing:
        if each.kind == "loop":
            times *= program.steps[each.node].spec["loop"]["max"]
        elif each.kind == "items":
            times *= 1 if program.fan_outs[each.node].distributed else program.fan_outs[each.node].max_items
    return times


def _report(what: str, events: int, found: Histories, child: str | None, graph: Graph, reporter: Reporter) -> None:
    if events < MUCH_HISTORY_EVENTS:
        return
    place = graph.nodes[_heaviest(found, child, graph)]
    message = (
        f"{what} may write {events:,} history events, most of them at `{place.id}`; "
        f"an execution has room for {MAX_HISTORY_EVENTS:,}"
    )
    report = reporter.error if events >= MAX_HISTORY_EVENTS else reporter.warning
    report("limit.history", message, place.at, _HINT)


def _heaviest(found: Histories, child: str | None, graph: Graph) -> str:
    """The loop with most events, else the fan_out that repeats them."""
    if child is None:
        nodes = {**found.regions, **found.loops}
    else:
        nodes = {name: events for name, events in found.loops.items() if events < found.children[child]}
    assert graph.entry is not None
    return max(nodes, key=lambda name: nodes[name], default=child or graph.entry.id)
