"""What a closed record says to the engine, whoever asks and however often (ARCHITECTURE §3)."""

from __future__ import annotations

from typing import Any

from loopstep.runs.records import FAILED, Activation
from loopstep.runtime.behaviour import Behaviour
from loopstep.runtime.failures import NODE_CRASHED, Failed, TimedOut
from loopstep.runtime.spec import Spec
from loopstep.runtime.token import Token


def answer(behaviour: Behaviour, token: Token, spec: Spec, record: Activation) -> dict[str, Any]:
    """Return the token that leaves a closed activation, under the asking execution's epoch.

    Raises Failed or TimedOut for a failure, unless the spec's route asks where the failure leads.
    """
    if record.status == FAILED and not spec.route:
        code = record.error.code if record.error else NODE_CRASHED
        raise (TimedOut if record.port == "timed_out" else Failed)(code, record.id)
    path = behaviour.onward_path(record.path, record.port)
    onward = Token(token.run, token.epoch, path, record.node, record.path, record.port or "", record.edge or "")
    reply = onward.to_json(record.seen)
    pause = record.until if record.wait is None else None  # how long people were asked is no Wait of the engine
    more = {} if pause is None else {"until": pause}
    return reply | more | behaviour.adds(token, spec, record)
