"""Random plans come out as the reference interpreter says, and the same in every order that the parts may take."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_plans import Plans
from reference import Reference
from runtime_engine import Engine
from runtime_world import Dying

from loopstep.runs import keys
from loopstep.runs.values import decode

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
RANDOMS = st.randoms(use_true_random=False)


def drawn(draw: random.Random, **kinds: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """A plan and an input for it."""
    plan = Plans(draw, **kinds).plan()
    return plan, {"n": draw.randint(0, 6), "list": [draw.randint(0, 9) for _ in range(draw.randint(0, 4))]}


def recorded(world: Any, prefix: str) -> list[dict[str, Any]]:
    """The run's items of one kind."""
    return [each for each in world.items() if each["sk"]["S"].startswith(prefix)]


def assert_same(world: Any, expected: Reference) -> None:
    run = world.run()
    error = run["error"] and run["error"]["code"]
    assert (run["status"], error, run["output"]) == (expected.status, expected.code, expected.output)
    values = world.store().values
    sent = Counter((each["scope"]["S"], values.read(decode(each["text"]))) for each in recorded(world, keys.MESSAGE))
    assert sent == Counter(expected.messages)
    assert world.state() == expected.state


@SETTINGS
@given(RANDOMS)
def test_a_run_is_what_the_document_says(memory: Any, draw: random.Random) -> None:
    plan, inputs = drawn(draw)
    expected = Reference(plan, inputs).run()
    memory.clear()
    outcome = Engine(memory, json.dumps(plan)).run(inputs)
    assert (outcome == "SUCCEEDED") is (expected.status == "succeeded")
    assert_same(memory, expected)
    assert Counter(each["node"]["S"] for each in recorded(memory, keys.ACTIVATION)) == Counter(expected.activations)


@SETTINGS
@given(RANDOMS, st.booleans(), st.booleans())
def test_the_order_of_the_parts_does_not_count(memory: Any, draw: random.Random, stops: bool, named: bool) -> None:
    """Where nothing in a region fails and no join takes the first ones, an engine may take any order."""
    plan, inputs = drawn(draw, races=False, failures=False)
    expected = Reference(plan, inputs).run()
    assert not expected.racy
    memory.clear()
    Engine(memory, json.dumps(plan), order=random.Random(draw.random()), stops=stops, named=named).run(inputs)
    assert_same(memory, expected)


@SETTINGS
@given(RANDOMS, st.booleans(), st.booleans())
def test_races_come_to_one_outcome_that_stands(memory: Any, draw: random.Random, stops: bool, named: bool) -> None:
    """In any order the run ends, and another execution over the same records finds what the first one left."""
    plan, inputs = drawn(draw)
    memory.clear()
    engine = Engine(memory, json.dumps(plan), order=random.Random(draw.random()), stops=stops, named=named)
    outcome = engine.run(inputs)
    run, records = memory.run(), memory.items()
    assert (run["status"] == "succeeded") is (outcome == "SUCCEEDED")
    assert run["status"] in ("succeeded", "failed")
    if run["status"] == "failed":
        assert run["error"]["code"] == outcome
    winners = [each for each in recorded(memory, "arr#") if "slot" in each]
    joins = {node["id"]: node["join"] for node in plan["graph"]["nodes"] if node["type"] == "join"}
    taken = Counter(each["sk"]["S"].split("#", 1)[1].rpartition("#")[0] for each in winners)
    for race, count in taken.items():
        config = joins[race.partition("#")[0]]
        assert count <= {"any": 1, "count": config.get("count")}[config["mode"]]
    engine.execute()
    assert memory.items() == records


@pytest.mark.parametrize("seed", range(3))
def test_a_random_plan_comes_out_the_same_whatever_call_dies(memory: Any, seed: int) -> None:
    """Twenty calls of the run, each dies once, before it or after."""
    plan, inputs = drawn(random.Random(1000 + seed), failures=False)
    expected = Reference(plan, inputs).run()
    count = Dying(-1, False)
    Engine(memory, json.dumps(plan), count).run(inputs)
    for at in random.Random(seed).sample(range(count.calls), min(20, count.calls)):
        memory.clear()
        Engine(memory, json.dumps(plan), Dying(at, at % 2 == 0)).run(inputs)
        assert_same(memory, expected)
