"""From a Program to Amazon States Language (ARCHITECTURE §2): the machine, scope by scope.

The top level is JSONPath; Task, Choice, Pass, Fail and inline Map name JSONata. A state is named by its node id; a
derived state carries a suffix after a point, which no node id has. `emit_step` writes what one node becomes,
`emit_region` what stands between a fan_out and its join.
"""

from __future__ import annotations

import json

from loopstep.compiler.emit_region import region_states
from loopstep.compiler.emit_scope import RUN_FAILED, Names, Scope, State, chain_of, led_to, placeholder
from loopstep.compiler.emit_step import close_run, step_states
from loopstep.compiler.program import Program

__all__ = ["definition_text", "emit", "placeholder"]


def emit(program: Program, names: Names = placeholder) -> State:
    """The state machine of a program, as JSON data; equal programs give equal machines.

    `names` turns a function's name into its ARN, and "values_bucket" into the bucket's name.
    """
    scope = Scope(program, names)
    start = scope.state_of(program.entry)
    states = scope_states(scope)
    if RUN_FAILED in led_to(states):
        states.update(close_run(names))
    return {"Comment": "loopstep 1", "StartAt": start, "TimeoutSeconds": program.timeout, "States": states}


def scope_states(scope: Scope) -> dict[str, State]:
    """The states of all steps that stand in one scope, in document order; then the failed ends they lead to."""
    states: dict[str, State] = {}
    for step in scope.program.steps.values():
        if chain_of(step) != scope.chain or step.fail_code is not None:
            continue
        states.update(step_states(scope, step))
        if step.id in scope.program.fan_outs:
            states.update(region_states(scope, step, scope_states))
    for name, step in scope.ends.items():
        states.update(step_states(scope, step, name))
    return states


def definition_text(definition: State) -> str:
    """Compact JSON in raw UTF-8: the bytes that are hashed, stored and sent to the engine."""
    return json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
