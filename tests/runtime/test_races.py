"""Joins that take the first arrivals, and joins whose region broke: one decision, whoever comes at the same moment."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from runtime_engine import Engine
from runtime_world import RUN, Death, Dying, event, token

from loopstep.runs.records import Failure
from loopstep.runs.regions import Broken, Membership, Quorum
from loopstep.runtime.failures import Failed, Retry

ANY = [["first", 0, None, "any"]]
ALL = [["all", 0, None, "all"]]
BRINGS = {"arrives": {"in": {"n": ["ref", "input", "n"]}, "input": {"n": {"type": "integer"}}}}


def begun(world: Any, items: int = 16) -> None:
    """A run whose fan_out `each` has begun that many parts."""
    world.start(fences=True, state={"x": 0})
    spec = {"id": "each", "items": ["lit", list(range(items))], "maxItems": 500}
    assert world.invoke("fan_out", spec)["n"] == items


def part(world: Any, number: int, regions: list[Any], **more: Any) -> Any:
    """The last node of one part, whose edge leads into the join."""
    spec = {
        "id": "work",
        "input": {"n": {"type": "integer"}},
        "in": {"e": {"n": ["ref", "item"]}},
        "enter": "e",
        "fence": True,
        "regions": regions,
        "out": {"completed": [["arrives"]]},
        "to": BRINGS,
    }
    return world.invoke("pass", spec | more, token("each", "", "", str(number), ""))


def counted(world: Any, what: str, number: int, need: int, hook: Any = None) -> bool:
    """An arrival or a loss of one part; whether the race is decided then."""
    join = {"fanOut": "each", "mode": "count", "count": need}
    spec = {"id": "first", "join": join, "regions": ANY, "fence": True, what: True}
    return bool(world.function("join", hook)(event(spec, token("work", "arrives", path=str(number))))["decided"])


def slots(world: Any) -> list[int]:
    items = [each for each in world.items() if each["sk"]["S"].startswith("arr#")]
    return sorted(int(each["slot"]["N"]) for each in items if "slot" in each)


def at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """All of them from one moment on, each in a thread of its own."""
    barrier = threading.Barrier(len(acts))

    def begin(act: Callable[[], Any]) -> Any:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(begin, acts))


@pytest.mark.parametrize(("parts", "need"), [(16, 1), (16, 5), (16, 16), (40, 7)])
def test_arrivals_at_the_same_moment_take_exactly_the_slots_there_are(memory: Any, parts: int, need: int) -> None:
    begun(memory, parts)
    for number in range(parts):
        part(memory, number, ANY)
    decided = at_once([lambda number=number: counted(memory, "arrive", number, need) for number in range(parts)])
    assert slots(memory) == list(range(need))
    assert any(decided)
    assert all(counted(memory, "arrive", number, need) for number in range(parts))
    assert slots(memory) == list(range(need))


def test_arrivals_and_losses_at_the_same_moment_decide_once(memory: Any) -> None:
    begun(memory)
    for number in range(0, 16, 2):
        part(memory, number, ANY)
    at_once([lambda n=n: counted(memory, "lost" if n % 2 else "arrive", n, 8) for n in range(16)])
    assert slots(memory) == list(range(8))
    standing = memory.joins().standing(RUN, "first#")
    assert (standing.taken, standing.decided) == (8, True)


def test_losses_at_equality(memory: Any) -> None:
    begun(memory, 4)
    assert [counted(memory, "lost", number, 2) for number in range(2)] == [False, False]
    assert counted(memory, "lost", 1, 2) is False  # counted before
    assert counted(memory, "lost", 2, 2) is True


@pytest.mark.parametrize("what", ["arrive", "lost"])
def test_a_count_is_the_same_whatever_call_it_dies_at(memory: Any, what: str) -> None:
    def prepared() -> None:
        memory.clear()
        begun(memory, 3)
        part(memory, 0, ANY)

    prepared()
    calls = Dying(-1, False)
    expected = counted(memory, what, 0, 1, calls), memory.joins().standing(RUN, "first#"), slots(memory)
    for at in range(calls.calls):
        for after in (False, True):
            prepared()
            with pytest.raises(Death):
                counted(memory, what, 0, 1, Dying(at, after))
            again = counted(memory, what, 0, 1), memory.joins().standing(RUN, "first#"), slots(memory)
            assert again == expected, (at, after)


def test_nothing_of_a_loser_enters_the_run(memory: Any) -> None:
    """It had read before the decision; its commit comes after."""
    begun(memory)
    part(memory, 0, ANY)
    late = {"set": [[["x"], 1]], "state": {"x": {"type": "integer"}}, "id": "late", "fence": True, "regions": ANY}
    function: list[Any] = []

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not function:
            function.append(counted(memory, "arrive", 0, 1))
        return call()

    with pytest.raises(Failed) as refused:
        memory.function("set_variable", overtaken)(event(late, token("each", "", "", "1", "")))
    assert (refused.value.code, function) == ("join.decided", [True])
    assert memory.state() == {"x": 0}
    assert not [each for each in memory.items() if "late" in each["sk"]["S"]]
    with pytest.raises(Failed):
        part(memory, 2, ANY)


def test_the_first_failure_recorded_decides(memory: Any) -> None:
    begun(memory)
    bad = {"id": "bad", "fence": True, "regions": ALL, "input": {"m": {"type": "string", "required": True}}}

    def fail(number: int) -> Any:
        with pytest.raises(Failed) as told:
            memory.invoke("pass", bad | {"id": f"bad{number}"}, token("each", "", "", str(number), ""))
        return told.value.code

    codes = at_once([lambda number=number: fail(number) for number in range(8)])
    assert sorted(codes) == ["input.contract"] + ["join.decided"] * 7
    (failed,) = [each for each in memory.items() if each["sk"]["S"].startswith("act#bad")]
    standing = memory.joins().standing(RUN, "all#")
    assert (standing.failure.code, standing.node) == ("input.contract", failed["node"]["S"])
    with pytest.raises(Failed) as told:
        join(memory)
    assert told.value.code == "input.contract"


def join(world: Any, mode: str = "all", hook: Any = None) -> Any:
    """The join's own Task."""
    spec = {"id": "all", "join": {"fanOut": "each", "mode": mode, "merge": {"n": ["ref", "items", "n"]}}}
    output = {"n": {"type": "array"}}
    out = {"completed": [["done"]], "failed": [["caught"]]}
    return world.function("join", hook)(event(spec | {"output": output, "out": out}, token("each", "", "", "", "")))


def test_a_region_that_the_engine_left_is_decided_before_its_join_fails(memory: Any) -> None:
    begun(memory, 3)
    part(memory, 0, ALL)
    with pytest.raises(Failed) as told:
        join(memory)
    assert told.value.code == "node.crashed"
    for act in (lambda: part(memory, 1, ALL), lambda: memory.joins().end(RUN, 1, "all#", Quorum(1, 3))):
        try:
            act()
        except Failed as refused:
            assert refused.code == "join.decided"
    with pytest.raises(Failed) as again:
        join(memory)
    assert again.value.code == "node.crashed"


@pytest.mark.parametrize(("seconds", "code"), [(1, "node.crashed"), (60, "node.timeout")])
def test_a_join_closes_what_its_region_left_open(memory: Any, seconds: int, code: str) -> None:
    """A message's function died in its only attempt; the Map failed, and its Catch led to the join."""

    def prepared() -> None:
        memory.clear()
        begun(memory, 1)
        send = {"id": "say", "scope": "ops", "text": ["hi"], "fence": True, "regions": ALL, "timeout": 30}
        with pytest.raises(Death):
            memory.invoke("send_message", send, token("each", "", "", "0", ""), Dying(2, False))
        memory.pass_time(seconds)

    prepared()
    assert memory.activation("say#0")["status"] == "running"
    calls = Dying(-1, False)
    with pytest.raises(Failed) as told:
        join(memory, hook=calls)
    assert told.value.code == code
    assert memory.activation("say#0")["error"]["code"] == code
    for at in range(calls.calls):
        for after in (False, True):
            prepared()
            with pytest.raises(Death):
                join(memory, hook=Dying(at, after))
            with pytest.raises(Failed) as again:
                join(memory)
            assert (again.value.code, memory.activation("say#0")["error"]["code"]) == (code, code), (at, after)


def test_a_part_that_comes_while_its_join_ends_the_region(memory: Any) -> None:
    """The join had read too few arrivals; the last one comes before it decides: the decision stands, once."""
    begun(memory, 2)
    part(memory, 0, ALL)
    came: list[Any] = []

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not came:
            came.append(part(memory, 1, ALL)["edge"])
        return call()

    with pytest.raises(Failed) as told:
        join(memory, hook=overtaken)
    assert (told.value.code, came) == ("node.crashed", ["arrives"])
    assert memory.activation("all#")["status"] == "failed"


def test_own_repeated_steps_of_a_race(memory: Any) -> None:
    joins, member = memory.joins(), Membership("first#", "3", "count")
    begun(memory)
    first = joins.lose(RUN, 1, member, Quorum(1, 2), Failure("x", "y"))
    assert joins.lose(RUN, 1, member, Quorum(1, 2), Failure("z", "y")) == first
    assert joins.arrive(RUN, 1, member, Quorum(1, 2)) == first
    broken = Broken("all#", Failure("x", "y"), "n")
    assert joins.end(RUN, 1, "all#", broken) == joins.end(RUN, 1, "all#", broken._replace(node="m"))


def test_a_task_of_a_region_tells_no_data(memory: Any) -> None:
    """What goes wrong inside is told by a code; a message could stand in a history."""
    memory.start(fences=True)
    spec = {"id": "each", "part": "item", "out": {"item": [["e"]]}, "regions": ALL}
    for kind, at in (
        ("fan_out", spec),
        ("join", {"id": "first", "join": {"fanOut": "x", "mode": "any"}, "regions": ANY, "arrive": True}),
    ):
        with pytest.raises(Retry) as told:
            memory.invoke(kind, at, token("each", "", "", "0", ""))
        assert str(told.value).startswith("node.crashed ")


PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
input: {list: {type: array, items: {type: string}, required: true}}
output: {n: {type: integer, required: true}, last: {type: string, required: true}}
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - id: each
      type: fan_out
      input: {list: {type: array, items: {type: string}, required: true}}
      fanOut: {items: {ref: input.list}, maxConcurrency: 40, maxItems: %d}
    - {id: work, type: pass, input: {s: {type: string, required: true}}, pass: {}}
    - id: all
      type: join
      input: {s: {type: string, required: true}}
      output: {n: {type: integer, required: true}, last: {type: string, required: true}}
      join: {fanOut: each, merge: {n: {expr: length(items)}, last: {ref: "items[499].s", default: none}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: each, port: item}, target: {nodeId: work, port: in}, bindings: {s: {ref: item}}}
    - {id: b, source: {nodeId: work, port: completed}, target: {nodeId: all, port: in}}
    - {id: c, source: {nodeId: all, port: completed}, target: {nodeId: done, port: in}}
"""


@pytest.mark.parametrize("most", [500, 501])
@pytest.mark.parametrize("size", [3, 1000])
def test_five_hundred_items_each_read_their_own(memory: Any, most: int, size: int) -> None:
    """Of a long list each part reads its element alone, not the list."""
    items = [f"{number:0{size}}" for number in range(500)]
    read: list[Any] = []

    def watching(name: str, arguments: Any, call: Any) -> Any:
        if name == "get_object" and "/each%23/" in arguments["Key"]:
            read.append(arguments.get("Range"))
        return call()

    assert Engine(memory, PLAN % most, watching).run({"list": items}) == "SUCCEEDED"
    assert memory.run()["output"] == {"n": 500, "last": items[499]}
    assert None not in read
    assert len(read) == (1000 if size == 1000 else 0)
    assert json.dumps(memory.items()).count('"act#work#') == 500


def nested(depth: int) -> str:
    """Regions of one branch each, one in the other; the node inside takes at most 5."""
    need = {"n": {"type": "integer", "required": True}}
    nodes: list[Any] = [
        {"id": "work", "type": "pass", "input": {"n": {"type": "integer", "required": True, "maximum": 5}}, "pass": {}},
        {"id": "done", "type": "end", "end": {"outcome": "succeeded"}},
    ]
    ways = []
    for number in range(depth):
        nodes.append({"id": f"f{number}", "type": "fan_out", "input": need, "fanOut": {"branches": ["a"]}})
        merge = {"n": {"ref": "branches.a.n"}}
        joins = {"fanOut": f"f{number}", "merge": merge}
        nodes.append({"id": f"j{number}", "type": "join", "input": need, "output": need, "join": joins})
        ways.append((f"f{number}", "a", f"f{number + 1}" if number + 1 < depth else "work"))
        ways.append((f"j{number}", "completed", f"j{number - 1}" if number else "done"))
    ways.append(("work", "completed", f"j{depth - 1}"))
    edges = [
        {"id": f"e{at}", "source": {"nodeId": source, "port": port}, "target": {"nodeId": target, "port": "in"}}
        for at, (source, port, target) in enumerate(ways)
    ]
    graph = {"entry": {"nodeId": "f0", "port": "in"}, "nodes": nodes, "edges": edges}
    plan = {"apiVersion": "loop.plan/v1", "kind": "PlanVersion", "input": need, "output": need, "graph": graph}
    return json.dumps(plan)


@pytest.mark.parametrize(("given", "expected"), [(5, "SUCCEEDED"), (6, "input.contract")])
def test_the_deepest_nesting_fits_into_a_transaction(memory: Any, given: int, expected: str) -> None:
    """100 items at most: the checks of all regions around, the guards of the one that breaks, the records."""
    assert Engine(memory, nested(64)).run({"n": given}) == expected
    run = memory.run()
    assert run["output"] == {"n": 5} if given == 5 else run["error"]["nodeId"] == "j0"
