"""The function of node type `fan_out`: its activations, and the first Task of parts that choose among edges."""

from __future__ import annotations

from typing import Any

from loopstep.runtime.behaviours.fan_out import FanOut
from loopstep.runtime.composition import NodeFunction, run_store
from loopstep.runtime.parts import PartStarter
from loopstep.runtime.spec import read_json

_STORE = run_store()
_ACTIVATION, _PART = NodeFunction(FanOut(_STORE.values), _STORE), PartStarter(_STORE)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """`{"token", "spec"}` → the next token; a spec with `part` begins that part."""
    return _PART(event) if "part" in read_json(event["spec"]) else _ACTIVATION(event, context)
