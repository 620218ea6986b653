"""Schedules over a stack in moto: recorded, made, fired once a slot; where it is interrupted, a repeated call mends."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from loopstep.gateways.scheduler import SLOT
from loopstep.schedules.records import Schedule, Wanted
from loopstep.services.fire_schedule import NOT_DUE, SUPERSEDED, Call, fire
from loopstep.services.put_schedule import put_schedule, remove_schedule, switch_schedule
from loopstep.services.read_schedules import get_schedule, list_schedules, preview_schedule
from loopstep.services.refusals import Unfit, Unknown

INPUT = {"request": {"type": "string", "required": True}, "token": {"type": "string", "secret": True}}
HIDDEN = {"input": [["token"]], "output": [], "state": [], "nodes": {}}
DAILY = Wanted("cron(0 9 * * ? *)", "Europe/Berlin", "", None, True, False, None)


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(input=INPUT, secrets=HIDDEN)
    return aws


def put(stack: Any, wanted: Wanted = DAILY, given: Any = None, zones: bool = True, id: str = "s") -> Schedule:
    given = {"request": "x"} if given is None else given
    return put_schedule(stack.scheduling(zones=zones), "p", id, wanted, given)[0]


def clocks(stack: Any) -> list[dict[str, Any]]:
    names = [each["Name"] for each in stack.scheduler.list_schedules(GroupName="s")["Schedules"]]
    return [stack.scheduler.get_schedule(Name=name, GroupName="s") for name in names]


def call(schedule: Schedule, slot: str = SLOT) -> Call:
    return Call(schedule.plan, schedule.id, schedule.generation, slot)


def test_a_schedule_has_one_clock_in_its_zone(plan: Any) -> None:
    made = put(plan)
    (clock,) = clocks(plan)
    assert (clock["ScheduleExpression"], clock["ScheduleExpressionTimezone"]) == ("cron(0 9 * * ? *)", "Europe/Berlin")
    assert clock["ActionAfterCompletion"] == "NONE" and clock["Target"]["DeadLetterConfig"]
    assert json.loads(clock["Target"]["Input"]) == {
        "plan": "p", "schedule": "s", "generation": made.generation, "slot": SLOT,
    }  # fmt: skip
    assert put(plan) == made and len(clocks(plan)) == 1  # unchanged


def test_a_change_is_a_new_clock_and_the_old_one_has_nothing_to_say(plan: Any) -> None:
    old = put(plan)
    new = put(plan, DAILY._replace(expression="rate(5 minutes)"), {"request": "y"})
    (clock,) = clocks(plan)
    assert clock["Name"] == new.clock != old.clock and clock["ScheduleExpression"] == "rate(5 minutes)"
    assert clock["StartDate"].isoformat() > new.anchored_at[:19]
    assert fire(plan.scheduling(), call(old, "2026-01-01T08:00:00Z")) == SUPERSEDED
    assert plan.executions() == []


def test_one_slot_three_times_is_one_run(plan: Any) -> None:
    made = put(plan)
    heads = [fire(plan.scheduling(), call(made, "2026-01-02T08:00:00Z")) for _ in range(3)]
    assert len({head.run for head in heads}) == 1 and len(plan.executions()) == 1
    other = fire(plan.scheduling(), call(made, "2026-01-03T08:00:00Z"))
    assert other.run != heads[0].run and len(plan.executions()) == 2
    changed = put(plan, given={"request": "y"})
    again = fire(plan.scheduling(), call(changed, "2026-01-03T08:00:00Z"))
    assert again.run == other.run  # the slot had its run, whatever was changed since


def test_one_slot_three_times_at_once_is_one_run(plan: Any) -> None:
    slot = call(put(plan), "2026-01-02T08:00:00Z")
    with ThreadPoolExecutor(3) as pool:
        runs = {each.run for each in pool.map(lambda _: fire(plan.scheduling(), slot), range(3))}
    assert len(runs) == 1 == len(plan.executions())


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_firing_dies_the_next_one_is_its_run(plan: Any, after: bool) -> None:
    made = put(plan)
    counting = plan.crash()
    fire(counting.scheduling(), call(made, "2026-01-01T08:00:00Z"))
    calls = len(counting.crashing.calls)
    assert calls >= 4
    for at in range(1, calls + 1):
        slot = call(made, f"2026-02-{at:02d}T08:00:00Z")
        with pytest.raises(BaseException, match=str(counting.crashing.calls[at - 1])):
            fire(plan.crash(at, after).scheduling(), slot)
        runs = {fire(plan.scheduling(), slot).run for _ in range(2)}
        assert len(runs) == 1 and len(plan.executions()) == at + 1


def test_without_zones_the_clock_ticks_and_only_what_is_due_starts(plan: Any) -> None:
    made = put(plan, DAILY._replace(expression="cron(30 1 * * ? *)", time_zone="Asia/Kathmandu"), zones=False)
    (clock,) = clocks(plan)
    assert clock["ScheduleExpression"] == "cron(45 * * * ? *)" and clock["ScheduleExpressionTimezone"] == "UTC"
    plan.now = lambda: "2026-01-01T18:45:08.000Z"
    assert fire(plan.scheduling(zones=False), call(made)) == NOT_DUE
    found = []
    for second in ("02", "31", "59"):
        plan.now = lambda second=second: f"2026-01-01T19:45:{second}.000Z"
        found.append(fire(plan.scheduling(zones=False), call(made)).run)
    assert len(set(found)) == 1 and len(plan.executions()) == 1


def test_once_and_then_gone(plan: Any) -> None:
    once = DAILY._replace(expression="at(2026-03-01T10:00:00)", delete_after_completion=True)
    made = put(plan, once, zones=False)
    (clock,) = clocks(plan)
    assert (clock["ScheduleExpression"], clock["ActionAfterCompletion"]) == ("at(2026-03-01T09:00:00)", "DELETE")
    plan.now = lambda: "2026-03-01T09:00:09.000Z"
    assert fire(plan.scheduling(zones=False), call(made)).status == "running"
    assert fire(plan.scheduling(zones=False), call(made)) == SUPERSEDED
    with pytest.raises(Unknown):
        get_schedule(plan.scheduling(), "p", "s")
    assert len(plan.executions()) == 1


def test_disabled_it_has_no_clock(plan: Any) -> None:
    made = put(plan)
    stopped = switch_schedule(plan.scheduling(), "p", "s", False)
    assert clocks(plan) == [] and not stopped.wanted.enabled
    assert get_schedule(plan.scheduling(), "p", "s")["nextAt"] is None
    assert fire(plan.scheduling(), call(made, "2026-01-02T08:00:00Z")) == SUPERSEDED
    assert switch_schedule(plan.scheduling(), "p", "s", True).wanted == made.wanted
    assert len(clocks(plan)) == 1
    assert switch_schedule(plan.scheduling(), "p", "s", True).generation != made.generation


def test_removed_it_has_no_clock(plan: Any) -> None:
    made = put(plan)
    remove_schedule(plan.scheduling(), "p", "s")
    assert clocks(plan) == [] and fire(plan.scheduling(), call(made, "2026-01-02T08:00:00Z")) == SUPERSEDED
    for act in (
        lambda: remove_schedule(plan.scheduling(), "p", "s"),
        lambda: get_schedule(plan.scheduling(), "p", "s"),
    ):
        with pytest.raises(Unknown) as refused:
            act()
        assert refused.value.code == "schedule.unknown"


@pytest.mark.parametrize(
    ("changes", "given", "code", "paths"),
    [
        ({"expression": "cron(0 9)"}, {"request": "x"}, "schedule.invalid", ["/expression"]),
        ({"time_zone": "Europe/Berlim"}, {"request": "x"}, "schedule.invalid", ["/timeZone"]),
        ({"expression": "x", "time_zone": "y"}, {"request": "x"}, "schedule.invalid", ["/expression", "/timeZone"]),
        ({"expression": "at(2027-03-28T02:30:00)"}, {"request": "x"}, "schedule.invalid", ["/expression"]),
        ({"expression": "at(2025-03-28T02:30:00)"}, {"request": "x"}, "schedule.invalid", ["/expression"]),
        ({"ends_at": "2025-01-01T00:00:00Z"}, {"request": "x"}, "schedule.invalid", ["/expression"]),
        ({}, {"request": "x" * 70_000}, "schedule.invalid", ["/input"]),
        ({}, {}, "input.invalid", ["/request"]),
        ({}, {"request": 1, "other": 2}, "input.invalid", ["/request", "/other"]),
    ],
)
def test_what_is_refused_is_not_there(plan: Any, changes: Any, given: Any, code: str, paths: list[str]) -> None:
    with pytest.raises(Unfit) as refused:
        put(plan, DAILY._replace(**changes), given)
    assert refused.value.code == code and [each["path"] for each in refused.value.facts["errors"]] == paths
    assert plan.scheduling().schedules.page("p", 10) == ([], None) and clocks(plan) == []


def test_a_wrong_zone_names_the_nearest(plan: Any) -> None:
    with pytest.raises(Unfit) as refused:
        put(plan, DAILY._replace(time_zone="Europe/Berlim"))
    assert "did you mean Europe/Berlin?" in refused.value.facts["errors"][0]["message"]


def test_unknown_plans_and_versions(plan: Any) -> None:
    for name, version in (("q", None), ("p", 2)):
        with pytest.raises(Unknown):
            put_schedule(plan.scheduling(), name, "s", DAILY._replace(version=version), {"request": "x"})
    with pytest.raises(Unknown):
        list_schedules(plan.scheduling(), "q", 10, None)


def test_a_version_can_be_pinned(plan: Any) -> None:
    made = put(plan, DAILY._replace(version=1))
    plan.store_version(input={})
    assert fire(plan.scheduling(), call(made, "2026-01-02T08:00:00Z")).version == 1


def test_an_input_that_the_newest_version_refuses_starts_nothing(plan: Any) -> None:
    made = put(plan)
    plan.store_version(input={})
    with pytest.raises(Unfit):
        fire(plan.scheduling(), call(made, "2026-01-02T08:00:00Z"))
    assert plan.executions() == []


def test_what_is_shown(plan: Any) -> None:
    put(plan, given={"request": "x", "token": "canary"})
    shown = get_schedule(plan.scheduling(), "p", "s")
    assert shown["input"] == {"request": "x", "token": "***"} and shown["nextAt"] == "2026-01-01T08:00:00Z"
    for id in ("a", "z"):
        put(plan, id=id)
    page = list_schedules(plan.scheduling(), "p", 2, None)
    assert [each["id"] for each in page["items"]] == ["a", "s"] and "canary" not in json.dumps(page)
    assert [each["id"] for each in list_schedules(plan.scheduling(), "p", 2, page["next"])["items"]] == ["z"]
    plan.now = lambda: "2026-03-28T08:30:00.000Z"
    assert preview_schedule(plan.scheduling(), "p", "s", 1) == {
        "timeZone": "Europe/Berlin",
        "items": [{"at": "2026-03-29T07:00:00Z", "local": "2026-03-29T09:00:00+02:00", "shift": None}],
    }


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_change_dies_a_repeated_call_mends_it(plan: Any, after: bool) -> None:
    put(plan, id="count")
    counting = plan.crash()
    put(counting, DAILY._replace(expression="cron(0 8 * * ? *)"), id="count")
    calls = len(counting.crashing.calls)
    assert calls >= 5
    for at in range(1, calls + 1):
        id = f"dies_{at}_{after}"
        put(plan, id=id)
        wanted = DAILY._replace(expression=f"cron({at} 8 * * ? *)")
        with pytest.raises(BaseException, match=counting.crashing.calls[at - 1]):
            put(plan.crash(at, after), wanted, id=id)
        made = put(plan, wanted, id=id)
        assert made.clock in [each["Name"] for each in clocks(plan)]
        assert fire(plan.scheduling(), call(made, "2026-01-02T08:00:00Z")).status == "running"


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_removal_dies_a_repeated_call_mends_it(plan: Any, after: bool) -> None:
    put(plan)
    counting = plan.crash()
    remove_schedule(counting.scheduling(), "p", "s")
    for at in range(1, len(counting.crashing.calls) + 1):
        put(plan)
        with pytest.raises(BaseException, match=counting.crashing.calls[at - 1]):
            remove_schedule(plan.crash(at, after).scheduling(), "p", "s")
        if plan.scheduling().schedules.get("p", "s") is not None:
            remove_schedule(plan.scheduling(), "p", "s")
        assert clocks(plan) == []


def test_the_name_of_a_clock_fits() -> None:
    wanted = DAILY
    long = Schedule("p" * 63, "s" * 63, wanted, "g" * 32, "", "", "")
    assert len(long.clock) <= 64 and long.clock != long._replace(generation="h").clock
