"""The whole pipeline: acceptance cases where they are at hand, several faults at once, nothing raised, order, speed."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from loopstep.compiler.compile import compile

Faults = Callable[..., list[str]]
Document = Callable[..., str]

CASES = sorted(pathlib.Path(__file__).parents[3].glob("shared/cases/check/*.yaml"))


@pytest.mark.skipif(not CASES, reason="the acceptance cases are not beside this repository")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_acceptance_case(case: pathlib.Path, faults: Faults) -> None:
    text = case.read_text(encoding="utf-8")
    found = faults(text, whole=True)
    if "#!" in text:  # warnings beside expected errors are allowed
        found = [fault for fault in found if not fault.startswith("unexpected warning")]
    assert found == []


SMALL = """
input: {v: {type: string, required: true}}
output: {v: {type: string, required: true}}
state: {x: {type: string}}
graph:
  entry: {nodeId: keep, port: in}
  nodes:
    - {id: keep, type: set_variable, input: {v: {type: string, required: true}}, setVariable: {assignments: [{state: x, value: {ref: input.v}}]}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: kept, source: {nodeId: keep, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {ref: state.x}}}
"""


def test_a_plan_without_faults(document: Document) -> None:
    compiled = compile(document(SMALL).encode(), "order")
    assert compiled.diagnostics == () and compiled.program is not None
    assert compiled.plan is not None and compiled.plan.name == "order"
    assert [(flow.place, flow.target, flow.source) for flow in compiled.flows] == [
        ("entry", "v", "plan.input.v"),
        ("kept", "v", "state.x"),
        ("keep.assignments", "state.x", "input.v"),
    ]


def test_flows_name_both_types_and_the_conversion(document: Document) -> None:
    text = document(SMALL).replace("{ref: state.x}", "{expr: length(state.x), convert: {to: string}}")
    flow = next(flow for flow in compile(text).flows if flow.place == "kept")
    assert (flow.node, flow.target_type, flow.source_type, flow.conversion) == ("done", "string", "string", "string")


def test_errors_make_no_program(document: Document) -> None:
    compiled = compile(document(SMALL).replace("state.x", "state.y"))
    assert compiled.program is None and [d.code for d in compiled.diagnostics] == ["reference.unknown_field"]


def test_what_is_no_plan() -> None:
    for text in (b"", b"[]", b"a: [", b"\xff", b"null", b"3", b"{}"):
        compiled = compile(text)
        assert compiled.program is None and compiled.diagnostics


def test_faults_of_all_phases_at_once_in_order(faults: Faults) -> None:
    plan = """
input: {v: {type: strng}}  #! schema.invalid
output: {v: {type: string, required: true}}
state: {x: {type: string}}
graph:
  entry: {nodeId: keep, port: in, input: {}}
  nodes:
    - id: keep
      type: set_variable
      setVariable:
        assignments:
          - {state: z, value: {ref: plan.input.v}}  #! state.undeclared
          - {state: x, value: {ref: input.w}}  #! reference.unknown_field
    - {id: ask, type: send_message, sendMessage: {scope: {value: 3}, text: "{{ nope.x }} {{ state.x }}"}}  #! binding.type_mismatch #! reference.unknown_root
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: keep, port: completed}, target: {nodeId: ask, port: in}, when: state.x}  #! expr.not_boolean
    - {id: b, source: {nodeId: keep, port: completed}, target: {nodeId: ask, port: in}}
    - {id: c, source: {nodeId: ask, port: completed}, target: {nodeId: done, port: inn}}  #! graph.unknown_port #! binding.required_target
    - {id: d, source: {nodeId: ask, port: failed}, target: {nodeId: done, port: in}}  #! binding.required_target
"""
    assert faults(plan) == []


def test_diagnostics_are_the_same_every_time(document: Document) -> None:
    text = document(SMALL).replace("port: in}", "port: inn}")
    first = compile(text).diagnostics
    assert first and all(compile(text).diagnostics == first for _ in range(3))
    assert [(d.line, d.column) for d in first] == sorted((d.line, d.column) for d in first)


def test_json_documents_compile_alike(document: Document) -> None:
    yaml_program = compile(document(SMALL)).program
    data: dict[str, Any] = {
        "apiVersion": "loop.plan/v1",
        "kind": "PlanVersion",
        "input": {"v": {"type": "string", "required": True}},
        "output": {"v": {"type": "string", "required": True}},
        "state": {"x": {"type": "string"}},
        "graph": {
            "entry": {"nodeId": "keep", "port": "in"},
            "nodes": [
                {
                    "id": "keep",
                    "type": "set_variable",
                    "input": {"v": {"type": "string", "required": True}},
                    "setVariable": {"assignments": [{"state": "x", "value": {"ref": "input.v"}}]},
                },
                {"id": "done", "type": "end", "end": {"outcome": "succeeded"}},
            ],
            "edges": [
                {
                    "id": "kept",
                    "source": {"nodeId": "keep", "port": "completed"},
                    "target": {"nodeId": "done", "port": "in"},
                    "bindings": {"v": {"ref": "state.x"}},
                }
            ],
        },
    }
    json_program = compile(json.dumps(data)).program
    assert yaml_program is not None and json_program is not None
    assert [step.spec for step in yaml_program.steps.values()] == [step.spec for step in json_program.steps.values()]


def test_a_long_chain_compiles(document: Document) -> None:
    """Nothing recurses along a chain, and what is proved grows with it."""
    count = 900
    state = "".join(f"  f{i}: {{type: string}}\n" for i in range(count))
    nodes = "".join(
        f"    - {{id: n{i}, type: set_variable, setVariable: {{assignments: [{{state: f{i}, value: {{value: x}}}}]}}}}\n"
        for i in range(count)
    )
    edges = "".join(
        f"    - {{id: e{i}, source: {{nodeId: n{i}, port: completed}}, target: {{nodeId: n{i + 1}, port: in}}}}\n"
        for i in range(count - 1)
    )
    plan = (
        f"output: {{v: {{type: string, required: true}}}}\nstate:\n{state}graph:\n"
        f"  entry: {{nodeId: n0, port: in}}\n  nodes:\n{nodes}    - {{id: done, type: end, end: {{outcome: succeeded}}}}\n"
        f"  edges:\n{edges}    - {{id: last, source: {{nodeId: n{count - 1}, port: completed}}, "
        "target: {nodeId: done, port: in}, bindings: {v: {ref: state.f0}}}\n"
    )
    compiled = compile(document(plan))
    assert compiled.diagnostics == () and compiled.program is not None and len(compiled.program.steps) == count + 1
