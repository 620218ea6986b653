"""Answer a callback: once, with an output that satisfies its contract, or with an error (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any

from loopstep.access.actor import Actor
from loopstep.runs.records import Failure
from loopstep.runs.waits import CALLBACK, COMPLETED, FAILED
from loopstep.runtime.behaviour import Effect
from loopstep.runtime.failures import CODES, RESERVED
from loopstep.runtime.settling import Outcome
from loopstep.services.answering import find_wait, refuse_closed, settle
from loopstep.services.refusals import Unfit
from loopstep.services.running import Running
from loopstep.services.showing import Item
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema


def complete_callback(running: Running, identity: str, output: Any, caller: Actor | None = None) -> Item:
    """The answered callback; a bad output changes nothing, and the run keeps waiting.

    Raises Unknown `callback.unknown`, Unfit `output.invalid` with `errors`, Conflicting `callback.answered` with the
    answer that stands, Gone `callback.over`.
    """
    wait = find_wait(running, CALLBACK, identity)
    refuse_closed(running, wait)
    contract = {name: Schema.from_json(schema) for name, schema in (wait.output or {}).items()}
    values = _fitting(output, contract)
    thread = {"messageId": wait.message, "threadId": wait.message} if wait.thread else {}
    effect = Effect("completed", output=values | thread)
    return settle(running, wait, Outcome(COMPLETED, effect, values, caller=caller))


def fail_callback(running: Running, identity: str, code: str, message: str, caller: Actor | None = None) -> Item:
    """The callback, answered with an error: the node leaves through `failed` with that code.

    Raises as above; `output.invalid` for a code that says what only the engine or the run time can.
    """
    wait = find_wait(running, CALLBACK, identity)
    refuse_closed(running, wait)
    if code in CODES or code.startswith(RESERVED):
        message = f"{code} is a code of the run time; an error brings one of its own."
        raise _invalid([{"path": "/error/code", "code": "reserved", "message": message}])
    given = {"code": code, "message": message}
    return settle(running, wait, Outcome(FAILED, Failure(code, message), given, caller=caller))


def _fitting(output: Any, contract: dict[str, Schema]) -> dict[str, Any]:
    if not isinstance(output, dict):
        raise _invalid([{"path": "", "code": "type", "message": "The output must be an object."}])
    values, problems = conform_fields(output, contract)
    if problems:
        raise _invalid([{"path": each.path, "code": each.code, "message": each.message} for each in problems])
    return values


def _invalid(errors: list[dict[str, str]]) -> Unfit:
    return Unfit("output.invalid", "The answer does not satisfy the callback's contract.", errors=errors)
