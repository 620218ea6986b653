"""Random plans that failed, redriven: what is reopened is enough to come out otherwise, or the redrive is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_plans import Plans
from runtime_engine import Engine
from runtime_world import RUN

from loopstep.runs.errors import NothingToReopen

AT = "2026-03-01T13:00:00.000Z"
SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)
RANDOMS = st.randoms(use_true_random=False)


class Racy(Plans):
    """Plans full of regions whose joins take the first ones, and of nodes that fail."""

    def mode(self, parts: int) -> Any:
        if self.draw.random() < 0.2:
            return {"mode": "all"}
        return self.draw.choice(({"mode": "any"}, {"mode": "count", "count": self.draw.randint(1, parts)}))

    def node(self, kind: str, config: Any, place: Any) -> Any:
        node = super().node(kind, config, place)
        if kind not in ("join", "fan_out") and place.depth and self.draw.random() < 0.4:
            node["input"]["n"] = {**node["input"]["n"], "maximum": self.draw.randint(0, 9)}
        return node


def recorded(world: Any, prefix: str) -> list[dict[str, Any]]:
    return [each for each in world.items() if each["sk"]["S"].startswith(prefix)]


def assert_no_race_is_lost_already(world: Any) -> None:
    """Every race counts what stands, and one that goes on can still be won."""
    kinds = {"taken": "slot", "lost": "why"}
    counted = {kind: Counter(_join(each) for each in recorded(world, "arr#") if kinds[kind] in each) for kind in kinds}
    for race in recorded(world, "race#"):
        join = race["sk"]["S"].removeprefix("race#")
        if "need" not in race:
            continue
        taken, lost, need, total = (int(race[name]["N"]) for name in ("taken", "lost", "need", "total"))
        assert (taken, lost) == (counted["taken"][join], counted["lost"][join])
        assert "decided" in race or total - lost >= need > taken


def _join(arrival: dict[str, Any]) -> str:
    return arrival["sk"]["S"].removeprefix("arr#").rpartition("#")[0]


@SETTINGS
@given(RANDOMS, st.booleans(), st.booleans())
def test_a_redrive_leaves_every_join_a_chance_or_is_refused(
    memory: Any, draw: random.Random, stops: bool, named: bool
) -> None:
    plan = Racy(draw).plan()
    inputs = {"n": draw.randint(0, 6), "list": [draw.randint(0, 9) for _ in range(draw.randint(0, 4))]}
    memory.clear()
    engine = Engine(memory, json.dumps(plan), order=random.Random(draw.random()), stops=stops, named=named)
    engine.start(inputs)
    for epoch in (1, 2, 3):
        engine.execute(epoch)
        if memory.run()["status"] != "failed":
            return
        before = memory.items()
        try:
            memory.store().redrive_run(RUN, AT, "me")
        except NothingToReopen:
            assert memory.items() == before
            return
        assert_no_race_is_lost_already(memory)


@SETTINGS
@given(RANDOMS, st.booleans(), st.booleans())
def test_a_run_that_only_nodes_failed_succeeds_when_they_are_mended(
    memory: Any, draw: random.Random, stops: bool, named: bool
) -> None:
    """Nothing in the plan ends it as failed; the second execution is of a plan whose contracts let everything pass."""
    plan = Racy(draw).plan()
    assume(not _fails_by_itself(plan))
    for node in plan["graph"]["nodes"]:
        if node["type"] == "join":
            node["input"]["n"].pop("maximum", None)  # what a part brought is not done again
    inputs = {"n": draw.randint(0, 30), "list": [draw.randint(0, 30) for _ in range(4)]}
    memory.clear()
    order = random.Random(draw.random())
    Engine(memory, json.dumps(plan), order=order, stops=stops, named=named).run(inputs)
    assume(memory.run()["status"] == "failed")
    memory.store().redrive_run(RUN, AT, "me")
    assert_no_race_is_lost_already(memory)
    mended = Engine(memory, json.dumps(_mended(plan)), order=order, stops=stops, named=named)
    assert mended.execute(2) == "SUCCEEDED"
    assert memory.run()["status"] == "succeeded"


def _fails_by_itself(plan: dict[str, Any]) -> bool:
    """A failed end, or a completed node that no edge may take on."""
    edges = plan["graph"]["edges"]
    default = {(each["source"]["nodeId"], each["source"]["port"]) for each in edges if "when" not in each}
    ports = {(each["source"]["nodeId"], each["source"]["port"]) for each in edges if each["source"]["port"] != "failed"}
    return bool(ports - default) or any(
        node["type"] == "end" and node["end"]["outcome"] == "failed" for node in plan["graph"]["nodes"]
    )


def _mended(plan: dict[str, Any]) -> Any:
    if isinstance(plan, list):
        return [_mended(each) for each in plan]
    if not isinstance(plan, dict):
        return plan
    return {name: _mended(each) for name, each in plan.items() if name not in ("minimum", "maximum", "maxItems")}


NEEDS = """
apiVersion: loop.plan/v1
kind: PlanVersion
input: {list: {type: array, items: {type: integer}, required: true}}
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {items: {ref: plan.input.list}, maxItems: MOST}}
    - {id: tell, type: send_message, sendMessage: {scope: {value: ops}, text: hello}}
    - {id: some, type: join, join: {fanOut: each, MODE}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: each, port: item}, target: {nodeId: tell, port: in}, bindings: {}}
    - {id: b, source: {nodeId: tell, port: completed}, target: {nodeId: some, port: in}, bindings: {}}
    - {id: c, source: {nodeId: some, port: completed}, target: {nodeId: done, port: in}, bindings: {}}
"""


@pytest.mark.parametrize("most", ["500", "1000"])
@pytest.mark.parametrize(
    ("mode", "items", "said"),
    [
        ("mode: count, count: 3", 2, "2 items, 3 are needed"),
        ("mode: count, count: 3", 0, "0 items, 3 are needed"),
        ("mode: count, count: 2", 1, "1 item, 2 are needed"),
        ("mode: any", 0, "0 items, 1 is needed"),
    ],
)
def test_no_part_begins_where_the_join_can_only_fail(memory: Any, mode: str, items: int, said: str, most: str) -> None:
    """No message goes out; and no redrive brings more items."""
    engine = Engine(memory, NEEDS.replace("MODE", mode).replace("MOST", most))
    assert engine.run({"list": list(range(items))}) == "join.no_winner"
    assert (memory.messages(), memory.run()["error"]["message"]) == ([], said)
    assert [each["id"] for each in memory.activations()] == ["each#", "some#"]
    with pytest.raises(NothingToReopen):
        memory.store().redrive_run(RUN, AT, "me")


@pytest.mark.parametrize("most", ["500", "1000"])
def test_as_many_items_as_the_join_needs_all_begin(memory: Any, most: str) -> None:
    engine = Engine(memory, NEEDS.replace("MODE", "mode: count, count: 3").replace("MOST", most))
    assert engine.run({"list": [1, 2, 3]}) == "SUCCEEDED"
    assert len(memory.messages()) == 3
