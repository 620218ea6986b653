"""`fan_out`: fixes the parts of its region; the elements stay in its record, each part reads its own (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.runs.keys import index_key
from loopstep.runs.records import Activation
from loopstep.runs.values import Values
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import INPUT_CONTRACT, TOO_MANY, NodeFailure
from loopstep.runtime.spec import Spec
from loopstep.runtime.token import Token

INLINE_ITEMS = 500  # LANGUAGE §11; definitions that say nothing are distributed above


class _Config(NamedTuple):
    items: Closure | None  # None: branches
    most: int
    distributed: bool  # the engine reads the item numbers from the bucket
    needed: int  # with fewer items no part begins: the join has too few anyway (LANGUAGE §8)

    def begun(self, items: int) -> int:
        """How many parts begin."""
        return items if items >= self.needed else 0


class FanOut(Behaviour):
    """Leaves through no port of its own: every part takes the edges of its port."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def prepare(self, data: dict[str, Any]) -> _Config:
        most = data.get("maxItems", 0)
        distributed = data.get("distributed", False) or most > INLINE_ITEMS
        items = compile_tree(data["items"]) if "items" in data else None
        return _Config(items, most, distributed, data.get("needs", 0))

    def ready(self, situation: Situation) -> list[Any] | None:
        config: _Config = situation.spec.config
        if config.items is None:
            return None
        items = config.items(situation.data)
        if not isinstance(items, list):
            raise NodeFailure(INPUT_CONTRACT, "the items are no array")
        if len(items) > config.most:
            raise NodeFailure(TOO_MANY, f"{len(items)} items, at most {config.most} are allowed")
        return items

    def act(self, situation: Situation, ready: list[Any] | None) -> Effect:
        config: _Config = situation.spec.config
        if ready and config.distributed and config.begun(len(ready)):
            numbers = ",".join(map(str, range(len(ready))))
            self._values.write({index_key(situation.head.run, len(ready)): f"[{numbers}]".encode()})
        return Effect(None, items=ready)

    def adds(self, token: Token, spec: Spec, record: Activation) -> dict[str, Any]:
        count = record.item_count
        if count is None:
            return {}
        return {"n": spec.config.begun(count), "items": index_key(token.run, count)}
