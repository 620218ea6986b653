"""Schedules as items of the plans table and back: `schedule#<plan>`, one item an id."""

from __future__ import annotations

from typing import Any

from loopstep.schedules.records import Schedule, Wanted

Item = dict[str, Any]

KIND = "schedule"


def key(plan: str, id: str) -> Item:
    """The key of a schedule; one partition a plan, so that a list is a consistent read."""
    return {"pk": {"S": f"{KIND}#{plan}"}, "sk": {"S": id}}


def schedule_item(schedule: Schedule) -> Item:
    """The item of a schedule."""
    wanted = schedule.wanted
    optional: Item = {} if wanted.version is None else {"version": {"N": str(wanted.version)}}
    if wanted.ends_at is not None:
        optional["ends_at"] = {"S": wanted.ends_at}
    return {
        **key(schedule.plan, schedule.id),
        "expression": {"S": wanted.expression},
        "time_zone": {"S": wanted.time_zone},
        "input": {"S": wanted.input},
        "enabled": {"BOOL": wanted.enabled},
        "delete_after_completion": {"BOOL": wanted.delete_after_completion},
        "generation": {"S": schedule.generation},
        "anchored_at": {"S": schedule.anchored_at},
        "created_at": {"S": schedule.created_at},
        "updated_at": {"S": schedule.updated_at},
        **optional,
    }


def read_schedule(item: Item) -> Schedule:
    """The schedule of a stored item."""
    wanted = Wanted(
        expression=item["expression"]["S"],
        time_zone=item["time_zone"]["S"],
        input=item["input"]["S"],
        version=int(item["version"]["N"]) if "version" in item else None,
        enabled=item["enabled"]["BOOL"],
        delete_after_completion=item["delete_after_completion"]["BOOL"],
        ends_at=item["ends_at"]["S"] if "ends_at" in item else None,
    )
    return Schedule(
        plan=item["pk"]["S"].removeprefix(f"{KIND}#"),
        id=item["sk"]["S"],
        wanted=wanted,
        generation=item["generation"]["S"],
        anchored_at=item["anchored_at"]["S"],
        created_at=item["created_at"]["S"],
        updated_at=item["updated_at"]["S"],
    )
