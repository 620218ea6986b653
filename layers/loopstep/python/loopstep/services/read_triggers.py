"""Read triggers."""

from __future__ import annotations

import json
from typing import Any

from loopstep.services import paging
from loopstep.services.put_trigger import find_trigger
from loopstep.services.read_plan import find_version
from loopstep.services.triggering import Triggering
from loopstep.triggers.records import Trigger


def list_triggers(triggering: Triggering, plan: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, by id. Raises Unknown `plan.unknown`."""
    find_version(triggering.running.plans, plan)
    listing = ["triggers", plan]
    found, after = triggering.triggers.page(plan, limit, paging.take(listing, cursor, str))
    return {"items": [shown(each) for each in found], "next": paging.give(listing, after)}


def get_trigger(triggering: Triggering, plan: str, id: str) -> dict[str, Any]:
    """One trigger. Raises Unknown `trigger.unknown`."""
    return shown(find_trigger(triggering, plan, id))


def shown(trigger: Trigger) -> dict[str, Any]:
    """As the API shows it."""
    return {
        "id": trigger.id,
        "plan": trigger.plan,
        "pattern": json.loads(trigger.wanted.pattern),
        "input": json.loads(trigger.wanted.mapping),
        "version": trigger.wanted.version,
        "enabled": trigger.wanted.enabled,
        "createdAt": trigger.created_at,
        "updatedAt": trigger.updated_at,
    }
