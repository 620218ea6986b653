"""The function of node type `join`: its activations, and the Tasks that count arrivals and losses of a race."""

from __future__ import annotations

from typing import Any

from loopstep.runtime.behaviours.join import Join
from loopstep.runtime.composition import RANDOM, NodeFunction, run_joins, run_losers, run_store
from loopstep.runtime.parts import PartCounter
from loopstep.runtime.spec import read_json
from loopstep.runtime.times import system_clock

_STORE = run_store()
_JOINS = run_joins(_STORE)
_ACTIVATION = NodeFunction(Join(_JOINS, _STORE.values), _STORE)
_COUNTER = PartCounter(_STORE, _JOINS, system_clock, RANDOM, run_losers(_STORE))


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """`{"token", "spec"}` → the next token, or whether the race is decided."""
    counts = not {"arrive", "lost"}.isdisjoint(read_json(event["spec"]))
    return _COUNTER(event) if counts else _ACTIVATION(event, context)
