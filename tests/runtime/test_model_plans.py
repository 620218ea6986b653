"""Whole plans that ask models: every call may be a function's last, and the model is as often away as it may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_engine import Engine
from runtime_world import Dying

from loopstep.gateways.models import ModelRefused, ModelUnavailable, Request

PLANS = Path(__file__).parents[1] / "stack" / "models"
JUDGE, TRIAGE, REVIEWS = (
    (PLANS / f"{name}.yaml").read_text(encoding="utf-8") for name in ("judge", "triage", "reviews")
)
GOOD = '{"verdict": "pass", "score": 1}'


def triage(request: Request) -> str:
    """The first condition holds."""
    return "0" if "numbered conditions" in request.system else "Sorry"


class Answering:
    """Models that answer each request by a function of it."""

    def __init__(self, world: Any, answer: Any) -> None:
        self._converse, self._answer, self._models = world.models.converse, answer, world.models

    def __call__(self, request: Request, seconds: float) -> Any:
        self._models.script = [self._answer]
        return self._converse(request, seconds)


def run(world: Any, document: str, answer: Any, given: dict[str, Any], hook: Any = None) -> str:
    world.models.converse = Answering(world, answer)
    return Engine(world, document, hook).run(given)


@pytest.mark.parametrize("after", [False, True])
def test_death_at_every_call_of_a_node_with_retry(memory: Any, after: bool) -> None:
    """Within its attempts the run succeeds wherever its function dies; every attempt that was recorded is there."""
    at = 0
    while True:
        memory.clear()
        dying = Dying(at, after)
        assert run(memory, JUDGE, lambda request: GOOD, {"text": "x"}, dying) == "SUCCEEDED"
        assert memory.run()["output"] == {"verdict": "pass", "score": 1}
        tries = memory.activation("ask#")["tries"]
        assert 1 <= len(tries) <= 2 and tries[-1]["usage"]["calls"] == 1
        if dying.calls <= at:
            break
        at += 1
    assert at > 5


@pytest.mark.parametrize("after", [False, True])
def test_death_at_every_call_of_a_condition(memory: Any, after: bool) -> None:
    """A condition has one attempt: the run takes the branch, or fails as a crash, and never anything else."""
    at, ends = 0, set()
    while True:
        memory.clear()
        dying = Dying(at, after)
        ended = run(memory, TRIAGE, triage, {"mail": "x"}, dying)
        ends.add((ended, (memory.run()["error"] or {}).get("code")))
        if ended == "SUCCEEDED":
            assert memory.run()["output"] == {"about": "complaint", "answer": "Sorry"}
        if dying.calls <= at:
            break
        at += 1
    assert ends == {("SUCCEEDED", None), ("node.crashed", "node.crashed")}


@pytest.mark.parametrize(
    ("script", "output", "codes"),
    [
        ([ModelUnavailable("x"), GOOD], {"verdict": "pass", "score": 1}, ["model.unavailable", None]),
        ([ModelUnavailable("x")] * 2, {"verdict": "model.unavailable"}, ["model.unavailable"] * 2),
        ([ModelRefused("x")], {"verdict": "model.refused"}, ["model.refused"]),
        (["no", "no"], {"verdict": "llm.unstructured"}, ["llm.unstructured"]),
        (["no", ModelUnavailable("x"), GOOD], {"verdict": "pass", "score": 1}, ["model.unavailable", None]),
    ],
)
def test_failures_take_the_failed_edge_when_no_attempt_is_left(
    memory: Any, script: list[Any], output: Any, codes: list[Any]
) -> None:
    memory.models.says(*script)
    assert Engine(memory, JUDGE).run({"text": "x"}) == "SUCCEEDED"
    assert memory.run()["output"] == output
    assert [each["code"] for each in memory.activation("ask#")["tries"]] == codes


def test_a_region_asks_for_each_item(memory: Any) -> None:
    def stars(request: Request) -> str:
        return f"{len(request.messages[0]['content'][0]['text'])} stars"

    assert run(memory, REVIEWS, stars, {"texts": ["", "a", "ab"]}) == "SUCCEEDED"
    found = memory.run()["output"]["stars"]
    assert [each - found[0] for each in found] == [0, 1, 2]


def test_a_redrive_asks_again_only_where_it_failed(world: Any) -> None:
    world.models.says("1 star", ModelRefused("x"), "2 stars")
    engine = Engine(world, REVIEWS)
    assert engine.run({"texts": ["a", "b"]}) != "SUCCEEDED"
    world.store().redrive_run("run-1", "2026-03-01T13:00:00.000Z", "me")
    assert engine.execute(2) == "SUCCEEDED"
    assert world.run()["output"] == {"stars": [1, 2]}
    assert len(world.models.asked) == 3
    tries = world.activation("rate#1")["tries"]
    assert [(each["epoch"], each["number"], each["code"]) for each in tries] == [(1, 1, "model.refused"), (2, 1, None)]
