"""The table in memory answers as moto's does: whole runs leave the same items in both."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from random_plans import Plans
from runtime_engine import Engine
from runtime_world import repeating

CASES = Path(__file__).parents[1] / "conformance" / "cases"


@pytest.mark.parametrize("name", ["losses_at_equality", "failure_through_two_regions", "messages_of_items"])
def test_a_run_leaves_the_same_items(world: Any, memory: Any, name: str) -> None:
    document = (CASES / f"{name}.yaml").read_text(encoding="utf-8")
    (case, *_) = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))["runs"]
    for each in (world, memory):
        Engine(each, document, repeating).run(case["input"])
    assert memory.items() == world.items()


def test_a_random_plan_leaves_the_same_items(world: Any, memory: Any) -> None:
    plan = json.dumps(Plans(random.Random(6)).plan())
    outcomes = [Engine(each, plan).run({"n": 3, "list": [1, 2]}) for each in (world, memory)]
    assert outcomes[0] == outcomes[1]
    assert memory.items() == world.items()
