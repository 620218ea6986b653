"""`loop`: counts iterations and asks its `while` before each (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.runs.keys import activation_id
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.spec import Spec
from loopstep.runtime.token import Token, deeper, numbers, outer


class _Config(NamedTuple):
    most: int
    condition: Closure | None


class Loop(Behaviour):
    """One activation an arrival. The last number of its own path is the iteration that it would begin, from 0.

    An arrival by `in` at path p is p.0; one by `next` from the body of p.k is p.(k+1) and keeps the input of p.k.
    """

    def prepare(self, data: dict[str, Any]) -> _Config:
        loop = data["loop"]
        return _Config(loop["max"], compile_tree(loop["while"]) if "while" in loop else None)

    def own_path(self, token: Token, spec: Spec) -> str:
        if token.edge not in spec.next_edges:
            return deeper(token.path, 0)
        return deeper(outer(token.path), numbers(token.path)[-1] + 1)

    def earlier(self, token: Token, spec: Spec) -> str | None:
        return activation_id(spec.node, token.path) if token.edge in spec.next_edges else None

    def onward_path(self, path: str, port: str | None) -> str:
        return path if port == "body" else outer(path)

    def act(self, situation: Situation, ready: Any) -> Effect:
        config: _Config = situation.spec.config
        done = numbers(situation.path)[-1] >= config.most
        if config.condition is None:
            return Effect("completed" if done else "body")
        if config.condition(situation.data) is not True:
            return Effect("completed")
        return Effect("exhausted" if done else "body")
