"""`limit.history`: what an execution may write is never more than the compiler says, and what it says is acted on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopstep.compiler.compile import compile
from loopstep.compiler.emit import emit
from loopstep.compiler.history import histories
from loopstep.compiler.limits import MAX_HISTORY_EVENTS, MUCH_HISTORY_EVENTS
from loopstep.compiler.program import Program

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for folder in ("tests/golden/plans", "tests/stack/plans", "examples", "docs/nodes/examples")
    for path in (ROOT / folder).glob("*.yaml")
)


class Walk:
    """A random way through a definition, with the events that AWS writes on it (one history, children apart)."""

    def __init__(self, program: Program, choose: random.Random) -> None:
        self._program, self._choose = program, choose
        self.children: Counter[str] = Counter()

    def run(self, definition: dict[str, Any]) -> int:
        return 2 + self._machine(definition)[0]

    def _machine(self, machine: dict[str, Any]) -> tuple[int, bool]:
        """Events, and whether it ended well."""
        events, name, rounds = 0, machine["StartAt"], Counter[str]()
        while True:
            state = machine["States"][name]
            more, following = self._state(name, state, rounds)
            events += more
            if following is None:
                return events, state["Type"] != "Fail" and state.get("End", False)
            name = following

    def _state(self, name: str, state: dict[str, Any], rounds: Counter[str]) -> tuple[int, str | None]:
        if state["Type"] == "Fail":
            return 1, None
        if state["Type"] == "Choice":
            return 2, self._chosen(name, state, rounds)
        if state["Type"] == "Task":
            return self._task(name, state, rounds)
        if state["Type"] in ("Parallel", "Map"):
            return self._region(name, state)
        return 2, state.get("Next")

    def _task(self, name: str, state: dict[str, Any], rounds: Counter[str]) -> tuple[int, str | None]:
        step = self._program.steps.get(name)
        waits = state["Resource"].endswith("waitForTaskToken")
        tries = self._choose.randint(1, step.retry.max_attempts) if step and step.retry else 1
        events = 2 + tries * (3 + waits)
        rounds[name] += 1
        catchers = state.get("Catch", [])
        if catchers and self._choose.random() < 0.2:
            return events, self._choose.choice(catchers)["Next"]
        return events, state.get("Next")

    def _chosen(self, name: str, state: dict[str, Any], rounds: Counter[str]) -> str:
        targets = [*(each["Next"] for each in state["Choices"]), state["Default"]]
        step = self._program.steps.get(name.removesuffix(".next"))
        if step is None or not step.counts:
            return str(self._choose.choice(targets))
        body = {exit_.target for exit_ in step.exits["body"]}
        again = [each for each in targets if each in body]
        if rounds[step.id] <= step.spec["loop"]["max"] and again and self._choose.random() < 0.95:
            return self._choose.choice(again)
        rounds[step.id] = 0
        left = [each for each in targets if each not in body]
        return str(self._choose.choice(left or targets))

    def _region(self, name: str, state: dict[str, Any]) -> tuple[int, str | None]:
        if state["Type"] == "Parallel":
            return 4 + sum(self._machine(each)[0] for each in state["Branches"]), state["Next"]
        processor, fan_out = state["ItemProcessor"], name.partition(".")[0]
        region = self._program.fan_outs[fan_out]
        if processor["ProcessorConfig"]["Mode"] == "DISTRIBUTED":
            for _ in range(3):
                self.children[fan_out] = max(self.children[fan_out], 2 + self._machine(processor)[0])
            return 6, state["Next"]
        items = region.max_items if region.kind == "items" else len(region.parts)
        counts = [self._machine(processor)[0] for _ in range(min(items, 20))]
        return 4 + 2 * items + sum(counts) + (items - len(counts)) * max(counts, default=0), state["Next"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_no_way_through_a_plan_writes_more(path: Path) -> None:
    program = compile(path.read_bytes()).program
    assert program is not None
    definition, most = emit(program), histories(program)
    for seed in range(60):
        walk = Walk(program, random.Random(seed))
        assert walk.run(definition) <= most.run
        assert all(events <= most.children[name] for name, events in walk.children.items())


NODES = """
    - {id: done, type: end, end: {outcome: succeeded}}
"""


def passes(count: int) -> tuple[str, str]:
    """So many nodes in a row, p1 to pn, and the edges between them."""
    nodes = "".join(f"    - {{id: p{n}, type: pass, pass: {{}}}}\n" for n in range(1, count + 1))
    between = "".join(
        f"    - {{id: e{n}, source: {{nodeId: p{n}, port: completed}}, target: {{nodeId: p{n + 1}, port: in}}}}\n"
        for n in range(1, count)
    )
    return nodes, between


def looped(count: int, rounds: int) -> str:
    nodes, between = passes(count)
    return f"""
graph:
  entry: {{nodeId: again, port: in}}
  nodes:
    - {{id: again, type: loop, loop: {{maxIterations: {rounds}}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
{nodes}  edges:
    - {{id: b, source: {{nodeId: again, port: body}}, target: {{nodeId: p1, port: in}}}}
    - {{id: n, source: {{nodeId: p{count}, port: completed}}, target: {{nodeId: again, port: next}}}}
    - {{id: c, source: {{nodeId: again, port: completed}}, target: {{nodeId: done, port: in}}}}
{between}"""


def fanned(count: int, items: int, around: str = "") -> str:
    nodes, between = passes(count)
    entry = "again" if around else "each"
    inside = f"    - {{id: again, type: loop, loop: {{maxIterations: {around}}}}}\n" if around else ""
    back = (
        "    - {id: b, source: {nodeId: again, port: body}, target: {nodeId: each, port: in}}\n"
        "    - {id: n, source: {nodeId: all, port: completed}, target: {nodeId: again, port: next}, bindings: {}}\n"
        "    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}\n"
        if around
        else "    - {id: j, source: {nodeId: all, port: completed}, target: {nodeId: done, port: in}, bindings: {}}\n"
    )
    return f"""
input: {{things: {{type: array, required: true}}}}
graph:
  entry: {{nodeId: {entry}, port: in}}
  nodes:
{inside}    - {{id: each, type: fan_out, fanOut: {{items: {{ref: plan.input.things}}, maxItems: {items}}}}}
    - {{id: all, type: join, join: {{fanOut: each}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
{nodes}  edges:
    - {{id: i, source: {{nodeId: each, port: item}}, target: {{nodeId: p1, port: in}}}}
    - {{id: o, source: {{nodeId: p{count}, port: completed}}, target: {{nodeId: all, port: in}}}}
{back}{between}"""


def said(document: str) -> list[tuple[str, str, int]]:
    return [(each.code, each.severity, each.line) for each in compile(document).diagnostics]


def test_a_row_of_nodes_is_counted_to_the_event(document: Callable[..., str]) -> None:
    nodes, between = passes(10)
    end = "    - {id: z, source: {nodeId: p10, port: completed}, target: {nodeId: done, port: in}}\n"
    plan = document(f"graph:\n  entry: {{nodeId: p1, port: in}}\n  nodes:\n{nodes}{NODES[1:]}  edges:\n{between}{end}")
    program = compile(plan).program
    assert program is not None
    closing = 6  # what `run.failed` would write on top
    assert histories(program).run == 2 + 11 * 5 + closing


@pytest.mark.parametrize(
    ("rounds", "severity"), [(731, None), (740, "warning"), (925, "warning"), (926, "error"), (1000, "error")]
)
def test_a_loop_that_runs_too_often_is_said_at_the_loop(
    document: Callable[..., str], rounds: int, severity: str | None
) -> None:
    plan = document(looped(4, rounds))
    expected = [("limit.history", severity, 6)] if severity else []
    assert said(plan) == expected
    assert (compile(plan).program is None) == (severity == "error")


def test_the_limits_are_the_ones_of_the_language() -> None:
    assert (MUCH_HISTORY_EVENTS, MAX_HISTORY_EVENTS) == (20_000, 25_000)


@pytest.mark.parametrize(("count", "items", "distributed"), [(3, 500, False), (9, 500, True), (1, 501, True)])
def test_a_large_region_over_items_becomes_a_distributed_map(
    document: Callable[..., str], count: int, items: int, distributed: bool
) -> None:
    compiled = compile(document(fanned(count, items)))
    assert compiled.diagnostics == () and compiled.program is not None
    assert compiled.program.fan_outs["each"].distributed is distributed
    states = emit(compiled.program)["States"]
    region = states["each.items"] if distributed else states["each.region"]
    assert region["ItemProcessor"]["ProcessorConfig"]["Mode"] == ("DISTRIBUTED" if distributed else "INLINE")


def test_a_region_inside_a_loop_counts_as_often_as_the_loop_runs(document: Callable[..., str]) -> None:
    small = compile(document(fanned(1, 20, "10"))).program
    large = compile(document(fanned(1, 200, "100"))).program
    assert small is not None and not small.fan_outs["each"].distributed
    assert large is not None and large.fan_outs["each"].distributed


def test_what_a_distributed_map_does_not_mend_is_said(document: Callable[..., str]) -> None:
    plan = document(fanned(1, 10, "1000"))
    assert [(code, severity) for code, severity, _ in said(plan)] == [("limit.history", "error")]


def test_a_thousand_nodes_are_counted_without_recursion(document: Callable[..., str]) -> None:
    nodes, between = passes(999)
    end = "    - {id: z, source: {nodeId: p999, port: completed}, target: {nodeId: done, port: in}}\n"
    plan = document(f"graph:\n  entry: {{nodeId: p1, port: in}}\n  nodes:\n{nodes}{NODES[1:]}  edges:\n{between}{end}")
    assert said(plan) == []
