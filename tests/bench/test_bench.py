"""The benchmarks still run: smallest size, one round, no verdict on any time."""

from __future__ import annotations

import math
import shutil
from typing import Any

import pytest

from loopstep.compiler.compile import compile as compile_plan
from tests.bench import (
    canvas,
    chains,
    compile,
    definitions,
    drawing,
    editor,
    expressions,
    imports,
    loops,
    processes,
    regions,
    retrieval,
    sizes,
    states,
)
from tests.bench.cloud import Cloud, running
from tests.bench.figures import Figure, Measurement, Target, paired, quartiles, slopes
from tests.bench.handwritten_regions import distributed_map, inline_map, loop, parallels
from tests.bench.linear_plans import has_condition, linear_plan
from tests.bench.region_plans import items_plan, joins_plan, loop_plan
from tests.bench.sfnx_steps import sfnx_source


@pytest.mark.parametrize("nodes", [2, 10, 16, 100, 1000])
@pytest.mark.parametrize("whens", [False, True])
def test_generated_plans_compile(nodes: int, whens: bool) -> None:
    compiled = compile_plan(linear_plan(nodes, whens=whens))
    assert compiled.program is not None, compiled.diagnostics
    assert not compiled.diagnostics
    assert len(compiled.program.steps) == nodes


def test_one_condition_in_ten() -> None:
    assert sum(has_condition(n, 999) for n in range(1, 1000)) == 100
    assert linear_plan(1000).count("when:") == sfnx_source(1000).count("    if ") == 100
    assert sfnx_source(1000).count("invoke(") == 1000


def test_a_message_before_the_end() -> None:
    compiled = compile_plan(linear_plan(10, message=True))
    assert compiled.program is not None, compiled.diagnostics
    assert [step.type for step in compiled.program.steps.values()][-2:] == ["send_message", "end"]


@pytest.mark.parametrize("plan", [items_plan(500, 10), items_plan(5000, 10), joins_plan(3), loop_plan(100)])
def test_plans_of_regions_compile(plan: str) -> None:
    compiled = compile_plan(plan)
    assert compiled.program is not None, compiled.diagnostics
    assert not compiled.diagnostics


@pytest.mark.parametrize(
    "machine",
    [
        inline_map("f", 10),
        distributed_map("f", "b", 10),
        parallels("f", 2),
        parallels("f", 2, opened=False),
        loop("f", 10),
        loop("f", 10, counted=False),
    ],
)
def test_handwritten_machines_lead_on(machine: dict[str, Any]) -> None:
    states = machine["States"]
    leads = {machine["StartAt"]}
    for state in states.values():
        leads |= {state[name] for name in ("Next", "Default") if name in state}
        leads |= {each["Next"] for each in state.get("Choices", ())}
    assert leads == states.keys()


def test_figures() -> None:
    ratio = paired("ratio", [2.0, 3.0, 8.0], [1.0, 2.0, 2.0], Target("<=", 2))
    assert ratio.value == 2 and ratio.reached
    assert Figure("count", 1, "x", Target("==", 0)).reached is False
    assert Figure("count", 1, "x").reached is None
    assert slopes({1: [5.0], 11: [25.0]}, 1, 11) == [2.0]
    assert quartiles([4, 3, 2, 1]) == "2..3" and quartiles([1.0]) == ""


@pytest.mark.skipif(not shutil.which(str(processes.SCRIPTS / "sfnx")), reason="sfnx is not installed")
def test_compile_runs() -> None:
    _looks_right(compile.measure(rounds=1, sizes=(10,)))


def test_imports_run() -> None:
    _looks_right(imports.measure(rounds=1, names=imports.node_functions()[:1]))


@pytest.mark.parametrize("name", imports.node_functions())
def test_a_node_function_loads_nothing_unwanted(name: str) -> None:
    assert imports.probe(name)["unwanted"] == []


def test_expressions_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "BLOCK", 0.0)
    _looks_right(expressions.measure(rounds=1))


def test_definitions_run() -> None:
    _looks_right(definitions.measure(sizes=(10,)))


def test_sizes_run() -> None:
    _looks_right(sizes.measure())


def test_canvas_runs() -> None:
    _looks_right(canvas.measure(rounds=1, nodes=20))


def test_drawing_runs() -> None:
    _looks_right(drawing.measure(rounds=1, nodes=100))


def test_editor_runs() -> None:
    _looks_right(editor.measure(rounds=1, nodes=20))


@pytest.fixture(scope="module")
def cloud() -> Cloud:
    found = running()
    if found is None:
        pytest.skip("no local cloud runs")
    return found


@pytest.mark.stack
def test_chains_run(cloud: Cloud) -> None:
    _looks_right(chains.measure(cloud, rounds=1, sizes=(1, 5)))


@pytest.mark.stack
def test_regions_run(cloud: Cloud) -> None:
    _looks_right(regions.measure(cloud, rounds=1, inline=(1, 3), distributed=(1, 3), joins=(1, 2), large=5))


@pytest.mark.stack
def test_loops_run(cloud: Cloud) -> None:
    _looks_right(loops.measure(cloud, rounds=1, sizes=(1, 3)))


@pytest.mark.stack
def test_retrieval_runs(cloud: Cloud) -> None:
    _looks_right(retrieval.measure(cloud, rounds=1, documents=120))


@pytest.mark.stack
def test_states_run(cloud: Cloud) -> None:
    found = states.measure(cloud, nodes=3)
    _looks_right(found)
    assert found.figures[0].reached  # exact: no time in it


def _looks_right(measurement: Measurement) -> None:
    assert measurement.figures
    assert all(math.isfinite(figure.value) for figure in measurement.figures)
    assert measurement.to_json()["figures"][0]["figure"] == measurement.figures[0].name
