"""What people do in the console, from start to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Remote
from tests.browser.world import World

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def world(api: Remote, browser: Any) -> World:
    return World(api).published()


def test_a_refund_is_watched_decided_redriven_and_explained(browser: Any, world: World) -> None:
    document = (HERE / "plans" / "refund_review.yaml").read_text(encoding="utf-8")
    named = document.replace("name: refund_review", "name: refund_story")
    run = browser("story", {"name": "refund_story", "document": named})
    assert world.run(run)["output"] == {"decision": "paid", "receipt": "R-17"}
    assert world.run(run)["epoch"] == 2


def test_the_first_answer_stands_and_what_is_over_says_so(browser: Any, world: World) -> None:
    runs = [world.start({"customer": "Eve", "amount": 700}) for _ in range(2)]
    approval, lost = (world.approval(run) for run in runs)
    reviewed = world.start({"customer": "Ida", "amount": 800})
    callback = world.callback(world.decided(reviewed))
    restricted = world.approval(world.restricted())
    browser(
        "people",
        {
            "approval": approval,
            "lost": {"id": lost, "run": runs[1]},
            "callback": callback,
            "restricted": restricted,
        },
    )
    assert world.asked(approval)["decidedBy"] == "Zoe"
    assert world.asked(lost)["status"] == "ended"
    assert world.asked(restricted)["status"] == "pending", "looking at it decided nothing"


def test_without_a_pointer(browser: Any, world: World) -> None:
    run = world.start({"customer": "Kim", "amount": 600})
    browser("keyboard", {"run": run, "approval": world.approval(run)})
    assert world.run(run)["output"] == {"decision": "refused"}


def test_the_key_is_asked_for_and_forgotten(browser: Any) -> None:
    browser("key")
