"""An event has come: map it to the plan's input and start its run, once (ARCHITECTURE §5).

The id of the run comes from trigger and event id, so however often an event is delivered, it is one run. What cannot be
started is a dead letter with its reasons; nothing is retried that another try cannot mend.
"""

from __future__ import annotations

import json
from typing import Any

from loopstep.access.actor import TRIGGER, Actor
from loopstep.expressions.evaluate import NoValue, RangeFault, evaluate
from loopstep.gateways.events import SOURCE
from loopstep.runs.records import Head
from loopstep.services.refusals import Malformed, Refused, Unavailable, Unfit
from loopstep.services.start_run import StartRequest, start_once
from loopstep.services.triggering import Triggering
from loopstep.triggers.records import MAX_DEPTH, Trigger

SWITCHED_OFF = "switched off"  # the trigger was disabled or removed since the rule matched

_MESSAGES = {NoValue: "nothing came of the conversion", RangeFault: "the number is out of range"}
_TEXTS = ("id", "source", "detail-type")


def deliver(triggering: Triggering, plan: str, id: str, event: Any) -> Head | str:
    """The run's head, or SWITCHED_OFF.

    Raises Malformed `event.malformed`, Unfit `trigger.depth`, `trigger.mapping`, `input.invalid`, Unknown, Unavailable.
    """
    trigger = triggering.triggers.get(plan, id)
    if trigger is None or not trigger.wanted.enabled:
        return SWITCHED_OFF
    if not isinstance(event, dict) or not all(isinstance(event.get(name), str) and event[name] for name in _TEXTS):
        raise Malformed("event.malformed", "This is no event of EventBridge.")
    depth = _depth(event) + 1
    if depth > MAX_DEPTH:
        detail = f"Runs have started one another through events {MAX_DEPTH} times: the chain is cut here."
        raise Unfit("trigger.depth", detail)
    given = _mapped(trigger, event)
    key = f"\0event\0{id}\0{event['id']}"  # no caller's Idempotency-Key has a NUL in it
    by = Actor(TRIGGER, id)
    request = StartRequest(plan, given, trigger.wanted.version, key=key, depth=depth, by=by)
    return start_once(triggering.running, request)


def deliver_or_bury(triggering: Triggering, plan: str, id: str, event: Any) -> Head | str:
    """The same; what was refused for good goes to the dead letters, and its code is the answer."""
    try:
        return deliver(triggering, plan, id, event)
    except Unavailable:
        raise
    except Refused as refused:
        letter = {
            "kind": "event",
            "plan": plan,
            "trigger": id,
            "code": refused.code,
            "detail": refused.detail,
            "errors": refused.facts.get("errors", []),
            "failedAt": triggering.running.now(),
            "event": event,
        }
        triggering.letters.send(letter)
        return refused.code


def _depth(event: dict[str, Any]) -> int:
    """How many runs led to it. Only events of a stack's own say so."""
    detail = event.get("detail")
    said = detail.get("loopstep") if event["source"] == SOURCE and isinstance(detail, dict) else None
    depth = said.get("depth") if isinstance(said, dict) else None
    return depth if isinstance(depth, int) and not isinstance(depth, bool) and depth > 0 else 0


def _mapped(trigger: Trigger, event: dict[str, Any]) -> dict[str, Any]:
    names = {"detail-type": "detailType"}
    data = {"event": {names.get(name, name): value for name, value in event.items()}}
    given: dict[str, Any] = {}
    errors: list[dict[str, str]] = []
    for field, tree in json.loads(trigger.wanted.trees).items():
        try:
            value = evaluate(tree, data)
        except (NoValue, RangeFault) as fault:
            errors.append({"path": f"/{field}", "code": fault.code, "message": _MESSAGES[type(fault)]})
        except (TypeError, ValueError, LookupError, AttributeError):  # of a type that the expression cannot take
            errors.append({"path": f"/{field}", "code": "type", "message": "the event has not what this is made of"})
        else:
            given |= {} if value is None else {field: value}
    if errors:
        raise Unfit("trigger.mapping", "The event cannot be mapped to the plan's input.", errors=errors)
    return given
