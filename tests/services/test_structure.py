"""Where an activation stands and why it left where it did, as the compiled plan and the record tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loopstep.compiler.compile import compile
from loopstep.services.describe_structure import describe_structure
from loopstep.services.secrets import secrets_of
from loopstep.services.structure import NOTHING, choice, regions_around, shown_seen

ROOT = Path(__file__).resolve().parents[2]

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
input:
  n: {type: integer, required: true}
  pin: {type: integer, required: true, secret: true}
  name: {type: string, required: true}
  rows: {type: array, required: true, items: {type: integer}}
graph:
  entry: {nodeId: look, port: in}
  nodes:
    - {id: look, type: pass, pass: {}}
    - {id: each, type: fan_out, fanOut: {items: {ref: plan.input.rows}}}
    - {id: again, type: loop, loop: {maxIterations: 3, while: loop.index < plan.input.n}}
    - {id: one, type: pass, pass: {}}
    - {id: two, type: pass, pass: {}}
    - {id: all, type: join, join: {fanOut: each}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: bad, type: end, end: {outcome: failed, code: bad}}
  edges:
    - id: small
      source: {nodeId: look, port: completed}
      target: {nodeId: done, port: in}
      when: plan.input.n < 3 && plan.input.name == 'Ada'
    - {id: other, source: {nodeId: look, port: completed}, target: {nodeId: each, port: in}}
    - id: secret
      source: {nodeId: look, port: completed}
      target: {nodeId: done, port: in}
      when: plan.input.pin == 1234
    - {id: item, source: {nodeId: each, port: item}, target: {nodeId: again, port: in}, bindings: {}}
    - {id: body, source: {nodeId: again, port: body}, target: {nodeId: one, port: in}}
    - {id: second, source: {nodeId: one, port: completed}, target: {nodeId: two, port: in}, when: loop.iteration == 2}
    - {id: onward, source: {nodeId: one, port: completed}, target: {nodeId: again, port: next}}
    - {id: back, source: {nodeId: two, port: completed}, target: {nodeId: again, port: next}}
    - {id: left, source: {nodeId: again, port: completed}, target: {nodeId: all, port: in}}
    - {id: spent, source: {nodeId: again, port: exhausted}, target: {nodeId: bad, port: in}}
    - {id: joined, source: {nodeId: all, port: completed}, target: {nodeId: done, port: in}}
"""


def structure() -> Any:
    compiled = compile(PLAN)
    assert compiled.plan and compiled.program, [each.to_json() for each in compiled.diagnostics]
    return json.loads(json.dumps(describe_structure(compiled.plan, compiled.program, secrets_of(compiled.plan))))


def test_the_conditions_of_a_port() -> None:
    found = structure()["nodes"]["look"]
    assert found["enclosing"] == []
    assert found["ports"]["completed"]["operands"] == [
        {"text": "plan.input.n"},
        {"text": "plan.input.name == 'Ada'"},
        {"text": "plan.input.pin == 1234", "secret": True},
    ]
    assert [each[0] for each in found["ports"]["completed"]["edges"]] == ["small", "secret", "other"]


def test_why_an_edge_was_taken() -> None:
    made = choice(structure(), "look", "completed", [2, False, False])
    assert made is not None
    assert made["edges"] == [
        {"edge": "small", "when": "plan.input.n < 3 && plan.input.name == 'Ada'", "holds": False},
        {"edge": "secret", "when": "plan.input.pin == 1234", "holds": False},
        {"edge": "other", "when": None, "holds": None},
    ]
    assert made["operands"][2] == {"text": "plan.input.pin == 1234", "value": "***"}
    first = choice(structure(), "look", "completed", [2, True, None])
    assert first is not None and [each["holds"] for each in first["edges"]] == [True, None, None]


def test_what_larger_operands_read_is_shown_unless_secret() -> None:
    made = choice(structure(), "look", "completed", [2, False, False], ["Bob", 4321])
    assert made is not None
    assert made["operands"][3:] == [
        {"text": "plan.input.name", "value": "Bob"},
        {"text": "plan.input.pin", "value": "***"},
    ]
    other = choice(structure(), "look", "completed", [2, False, False], ["of another version"])
    assert other is not None and len(other["operands"]) == 3


def test_secrets_are_hidden_in_seen_as_well() -> None:
    assert shown_seen(structure(), "look", "completed", [2, False, True]) == [2, False, "***"]
    assert shown_seen(structure(), "look", "failed", None) is None
    assert shown_seen(NOTHING, "look", "completed", [1]) == [1]


def test_counters_of_a_loop_have_their_names() -> None:
    made = choice(structure(), "one", "completed", [2])
    assert made is not None
    assert made["operands"] == [{"text": "loop.iteration", "value": 2}]
    assert [each["holds"] for each in made["edges"]] == [True, None]


def test_a_loop_says_what_it_asked() -> None:
    asked = {"text": "loop.index < plan.input.n"}
    for port, holds in (("body", True), ("exhausted", True), ("completed", False)):
        made = choice(structure(), "again", port, None)
        assert made == {"port": port, "while": {**asked, "holds": holds}, "operands": [], "edges": []}
    made = choice(structure(), "again", "body", None, [7])
    assert made is not None and made["operands"] == [{"text": "plan.input.n", "value": 7}]


def test_the_regions_around() -> None:
    assert regions_around(structure(), "one", [4, 1]) == [
        {"kind": "items", "nodeId": "each", "part": "item", "index": 4},
        {"kind": "loop", "nodeId": "again", "part": "body", "index": 1},
    ]
    assert [each["nodeId"] for each in regions_around(structure(), "again", [4, 1])] == ["each"]
    assert regions_around(NOTHING, "one", [1]) == []
    assert choice(NOTHING, "one", "completed", [1]) is None


def test_operands_that_do_not_belong_together_are_not_explained() -> None:
    """A record of another shape than the plan's: nothing is said rather than something wrong."""
    assert choice(structure(), "look", "completed", [1]) is None
