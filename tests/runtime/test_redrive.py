"""Redrive is replay (ARCHITECTURE §3): what failed is reopened, everything complete answers with its record."""

from __future__ import annotations

import random
from typing import Any

import pytest
from runtime_engine import Engine
from runtime_world import RUN, START, Death, Dying, repeating

from loopstep.runs.errors import NothingToReopen, RunNotOpen
from loopstep.runs.records import RunEnd
from loopstep.runtime.failures import Failed
from loopstep.runtime.spec import read_json

AT = "2026-03-01T13:00:00.000Z"
HEAD = """
apiVersion: loop.plan/v1
kind: PlanVersion
output: {done: {type: boolean}}
state:
  gate: {type: string}
  count: {type: integer, required: true, default: 0}
graph:
"""

# `risky` waits until what `state.gate` says: without one, or with a text that is no time, it fails. Redrive tests open
# the gate from outside in between, as a repaired service would.
RISKY = """
    - id: risky
      type: wait
      input: {gate: {type: string, required: true}}
      wait: {until: {ref: input.gate, convert: {to: datetime}}}
"""
BOUND = "bindings: {gate: {ref: state.gate, default: closed}}"

UNHANDLED = (
    HEAD
    + f"""
  entry: {{nodeId: bump, port: in}}
  nodes:
    - id: bump
      type: set_variable
      setVariable: {{assignments: [{{state: count, value: {{expr: state.count + 1}}}}]}}
    {RISKY.strip()}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - {{id: a, source: {{nodeId: bump, port: completed}}, target: {{nodeId: risky, port: in}}, {BOUND}}}
    - {{id: b, source: {{nodeId: risky, port: completed}}, target: {{nodeId: done, port: in}}, bindings: {{}}}}
"""
)

# The failure is handled: it counts, says so, and ends the run as failed.
HANDLED = (
    HEAD
    + f"""
  entry: {{nodeId: first, port: in}}
  nodes:
    - {{id: first, type: pass, pass: {{}}}}
    {RISKY.strip()}
    - id: note
      type: set_variable
      setVariable: {{assignments: [{{state: count, value: {{expr: state.count + 1}}}}]}}
    - {{id: tell, type: send_message, sendMessage: {{scope: {{value: ops}}, text: "failed {{{{ state.count }}}}"}}}}
    - {{id: stop, type: end, end: {{outcome: failed, code: gave_up}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - {{id: a, source: {{nodeId: first, port: completed}}, target: {{nodeId: risky, port: in}}, {BOUND}}}
    - {{id: b, source: {{nodeId: risky, port: completed}}, target: {{nodeId: done, port: in}}, bindings: {{}}}}
    - {{id: c, source: {{nodeId: risky, port: failed}}, target: {{nodeId: note, port: in}}}}
    - {{id: d, source: {{nodeId: note, port: completed}}, target: {{nodeId: tell, port: in}}}}
    - {{id: e, source: {{nodeId: tell, port: completed}}, target: {{nodeId: stop, port: in}}}}
"""
)

PLANNED = (
    HEAD
    + """
  entry: {nodeId: first, port: in}
  nodes:
    - {id: first, type: pass, pass: {}}
    - {id: stop, type: end, end: {outcome: failed, code: gave_up}}
  edges:
    - {id: a, source: {nodeId: first, port: completed}, target: {nodeId: stop, port: in}}
"""
)


def region(mode: str, parts: str, failed: str = "", more: str = "", fan_out: str = "branches: [l, r]") -> str:
    """A region whose join's `failed` leads to `failed`; `parts` are its nodes, `more` its edges."""
    return (
        HEAD
        + f"""
  entry: {{nodeId: split, port: in}}
  nodes:
    - {{id: split, type: fan_out, fanOut: {{{fan_out}}}}}
    {parts.strip()}
    - {{id: both, type: join, join: {{fanOut: split, {mode}}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
    {failed and "- {id: stop, type: end, end: {outcome: failed, code: gave_up}}"}
  edges:
    {more.strip()}
    - {{id: joined, source: {{nodeId: both, port: completed}}, target: {{nodeId: done, port: in}}, bindings: {{}}}}
    {failed and "- {id: lost, source: {nodeId: both, port: failed}, target: {nodeId: stop, port: in}}"}
"""
    )


GOOD = "    - {id: good, type: pass, pass: {}}\n"
BRANCHES = f"""
    - {{id: l, source: {{nodeId: split, port: l}}, target: {{nodeId: good, port: in}}}}
    - {{id: r, source: {{nodeId: split, port: r}}, target: {{nodeId: risky, port: in}}, {BOUND}}}
    - {{id: lj, source: {{nodeId: good, port: completed}}, target: {{nodeId: both, port: in}}}}
    - {{id: rj, source: {{nodeId: risky, port: completed}}, target: {{nodeId: both, port: in}}, bindings: {{}}}}
"""
ITEMS = f"""
    - {{id: i, source: {{nodeId: split, port: item}}, target: {{nodeId: risky, port: in}}, {BOUND}}}
    - {{id: j, source: {{nodeId: risky, port: completed}}, target: {{nodeId: both, port: in}}, bindings: {{}}}}
"""
OF_ITEMS = "items: {value: [a, b, c]}"

PLANS = {
    "unhandled": UNHANDLED,
    "a failed end": HANDLED,
    "all, unhandled": region("mode: all", GOOD + RISKY, more=BRANCHES),
    "all, a failed end behind": region("mode: all", GOOD + RISKY, "x", BRANCHES),
    "any, all lost": region("mode: any", RISKY, more=ITEMS, fan_out=OF_ITEMS),
    "count, one lost": region("mode: count, count: 2", GOOD + RISKY, more=BRANCHES),
    "items, all": region("mode: all", RISKY, "x", ITEMS, OF_ITEMS),
}
CODES = {"unhandled": "binding.no_value", "a failed end": "gave_up", "any, all lost": "join.no_winner"}


def open_gate(world: Any) -> None:
    world.dynamodb.update_item(
        TableName="runs",
        Key={"run": {"S": RUN}, "sk": {"S": "state"}},
        UpdateExpression="SET f_gate = :open",
        ExpressionAttributeValues={":open": {"S": '"2001-01-01T00:00:00Z"'}},
    )


def redrive(world: Any, hook: Any = None, owner: str = "me") -> Any:
    return world.store(hook).redrive_run(RUN, AT, owner)


def outcome(world: Any) -> Any:
    """All that is recorded, without who wrote and when."""
    apart = ("startedAt", "endedAt", "tries", "attempts", "until")
    activations = [{k: v for k, v in each.items() if k not in apart} for each in world.activations()]
    return {**world.run(), "endedAt": None}, world.state(), [m["id"] for m in world.messages()], activations


@pytest.mark.parametrize("name", PLANS)
def test_a_redriven_run_ends_as_if_nothing_had_failed(world: Any, name: str) -> None:
    engine = Engine(world, PLANS[name])
    engine.run({})
    failed = world.run()
    assert failed["status"] == "failed"
    assert name not in CODES or failed["error"]["code"] == CODES[name]
    open_gate(world)
    head = redrive(world)
    assert (head.status, head.epoch, head.error, head.ended_at) == ("running", 2, None, None)
    again = world.run()
    assert (again["status"], again["error"], again["endedAt"]) == ("running", None, None)
    assert engine.execute(2) == "SUCCEEDED"
    assert world.run()["status"] == "succeeded"
    assert {each["status"] for each in world.activations()} <= {"completed"}
    world.clear()
    plain = Engine(world, PLANS[name])
    plain.start({})
    open_gate(world)
    assert plain.execute() == "SUCCEEDED"
    assert [each["id"] for each in world.activations()]


@pytest.mark.parametrize("name", PLANS)
def test_a_redriven_run_that_fails_again_can_be_redriven_again(world: Any, name: str) -> None:
    engine = Engine(world, PLANS[name])
    first = engine.run({})
    error = world.run()["error"]
    for epoch in (2, 3):
        redrive(world)
        assert engine.execute(epoch) == first
        assert (world.run()["error"], world.run()["epoch"]) == (error, epoch)
    open_gate(world)
    redrive(world)
    assert engine.execute(4) == "SUCCEEDED"


def test_what_is_complete_is_not_done_again(world: Any) -> None:
    engine = Engine(world, UNHANDLED)
    engine.run({})
    before = world.activation("bump#")
    open_gate(world)
    redrive(world)
    engine.execute(2)
    assert world.state()["count"] == 1
    assert world.activation("bump#") == before


def test_what_followed_the_failure_is_hidden_until_it_happens_again(world: Any) -> None:
    engine = Engine(world, HANDLED)
    engine.run({})
    assert [each["id"] for each in world.activations()] == ["first#", "note#", "risky#", "stop#", "tell#"]
    redrive(world)
    assert [each["id"] for each in world.activations()] == ["first#"]
    open_gate(world)
    engine.execute(2)
    assert [each["id"] for each in world.activations()] == ["done#", "first#", "risky#"]


def test_a_message_is_stored_once_however_often_its_path_is_walked(world: Any) -> None:
    engine = Engine(world, HANDLED)
    engine.run({})
    (message,) = world.messages()
    redrive(world)
    assert engine.execute(2) == "gave_up"
    assert [each["id"] for each in world.messages()] == [message["id"]]
    record = world.activation("tell#")
    assert (record["status"], [each["epoch"] for each in record["tries"]]) == ("completed", [1, 2])
    assert world.state()["count"] == 2


def test_only_the_lost_part_runs_again(world: Any) -> None:
    engine = Engine(world, PLANS["count, one lost"])
    engine.run({})
    good = world.activation("good#")
    open_gate(world)
    redrive(world)
    engine.execute(2)
    assert world.activation("good#") == good
    assert world.activation("risky#")["status"] == "completed"


@pytest.mark.parametrize("status", ["running", "succeeded", "cancelled", "created"])
def test_only_failed_and_timed_out_runs_are_redriven(world: Any, status: str) -> None:
    world.start(status="created" if status == "created" else "running")
    if status == "succeeded":
        world.invoke("end", {"id": "n"})
    if status == "cancelled":
        world.store().cancel_run(RUN, AT, "x")
    before = world.items()
    with pytest.raises(RunNotOpen) as found:
        redrive(world)
    assert found.value.status == status
    assert world.items() == before


def test_a_plan_that_ends_a_run_as_failed_would_do_so_again(world: Any) -> None:
    assert Engine(world, PLANNED).run({}) == "gave_up"
    before = world.items()
    with pytest.raises(NothingToReopen):
        redrive(world)
    assert world.items() == before


def test_where_no_edge_matched_nothing_would_change(world: Any) -> None:
    world.start()
    reply = world.invoke("pass", {"id": "n", "out": {"completed": [["e", False]]}})
    world.closer()({"token": reply})
    with pytest.raises(NothingToReopen):
        redrive(world)


def test_a_failed_end_inside_a_region_is_the_plans_own(world: Any) -> None:
    parts = GOOD + "    - {id: no, type: end, end: {outcome: failed, code: refused}}\n"
    edges = """
    - {id: l, source: {nodeId: split, port: l}, target: {nodeId: good, port: in}}
    - {id: r, source: {nodeId: split, port: r}, target: {nodeId: no, port: in}}
    - {id: lj, source: {nodeId: good, port: completed}, target: {nodeId: both, port: in}}
"""
    for mode in ("mode: all", "mode: count, count: 2"):
        world.clear()
        Engine(world, region(mode, parts, more=edges)).run({})
        assert world.run()["status"] == "failed"
        with pytest.raises(NothingToReopen):
            redrive(world)


def test_a_failed_end_inside_a_region_behind_a_failure_reopens_that(world: Any) -> None:
    parts = GOOD + RISKY + "    - {id: no, type: end, end: {outcome: failed, code: refused}}\n"
    edges = BRANCHES + "    - {id: x, source: {nodeId: risky, port: failed}, target: {nodeId: no, port: in}}\n"
    for mode in ("mode: all", "mode: count, count: 2"):
        world.clear()
        engine = Engine(world, region(mode, parts, more=edges))
        engine.run({})
        open_gate(world)
        redrive(world)
        assert engine.execute(2) == "SUCCEEDED"


NESTED = (
    HEAD
    + f"""
  entry: {{nodeId: split, port: in}}
  nodes:
    - {{id: split, type: fan_out, fanOut: {{items: {{value: [1, 2]}}}}}}
    - {{id: inner, type: fan_out, fanOut: {{branches: [l, r]}}}}
    {GOOD.strip()}
    {RISKY.strip()}
    - {{id: near, type: join, join: {{fanOut: inner, NEAR}}}}
    - {{id: far, type: join, join: {{fanOut: split, FAR}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - {{id: i, source: {{nodeId: split, port: item}}, target: {{nodeId: inner, port: in}}}}
    - {{id: l, source: {{nodeId: inner, port: l}}, target: {{nodeId: good, port: in}}}}
    - {{id: r, source: {{nodeId: inner, port: r}}, target: {{nodeId: risky, port: in}}, {BOUND}}}
    - {{id: lj, source: {{nodeId: good, port: completed}}, target: {{nodeId: near, port: in}}}}
    - {{id: rj, source: {{nodeId: risky, port: completed}}, target: {{nodeId: near, port: in}}, bindings: {{}}}}
    - {{id: nj, source: {{nodeId: near, port: completed}}, target: {{nodeId: far, port: in}}, bindings: {{}}}}
    - {{id: joined, source: {{nodeId: far, port: completed}}, target: {{nodeId: done, port: in}}, bindings: {{}}}}
"""
)


@pytest.mark.parametrize("near", ["mode: all", "mode: count, count: 2"])
@pytest.mark.parametrize("far", ["mode: all", "mode: any", "mode: count, count: 2"])
@pytest.mark.parametrize("stops", [True, False])
def test_regions_in_regions_are_reopened_from_the_inside_out(world: Any, near: str, far: str, stops: bool) -> None:
    engine = Engine(world, NESTED.replace("NEAR", near).replace("FAR", far), stops=stops)
    engine.run({})
    assert world.run()["status"] == "failed"
    redrive(world)
    engine.execute(2)
    assert world.run()["status"] == "failed"
    open_gate(world)
    redrive(world)
    assert engine.execute(3) == "SUCCEEDED"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mode", ["mode: all", "mode: any", "mode: count, count: 2", "mode: count, count: 3"])
def test_whatever_the_order_in_which_parts_fail(world: Any, mode: str, seed: int) -> None:
    """As on an engine that stops nothing and knows no names of errors: parts fail side by side, and walk on."""
    plan = region(mode, RISKY, "x", ITEMS, OF_ITEMS)
    engine = Engine(world, plan, order=random.Random(seed), stops=False, named=False)
    engine.run({})
    for epoch in (2, 3):
        assert world.run()["status"] == "failed"
        if epoch == 3:
            open_gate(world)
        redrive(world)
        engine.execute(epoch)
    assert world.run()["status"] == "succeeded"


def test_a_run_that_timed_out_goes_on_with_what_was_open(world: Any) -> None:
    engine = Engine(world, UNHANDLED)
    engine.start({})
    world.invoke("set_variable", *_bump(engine))
    world.closer()({"detail": {"name": "run-1-1", "status": "TIMED_OUT", "stateMachineArn": "arn:m"}})
    assert world.run()["status"] == "timed_out"
    open_gate(world)
    assert redrive(world).epoch_at == AT
    assert engine.execute(2) == "SUCCEEDED"
    assert world.state()["count"] == 1


def _bump(engine: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return read_json(engine.definition["States"]["bump"]["Arguments"]["Payload"]["spec"]), START


def test_a_wait_keeps_its_end(world: Any) -> None:
    world.start()
    spec = {"id": "w", "duration": "PT5M", "out": {"completed": [["e"]]}}
    until = world.invoke("wait", spec)["until"]
    with pytest.raises(Failed):
        world.invoke("pass", {"id": "n", "input": {"x": {"type": "string", "required": True}}})
    world.closer()({"token": START | {"node": "n", "port": "failed"}})
    redrive(world)
    world.pass_time(120)
    assert world.invoke("wait", spec, START | {"epoch": 2})["until"] == until


def test_what_walks_on_in_the_old_epoch_changes_nothing(world: Any) -> None:
    engine = Engine(world, UNHANDLED)
    engine.run({})
    open_gate(world)
    redrive(world)
    before = world.items()
    spec = engine.definition["States"]["risky"]["Arguments"]["Payload"]["spec"]
    with pytest.raises(Failed):
        world.function("wait")({"token": START | {"node": "bump", "edge": "a"}, "spec": spec})
    world.closer()({"token": START | {"node": "risky", "port": "failed"}})
    world.closer(keep_days=1)({"detail": {"name": "run-1-1", "status": "FAILED", "stateMachineArn": "arn:m"}})
    assert world.items() == before


def test_the_expiry_goes_from_all_items(world: Any) -> None:
    engine = Engine(world, PLANS["all, unhandled"])
    engine.run({})
    closer = world.closer(keep_days=90)
    closer({"detail": {"name": "run-1-1", "status": "FAILED", "stateMachineArn": "arn:m"}})
    assert all("expires_at" in item for item in world.items())
    head = redrive(world)
    assert head.renewing
    world.store().renew_run(head)
    assert all("expires_at" not in item for item in world.items())
    assert not world.reader().get_head(RUN).renewing
    world.store().renew_run(head)


def test_of_two_redrives_one_begins_an_epoch(world: Any) -> None:
    engine = Engine(world, PLANS["all, unhandled"])
    engine.run({})
    second: list[Any] = []

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not second:
            second.append(redrive(world, owner="other"))
        return call()

    with pytest.raises(RunNotOpen):
        redrive(world, overtaken)
    assert (second[0].epoch, world.reader().get_head(RUN).epoch) == (2, 2)
    open_gate(world)
    assert engine.execute(2) == "SUCCEEDED"


def test_a_redrive_and_a_cancel(world: Any) -> None:
    """A cancel of a failed run finds it ended; one that comes behind the redrive ends the new epoch."""
    Engine(world, UNHANDLED).run({})
    with pytest.raises(RunNotOpen):
        world.store().cancel_run(RUN, AT, "x")
    redrive(world)
    world.store().cancel_run(RUN, AT, "x")
    with pytest.raises(RunNotOpen):
        redrive(world)
    run = world.run()
    assert (run["status"], run["epoch"]) == ("cancelled", 2)


def test_one_terminal_status_an_epoch(world: Any) -> None:
    Engine(world, UNHANDLED).run({})
    first = world.reader().get_head(RUN)
    redrive(world)
    with pytest.raises(RunNotOpen):
        world.store().end_run(first, RunEnd("succeeded", AT, output={}), "late")
    assert world.run()["status"] == "running"


@pytest.mark.parametrize("name", ["a failed end", "items, all", "any, all lost"])
@pytest.mark.parametrize("most", [100, 20])
def test_a_redrive_that_dies_anywhere_is_repeated(
    world: Any, name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one transaction and in several: whatever the call, the run is failed or redriven, and asking again heals."""
    monkeypatch.setattr("loopstep.runs.redrive.MOST", most)
    Engine(world, PLANS[name]).run({})
    counting = Dying(-1, False)
    redrive(world, counting)
    expected = [{k: v for k, v in item.items() if k != "redriven_by"} for item in world.items()]
    assert counting.calls >= 5
    for at in range(counting.calls):
        for after in (False, True):
            world.clear()
            engine = Engine(world, PLANS[name])
            engine.run({})
            with pytest.raises(Death):
                redrive(world, Dying(at, after), "first")
            if world.run()["status"] == "failed":
                redrive(world, owner="second")
            found = [{k: v for k, v in item.items() if k != "redriven_by"} for item in world.items()]
            assert _comparable(found) == _comparable(expected), f"died at call {at}, {'after' if after else 'before'}"
            open_gate(world)
            assert engine.execute(2) == "SUCCEEDED"


def _comparable(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in item.items() if k not in ("owner", "attempts")} for item in items]


def test_a_lost_reply_counts_as_a_success(world: Any) -> None:
    Engine(world, HANDLED).run({})
    assert redrive(world, repeating).epoch == 2


def test_a_wide_region_is_reopened_in_several_transactions(world: Any) -> None:
    wide = region("mode: any", RISKY, "x", ITEMS, "items: {value: [" + ", ".join(map(str, range(34))) + "]}")
    engine = Engine(world, wide)
    engine.run({})
    calls: list[int] = []

    def counted(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items":
            calls.append(len(arguments["TransactItems"]))
        return call()

    redrive(world, counted)
    assert len(calls) == 2 and max(calls) <= 100
    open_gate(world)
    assert engine.execute(2) == "SUCCEEDED"
