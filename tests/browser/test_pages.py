"""Every page by what a machine can see of it, and pages with more on them than a person looks at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.remote import Remote
from tests.bench.linear_plans import linear_plan
from tests.browser.seeding import widen
from tests.browser.world import World

ITEMS, ODD = 10_000, 7_777


@pytest.fixture(scope="module")
def world(api: Remote, browser: Any) -> World:
    return World(api).published()


@pytest.fixture(scope="module")
def shown(world: World) -> Iterator[list[list[str]]]:
    """[name, place, what is there when it is ready]: runs that wait, failed and succeeded, and all that is open."""
    waits = world.start({"customer": "Ann", "amount": 900})
    asks = world.start({"customer": "Bob", "amount": 800})
    small = world.start({"customer": "Cy", "amount": 20})
    approval = world.approval(waits)
    callback = world.callback(world.decided(asks))
    assert world.run(small)["status"] == "succeeded"
    ready = "svg.loopstep .badge"
    yield [
        ["plans", "/plans", "table"],
        ["plan", "/plans/refund_review", "svg.loopstep"],
        ["plan-document", "/plans/refund_review?tab=document", "h1"],
        ["plan-start", "/plans/refund_review/start", "form"],
        ["plan-new", "/new", "textarea"],
        ["runs", "/runs", "table"],
        ["runs-span", "/runs?started=span", "table"],
        ["run", f"/runs/{waits}?at=look%23", ready],
        ["run-item", f"/runs/{waits}?at=check%231", ready],
        ["run-node", f"/runs/{waits}?node=check", ready],
        ["run-state", f"/runs/{waits}?tab=state&revision=1&against=0", "table.diff"],
        ["run-values", f"/runs/{small}?tab=values", ready],
        ["run-messages", f"/runs/{asks}?tab=messages", "table"],
        ["run-files", f"/runs/{small}?tab=files", ready],
        ["inbox", "/inbox", "table"],
        ["inbox-past", "/inbox?kind=callbacks&status=all", "table"],
        ["approval", f"/approvals/{approval}", "form"],
        ["callback", f"/callbacks/{callback}", "form"],
        ["schedules", "/schedules", "h1"],
        ["messages", "/messages", "h1"],
        ["nowhere", "/nowhere", "h1"],
    ]


@pytest.mark.parametrize(("colour", "language"), [("light", "en"), ("dark", "zh")])
def test_axe_finds_nothing(browser: Any, shown: list[list[str]], colour: str, language: str) -> None:
    browser("accessible", {"places": shown}, colour, language)


def test_a_run_of_10000_activations(browser: Any, world: World, state: cloud.State) -> None:
    run = world.start({"customer": "Wide", "amount": 900, "lines": [1]})
    world.approval(run)
    widen(state, run, ITEMS, ODD)
    seen = browser("wide", {"run": run, "items": ITEMS, "failed": ODD})
    assert seen["nodes"] < 5000


def test_a_plan_of_1000_nodes(browser: Any, world: World) -> None:
    world.api.call("PUT", "/plans/long_plan", raw=linear_plan(1000).encode())
    run = world.api.call("POST", "/plans/long_plan/runs", {"input": {"amount": 1, "label": "a"}, "hold": True})
    browser("large", {"plan": "long_plan", "run": run["runId"], "nodes": 1000})
