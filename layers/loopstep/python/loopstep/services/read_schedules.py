"""Read schedules, and when they fire next."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from loopstep.schedules.records import Schedule
from loopstep.services import paging
from loopstep.services.put_schedule import find_schedule
from loopstep.services.read_plan import find_version
from loopstep.services.scheduling import Scheduling, timing
from loopstep.services.secrets import hide
from loopstep.services.shown_firing import shown_firing, utc_text


def list_schedules(scheduling: Scheduling, plan: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, by id. Raises Unknown `plan.unknown`."""
    find_version(scheduling.running.plans, plan)
    listing = ["schedules", plan]
    found, after = scheduling.schedules.page(plan, limit, paging.take(listing, cursor, str))
    return {"items": [shown(scheduling, each) for each in found], "next": paging.give(listing, after)}


def get_schedule(scheduling: Scheduling, plan: str, id: str) -> dict[str, Any]:
    """One schedule. Raises Unknown `schedule.unknown`."""
    return shown(scheduling, find_schedule(scheduling, plan, id))


def preview_schedule(scheduling: Scheduling, plan: str, id: str, count: int) -> dict[str, Any]:
    """`{timeZone, items: [{at, local, shift}]}`: the next firings as if it were enabled. Raises Unknown."""
    schedule = find_schedule(scheduling, plan, id)
    when = timing(schedule)
    found = when.preview(datetime.fromisoformat(scheduling.running.now()), count)
    return {"timeZone": schedule.wanted.time_zone, "items": [shown_firing(each, when.zone) for each in found]}


def shown(scheduling: Scheduling, schedule: Schedule) -> dict[str, Any]:
    """As the API shows it, secrets of its input hidden."""
    wanted, plans = schedule.wanted, scheduling.running.plans
    version = find_version(plans, schedule.plan, wanted.version)
    secrets = json.loads(plans.text(version, "secrets"))
    when = timing(schedule)
    following = when.next(datetime.fromisoformat(scheduling.running.now())) if wanted.enabled else None
    return {
        "id": schedule.id,
        "plan": schedule.plan,
        "expression": wanted.expression,
        "timeZone": wanted.time_zone,
        "input": hide(json.loads(wanted.input), secrets["input"]),
        "version": wanted.version,
        "enabled": wanted.enabled,
        "deleteAfterCompletion": wanted.delete_after_completion,
        "endsAt": wanted.ends_at,
        "nextAt": utc_text(following),
        "createdAt": schedule.created_at,
        "updatedAt": schedule.updated_at,
    }
