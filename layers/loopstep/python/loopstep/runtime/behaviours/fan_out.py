"""`fan_out`: fixes the parts of its region; the elements stay in its record, each part reads its own (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.runs.keys import index_key
from loopstep.runs.records import Activation
from loopstep.runs.values import Values
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import INPUT_CONTRACT, TOO_MANY, NodeFailure
from loopstep.runtime.token import Token

INLINE_ITEMS = 500  # LANGUAGE §11; definitions that say nothing are distributed above


class _Config(NamedTuple):
    items: Closure | None  # None: branches
    most: int
    distributed: bool  # the engine reads the item numbers from the bucket


class FanOut(Behaviour):
    """Leaves through no port of its own: every part takes the edges of its port."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def prepare(self, data: dict[str, Any]) -> _Config:
        most = data.get("maxItems", 0)
        distributed = data.get("distributed", False) or most > INLINE_ITEMS
        return _Config(compile_tree(data["items"]) if "items" in data else None, most, distributed)

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
        if ready and config.distributed:
            numbers = ",".join(map(str, range(len(ready))))
            self._values.write({index_key(situation.head.run, len(ready)): f"[{numbers}]".encode()})
        return Effect(None, items=ready)

    def adds(self, token: Token, record: Activation) -> dict[str, Any]:
        return {} if record.item_count is None else {"items": index_key(token.run, record.item_count)}
