"""What a part brings and the join cannot take: the join's error says which node of which part brought it."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_engine import Engine

from loopstep.runtime import failures
from loopstep.runtime.error_pages import ERROR_PAGES, INTERNAL

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {PARTS}}
    - {id: p, type: pass, input: {x: {type: integer, required: true}}, pass: {}}
    - {id: j, type: join, input: {x: {type: integer, required: true, maximum: 5}}, join: {fanOut: each}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: each, port: PORT}, target: {nodeId: p, port: in}, bindings: {x: {BOUND}}}
    - {id: b, source: {nodeId: p, port: completed}, target: {nodeId: j, port: in}, bindings: {x: {ref: input.x}}}
    - {id: c, source: {nodeId: j, port: completed}, target: {nodeId: done, port: in}, bindings: {}}
"""


@pytest.mark.parametrize(
    ("parts", "port", "bound", "where"),
    [("items: {value: [7]}", "item", "ref: item", "p of item 0"), ("branches: [b]", "b", "value: 7", "p of branch b")],
)
def test_the_error_names_node_and_part(memory: Any, parts: str, port: str, bound: str, where: str) -> None:
    plan = PLAN.replace("PARTS", parts).replace("PORT", port).replace("BOUND", bound)
    assert Engine(memory, plan).run({}) == "input.contract"
    error = memory.run()["error"]
    assert error["nodeId"] == "j"
    assert error["message"].startswith(f"what {where} brings: /x: ")


def test_every_code_of_the_run_time_is_reserved() -> None:
    assert {*ERROR_PAGES, *INTERNAL} == failures.CODES
