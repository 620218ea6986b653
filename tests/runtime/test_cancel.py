"""Cancel: from the moment the record says so nothing that still runs can commit (ARCHITECTURE §3)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import RUN, START

from loopstep.runtime.failures import Failed

AT = "2026-03-01T12:30:00.000Z"
BUMP = {
    "id": "n",
    "set": [[["count"], ["+", ["ref", "state", "count"], 1]]],
    "state": {"count": {"type": "integer"}},
    "out": {"completed": [["e"]]},
}
SEND = {"id": "n", "scope": "ops", "text": ["hi"], "out": {"completed": [["e"]]}}
NODES = {
    "set_variable": BUMP,
    "send_message": SEND,
    "pass": {"id": "n", "out": {"completed": [["e"]]}},
    "wait": {"id": "n", "duration": "PT5M", "out": {"completed": [["e"]]}},
    "loop": {"id": "n", "loop": {"max": 2}, "out": {"body": [["b"]]}},
    "fan_out": {"id": "n", "items": ["list", 1, 2], "maxItems": 5},
    "end": {"id": "n"},
}


def cancelled_at(world: Any, number: int) -> Any:
    """A hook: the run is cancelled just before the n-th transaction of the function."""
    seen: list[str] = []

    def hook(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items":
            seen.append(name)
            if len(seen) == number:
                world.store().cancel_run(RUN, AT, "somebody")
        return call()

    return hook


@pytest.mark.parametrize("fence", [False, True], ids=["by the head", "by a fence"])
@pytest.mark.parametrize("kind", NODES)
def test_a_node_that_is_running_commits_nothing_any_more(world: Any, kind: str, fence: bool) -> None:
    world.start(state={"count": 0}, fences=True)
    spec = {**NODES[kind], **({"fence": True} if fence and kind != "end" else {})}
    with pytest.raises(Failed) as told:
        world.invoke(kind, spec, hook=cancelled_at(world, 1))
    assert told.value.code == "run.cancelled"
    run = world.run()
    assert (run["status"], run["output"], run["endedAt"]) == ("cancelled", None, AT)
    assert (world.activations(), world.messages(), world.state()) == ([], [], {"count": 0})


@pytest.mark.parametrize("fence", [False, True])
def test_between_an_attempt_and_its_outcome(world: Any, fence: bool) -> None:
    """The message is on the bus by then; that it was sent is not recorded any more."""
    world.start(fences=True)
    with pytest.raises(Failed):
        world.invoke("send_message", {**SEND, **({"fence": True} if fence else {})}, hook=cancelled_at(world, 2))
    assert world.messages() == []
    assert world.activation("n#")["status"] == "running"


def test_what_is_invoked_later_does_nothing(world: Any) -> None:
    world.start(state={"count": 0})
    world.store().cancel_run(RUN, AT, "somebody")
    before = world.items()
    for kind, spec in NODES.items():
        with pytest.raises(Failed):
            world.invoke(kind, spec)
    assert world.items() == before
    assert world.events.published == []


def test_what_was_complete_stays_so_and_answers(world: Any) -> None:
    world.start(state={"count": 0})
    reply = world.invoke("set_variable", BUMP)
    world.store().cancel_run(RUN, AT, "somebody")
    assert world.invoke("set_variable", BUMP) == reply
    assert world.state() == {"count": 1}


def test_an_execution_that_walks_on_closes_nothing(world: Any) -> None:
    world.start()
    world.store().cancel_run(RUN, AT, "somebody")
    before = world.items()
    assert world.closer()({"token": START | {"node": "n", "port": "failed"}}) == {"code": "run.cancelled"}
    assert world.items() == before
