"""Put, switch and remove triggers (ARCHITECTURE §5).

A rule has one name for the whole life of its trigger and is changed in place, so no event falls between two rules. The
record says how an event is mapped; who was overtaken while writing both sets the rule to what the record says by then.
"""

from __future__ import annotations

from loopstep.gateways.event_rules import Rule, RuleRefused
from loopstep.services.refusals import Conflicting, Unfit, Unknown
from loopstep.services.triggering import Triggering
from loopstep.triggers.records import Trigger, Wanted, rule_name

ATTEMPTS = 24  # each lost race means that somebody else's change was stored


def put_trigger(triggering: Triggering, plan: str, id: str, wanted: Wanted) -> tuple[Trigger, bool]:
    """The trigger that now stands, and whether there was none before. `wanted` is what `read_trigger` made.

    Raises Unfit `trigger.invalid` where EventBridge refuses the pattern, Conflicting `trigger.conflict`.
    """
    for attempt in range(1, ATTEMPTS + 1):
        before = triggering.triggers.get(plan, id)
        if before is not None and before.wanted == wanted:
            _put_rule(triggering, before)
            return before, False
        if (made := _store(triggering, plan, id, wanted, before)) is not None:
            return made, before is None
        triggering.running.sleep(0.02 * attempt)
    raise Conflicting("trigger.conflict", f"Others kept changing the trigger {id} at the same time.")


def switch_trigger(triggering: Triggering, plan: str, id: str, enabled: bool) -> Trigger:
    """Enable or disable it. Raises Unknown `trigger.unknown`, Conflicting."""
    for attempt in range(1, ATTEMPTS + 1):
        before = find_trigger(triggering, plan, id)
        if before.wanted.enabled == enabled:
            _put_rule(triggering, before)
            return before
        made = _store(triggering, plan, id, before.wanted._replace(enabled=enabled), before)
        if made is not None:
            return made
        triggering.running.sleep(0.02 * attempt)
    raise Conflicting("trigger.conflict", f"Others kept changing the trigger {id} at the same time.")


def remove_trigger(triggering: Triggering, plan: str, id: str) -> None:
    """Take it out; runs that it started go on. Raises Unknown `trigger.unknown`, Conflicting."""
    for attempt in range(1, ATTEMPTS + 1):
        triggering.rules.remove(rule_name(plan, id))  # also one that an interrupted request left
        if triggering.triggers.remove(find_trigger(triggering, plan, id)):
            return
        triggering.running.sleep(0.02 * attempt)
    raise Conflicting("trigger.conflict", f"Others kept changing the trigger {id} at the same time.")


def find_trigger(triggering: Triggering, plan: str, id: str) -> Trigger:
    """The trigger. Raises Unknown `trigger.unknown`."""
    found = triggering.triggers.get(plan, id)
    if found is None:
        raise Unknown("trigger.unknown", f"The plan {plan} has no trigger {id}.")
    return found


def _store(triggering: Triggering, plan: str, id: str, wanted: Wanted, before: Trigger | None) -> Trigger | None:
    """The rule first: EventBridge may refuse it. None where another was faster."""
    running = triggering.running
    now = running.now()
    made = Trigger(plan, id, wanted, running.new_id(), before.created_at if before else now, now)
    _put_rule(triggering, made)
    if not triggering.triggers.put(made, before):
        return None
    _follow(triggering, made)
    return made


def _follow(triggering: Triggering, made: Trigger) -> None:
    for _ in range(ATTEMPTS):
        stands = triggering.triggers.get(made.plan, made.id)
        if stands is None:
            triggering.rules.remove(rule_name(made.plan, made.id))
            return
        if stands.generation == made.generation:
            return
        _put_rule(triggering, stands)
        made = stands


def _put_rule(triggering: Triggering, trigger: Trigger) -> None:
    wanted = trigger.wanted
    rule = Rule(rule_name(trigger.plan, trigger.id), wanted.pattern, wanted.enabled, trigger.plan, trigger.id)
    try:
        triggering.rules.put(rule)
    except RuleRefused:
        errors = [{"path": "/pattern", "code": "pattern", "message": "EventBridge does not take the pattern."}]
        raise Unfit("trigger.invalid", "The trigger has errors.", errors=errors) from None
