"""Compiled plans from start to end: whatever call any of their functions dies at, the run comes out the same."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_engine import Engine
from runtime_world import Dying, repeating

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
input:
  goal: {type: integer, required: true}
  to: {type: scope, required: true}
output: {text: {type: string, required: true}}
state:
  count: {type: integer, required: true, default: 0}
  text: {type: string, default: ""}
graph:
  entry: {nodeId: rounds, port: in}
  nodes:
    - {id: rounds, type: loop, loop: {maxIterations: 3, while: state.count < plan.input.goal}}
    - id: bump
      type: set_variable
      setVariable: {assignments: [{state: count, value: {expr: state.count + 1}}]}
    - id: say
      type: send_message
      input: {to: {type: scope, required: true}, text: {type: string, required: true}}
      sendMessage: {scope: {ref: input.to}, text: "{{ input.text }} 次 {{ state.count }}", thread: open}
      retry: {maxAttempts: 2, backoff: PT1S}
    - id: note
      type: set_variable
      input: {text: {type: string, required: true}}
      setVariable: {assignments: [{state: text, value: {ref: input.text}}]}
    - {id: pause, type: wait, wait: {duration: {value: PT1S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: too_long}}
  edges:
    - {id: body, source: {nodeId: rounds, port: body}, target: {nodeId: bump, port: in}}
    - {id: again, source: {nodeId: bump, port: completed}, target: {nodeId: rounds, port: next}}
    - id: enough
      source: {nodeId: rounds, port: completed}
      target: {nodeId: say, port: in}
      when: state.count > 0
      bindings: {to: {ref: plan.input.to}, text: {value: "{{ not a template }}"}}
    - {id: nothing, source: {nodeId: rounds, port: completed}, target: {nodeId: stop, port: in}}
    - {id: long, source: {nodeId: rounds, port: exhausted}, target: {nodeId: stop, port: in}}
    - id: said
      source: {nodeId: say, port: completed}
      target: {nodeId: note, port: in}
      bindings: {text: {ref: output.messageId}}
    - {id: noted, source: {nodeId: note, port: completed}, target: {nodeId: pause, port: in}, bindings: {}}
    - id: ended
      source: {nodeId: pause, port: completed}
      target: {nodeId: done, port: in}
      bindings: {text: {ref: state.text}}
"""


def outcome(world: Any) -> Any:
    activations = [
        {name: value for name, value in each.items() if name not in ("tries", "attempts")}
        for each in world.activations()
    ]
    return world.run(), world.state(), world.messages(), activations


def test_a_run(world: Any) -> None:
    assert Engine(world, PLAN).run({"goal": 2, "to": "ops"}) == "SUCCEEDED"
    (message,) = world.messages()
    assert message["text"] == "{{ not a template }} 次 2"
    assert world.run()["output"] == {"text": message["id"]}
    assert [each["id"] for each in world.activations()] == [
        "bump#0",
        "bump#1",
        "done#",
        "note#",
        "pause#",
        "rounds#0",
        "rounds#1",
        "rounds#2",
        "say#",
    ]


@pytest.mark.parametrize(("goal", "error"), [(0, "too_long"), (4, "too_long")])
def test_a_run_that_its_plan_fails(world: Any, goal: int, error: str) -> None:
    assert Engine(world, PLAN).run({"goal": goal, "to": "ops"}) == error
    assert (world.run()["status"], world.run()["error"]["nodeId"]) == ("failed", "stop")


def test_a_run_comes_out_the_same_whatever_call_dies(world: Any) -> None:
    count = Dying(-1, False)
    assert Engine(world, PLAN, count).run({"goal": 1, "to": "ops"}) == "SUCCEEDED"
    expected = outcome(world)
    assert count.calls == 16  # seven activations, a read and a write each, and what sending takes more
    for at in range(count.calls):
        for after in (False, True):
            world.clear()
            assert Engine(world, PLAN, Dying(at, after)).run({"goal": 1, "to": "ops"}) == "SUCCEEDED"
            assert outcome(world) == expected, f"died at call {at}, {'after' if after else 'before'} it"


def test_a_run_comes_out_the_same_when_every_reply_is_lost_once(world: Any) -> None:
    Engine(world, PLAN).run({"goal": 1, "to": "ops"})
    expected = outcome(world)
    world.clear()
    assert Engine(world, PLAN, repeating).run({"goal": 1, "to": "ops"}) == "SUCCEEDED"
    assert outcome(world) == expected
