"""`set_variable`: the only writer of state (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import STATE_CONTRACT, NodeFailure, sentences
from loopstep.runtime.faults import Faults
from loopstep.types.conform import conform
from loopstep.types.schema import Schema


class _Config(NamedTuple):
    assignments: tuple[tuple[tuple[str, ...], Closure], ...]
    contract: dict[str, Schema]


class SetVariable(Behaviour):
    """All assignments read the state as it was; the new values are committed together, or none of them."""

    def prepare(self, data: dict[str, Any]) -> _Config:
        return _Config(
            tuple((tuple(path), compile_tree(tree)) for path, tree in data["set"]),
            {name: Schema.from_json(schema) for name, schema in data["state"].items()},
        )

    def state_read(self, data: dict[str, Any]) -> frozenset[str]:
        """A field of which a part is assigned keeps its other parts."""
        return frozenset(path[0] for path, _ in data["set"] if len(path) > 1)

    def act(self, situation: Situation, ready: Any) -> Effect:
        config: _Config = situation.spec.config
        assigned = []
        for path, value in config.assignments:
            with Faults(shown=f"state.{'.'.join(path)}"):
                assigned.append((path, value(situation.data)))
        fields: dict[str, Any] = {}
        for path, value in assigned:
            if value is not None:  # an absent source leaves its target as it was
                before = fields.get(path[0], situation.data["state"].get(path[0]))
                fields[path[0]] = _with(before, path[1:], value)
        return Effect("completed", state=_conforming(fields, config.contract))


def _with(before: Any, path: tuple[str, ...], value: Any) -> Any:
    """The value with its part at `path` replaced; objects on the way that are absent are created."""
    if not path:
        return value
    whole = before if isinstance(before, dict) else {}
    return {**whole, path[0]: _with(whole.get(path[0]), path[1:], value)}


def _conforming(fields: dict[str, Any], contract: dict[str, Schema]) -> dict[str, Any]:
    """The new values as the state's contract has them: the fields not assigned satisfy it already."""
    new = {}
    problems = []
    for name, value in fields.items():
        new[name], found = conform(value, contract[name], "/" + name)
        problems += found
    if problems:
        raise NodeFailure(STATE_CONTRACT, sentences(problems))
    return new
