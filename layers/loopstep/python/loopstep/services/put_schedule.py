"""Put, switch and remove schedules (ARCHITECTURE §5).

The record is the truth, a clock of the scheduler only calls: whoever is called looks whether the record still is of the
clock's generation. So the record comes first, then its clock, then the older clock goes; where this is interrupted, the
repeated request makes the clock, and an older one calls to no effect.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from loopstep.diagnostics.suggest import nearest
from loopstep.gateways.scheduler import ClockRefused
from loopstep.schedules.cron import BadExpression
from loopstep.schedules.expression import At, Expression, find_zone, parse_expression, zone_names
from loopstep.schedules.firings import firing_at
from loopstep.schedules.records import Schedule, Wanted
from loopstep.services.read_plan import find_version
from loopstep.services.refusals import Conflicting, Unfit, Unknown
from loopstep.services.scheduling import Scheduling, clock_of, timing
from loopstep.services.start_run import valid_input
from loopstep.types.text import json_text

ATTEMPTS = 24  # each lost race means that somebody else's change was stored
MAX_INPUT = 64 * 1024  # bytes


def put_schedule(scheduling: Scheduling, plan: str, id: str, wanted: Wanted, given: Any) -> tuple[Schedule, bool]:
    """The schedule that now stands, and whether there was none before. `given` is the input as data.

    Raises Unfit `schedule.invalid` and `input.invalid` with `errors`, Unknown `plan.unknown`, `plan.version_unknown`,
    Conflicting `schedule.conflict`.
    """
    running = scheduling.running
    valid_input(running, find_version(running.plans, plan, wanted.version), given)
    wanted = wanted._replace(input=json_text(given))
    _check(wanted)
    for attempt in range(1, ATTEMPTS + 1):
        before = scheduling.schedules.get(plan, id)
        if before is not None and before.wanted == wanted:
            _keep_clock(scheduling, before)
            return before, False
        now = running.now()
        made = Schedule(plan, id, wanted, running.new_id(), now, before.created_at if before else now, now)
        if _is_over(made, now):
            raise invalid([{"path": "/expression", "code": "over", "message": "It would never fire."}])
        if scheduling.schedules.put(made, before):
            _change_clock(scheduling, before, made)
            return made, before is None
        running.sleep(0.02 * attempt)
    raise Conflicting("schedule.conflict", f"Others kept changing the schedule {id} at the same time.")


def switch_schedule(scheduling: Scheduling, plan: str, id: str, enabled: bool) -> Schedule:
    """Enable or disable it. Raises Unknown `schedule.unknown`, Unfit where it would never fire, Conflicting."""
    running = scheduling.running
    for attempt in range(1, ATTEMPTS + 1):
        before = find_schedule(scheduling, plan, id)
        if before.wanted.enabled == enabled:
            _keep_clock(scheduling, before)
            return before
        now = running.now()
        wanted = before.wanted._replace(enabled=enabled)
        made = before._replace(wanted=wanted, generation=running.new_id(), anchored_at=now, updated_at=now)
        if enabled and _is_over(made, now):
            raise invalid([{"path": "/expression", "code": "over", "message": "It would never fire."}])
        if scheduling.schedules.put(made, before):
            _change_clock(scheduling, before, made)
            return made
        running.sleep(0.02 * attempt)
    raise Conflicting("schedule.conflict", f"Others kept changing the schedule {id} at the same time.")


def remove_schedule(scheduling: Scheduling, plan: str, id: str) -> None:
    """Take it out; runs that it started go on. Raises Unknown `schedule.unknown`, Conflicting."""
    for attempt in range(1, ATTEMPTS + 1):
        schedule = find_schedule(scheduling, plan, id)
        scheduling.clocks.remove(schedule.clock)
        if scheduling.schedules.remove(schedule):
            return
        scheduling.running.sleep(0.02 * attempt)
    raise Conflicting("schedule.conflict", f"Others kept changing the schedule {id} at the same time.")


def find_schedule(scheduling: Scheduling, plan: str, id: str) -> Schedule:
    """The schedule. Raises Unknown `schedule.unknown`."""
    found = scheduling.schedules.get(plan, id)
    if found is None:
        raise Unknown("schedule.unknown", f"The plan {plan} has no schedule {id}.")
    return found


def invalid(errors: list[dict[str, str]]) -> Unfit:
    """A schedule that cannot be."""
    return Unfit("schedule.invalid", "The schedule has errors.", errors=errors)


def _check(wanted: Wanted) -> None:
    errors: list[dict[str, str]] = []
    try:
        expression: Expression | None = parse_expression(wanted.expression)
    except BadExpression as bad:
        expression = None
        errors.append({"path": "/expression", "code": "expression", "message": str(bad)})
    zone = find_zone(wanted.time_zone)
    if zone is None:
        near = nearest(wanted.time_zone, sorted(zone_names()))
        hint = f"; did you mean {near}?" if near else "; it is an IANA name, such as Europe/Berlin."
        errors.append({"path": "/timeZone", "code": "zone", "message": f"There is no such time zone{hint}"})
    elif isinstance(expression, At) and firing_at(expression.wall, zone).at is None:
        errors.append({"path": "/expression", "code": "gap", "message": "The clocks skip this time in its zone."})
    if len(wanted.input.encode()) > MAX_INPUT:
        errors.append({"path": "/input", "code": "size", "message": "A schedule's input has at most 64 KiB."})
    if errors:
        raise invalid(errors)


def _is_over(schedule: Schedule, now: str) -> bool:
    return timing(schedule).next(datetime.fromisoformat(now)) is None


def _change_clock(scheduling: Scheduling, before: Schedule | None, made: Schedule) -> None:
    if made.wanted.enabled:
        _make_clock(scheduling, made)
        stands = scheduling.schedules.get(made.plan, made.id)
        if stands is None or stands.generation != made.generation:
            scheduling.clocks.remove(made.clock)  # who changed it since could not have found this clock
    if before is not None:
        scheduling.clocks.remove(before.clock)


def _keep_clock(scheduling: Scheduling, schedule: Schedule) -> None:
    """An interrupted request may have left it without its clock."""
    if schedule.wanted.enabled and not _is_over(schedule, scheduling.running.now()):
        _make_clock(scheduling, schedule)


def _make_clock(scheduling: Scheduling, schedule: Schedule) -> None:
    try:
        now = datetime.fromisoformat(scheduling.running.now())
        scheduling.clocks.make(clock_of(schedule, scheduling.zones, now))
    except ClockRefused:
        errors = [{"path": "", "code": "refused", "message": "EventBridge Scheduler does not take it."}]
        raise invalid(errors) from None
