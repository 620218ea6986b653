"""Whatever call a function dies at, before it or after, the next invocation brings what an undisturbed one brings.

Every AWS call of every node function is a crash point; the engine then invokes again with the same event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from runtime_world import START, Death, Dying, event, repeating, token

from loopstep.runtime.failures import Failed, Retry

INTEGER = {"type": "integer"}
LONG = "long text " * 6_000  # beyond what an item holds inline


@dataclass(frozen=True)
class Scenario:
    kind: str
    spec: dict[str, Any]
    at: dict[str, Any] = field(default_factory=lambda: START)
    before: Callable[[Any], Any] = lambda world: None
    fails: bool = False


SCENARIOS = {
    "pass": Scenario("pass", {"id": "n", "out": {"completed": [["e"]]}}),
    "a contract that fails": Scenario(
        "pass",
        {"id": "n", "input": {"x": {"type": "string", "required": True}}, "out": {"failed": [["f"]]}},
        fails=True,
    ),
    "set_variable": Scenario(
        "set_variable",
        {
            "id": "n",
            "set": [[["count"], ["+", ["ref", "state", "count"], 1]], [["text"], ["ref", "plan", "input", "text"]]],
            "state": {"count": INTEGER, "text": {"type": "string"}},
            "out": {"completed": [["e", [">", ["seen", 0], 0]]]},
            "seen": {"completed": [["ref", "state", "count"]]},
        },
    ),
    "set_variable with a large value": Scenario(
        "set_variable",
        {
            "id": "n",
            "input": {"text": {"type": "string"}},
            "in": {"": {"text": ["ref", "plan", "input", "long"]}},
            "set": [[["text"], ["ref", "input", "text"]]],
            "state": {"text": {"type": "string"}},
            "out": {"completed": [["e"]]},
        },
    ),
    "send_message": Scenario(
        "send_message",
        {"id": "n", "scope": "ops", "text": ["hi"], "thread": True, "max": 2, "out": {"completed": [["e"]]}},
    ),
    "wait": Scenario("wait", {"id": "n", "duration": "PT5M", "out": {"completed": [["e"]]}}),
    "loop in": Scenario("loop", {"id": "n", "loop": {"max": 2}, "out": {"body": [["b"]]}}),
    "loop next": Scenario(
        "loop",
        {"id": "n", "loop": {"max": 2}, "next": ["b"], "out": {"body": [["b"]]}},
        token("n", "b", "body", "0", "0"),
        lambda world: world.invoke("loop", {"id": "n", "loop": {"max": 2}, "out": {"body": [["b"]]}}),
    ),
    "end": Scenario("end", {"id": "n", "in": {"": {"a": 1}}, "input": {"a": INTEGER}}),
    "end failed": Scenario("end", {"id": "n", "outcome": "failed", "code": "bad"}),
    "a target behind a Catch": Scenario(
        "pass", {"id": "n", "out": {"completed": [["e"]]}}, token("lost", "f", "failed")
    ),
    "a route": Scenario("pass", {"id": "n", "route": "failed", "out": {"failed": [["f"]]}}),
}


def begin(world: Any, scenario: Scenario) -> None:
    world.clear()
    world.start(input={"text": "x", "long": LONG}, state={"count": 0}, fences=True)
    scenario.before(world)


def settle(world: Any, scenario: Scenario, hook: Any = None) -> Any:
    """What the engine ends up with: the reply, or the code of the failure that it catches."""
    while True:
        try:
            return world.function(scenario.kind, hook)(event(scenario.spec, scenario.at))
        except Retry:
            hook = None
        except Failed as failed:
            return failed.code


def outcome(world: Any) -> Any:
    """Everything that is recorded, without the tries that died and who wrote."""
    activations = [
        {name: value for name, value in each.items() if name not in ("tries", "attempts")}
        for each in world.activations()
    ]
    return world.run(), world.state(), world.messages(), activations


@pytest.mark.parametrize("name", SCENARIOS)
def test_dying_at_any_call_changes_nothing_in_the_end(world: Any, name: str) -> None:
    scenario = SCENARIOS[name]
    begin(world, scenario)
    count = Dying(-1, False)
    reply = settle(world, scenario, count)
    expected = (reply, outcome(world))
    assert isinstance(reply, str) is scenario.fails
    assert count.calls >= 2
    for at in range(count.calls):
        for after in (False, True):
            begin(world, scenario)
            with pytest.raises(Death):
                settle(world, scenario, Dying(at, after))
            again = settle(world, scenario)
            assert (again, outcome(world)) == expected, f"died at call {at}, {'after' if after else 'before'} it"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_lost_reply_to_any_write_counts_as_its_success(world: Any, name: str) -> None:
    scenario = SCENARIOS[name]
    begin(world, scenario)
    expected = (settle(world, scenario), outcome(world))
    begin(world, scenario)
    assert (settle(world, scenario, repeating), outcome(world)) == expected
    assert len(world.events.published) <= 1


@pytest.mark.parametrize("name", SCENARIOS)
def test_two_invocations_at_once_agree(world: Any, name: str) -> None:
    """The second runs whole between the first one's read and its first write."""
    scenario = SCENARIOS[name]
    begin(world, scenario)
    expected = (settle(world, scenario), outcome(world))
    begin(world, scenario)
    second: list[Any] = []

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not second:
            second.append(None)
            second[0] = settle(world, scenario)
        return call()

    assert (settle(world, scenario, overtaken), outcome(world)) == expected
    assert second == [expected[0]]


def test_a_message_with_one_attempt_that_dies_fails_its_node_or_is_sent(world: Any) -> None:
    sent = SCENARIOS["send_message"]
    once = Scenario(sent.kind, {**sent.spec, "max": 1})
    results = []
    for at in range(4):
        for after in (False, True):
            begin(world, once)
            with pytest.raises(Death):
                settle(world, once, Dying(at, after))
            reply = settle(world, once)
            stored = world.messages()
            assert (reply == "node.crashed") is (stored == [])
            assert world.activation("n#")["status"] == ("failed" if stored == [] else "completed")
            results.append(bool(stored))
    assert results == [True, True, True, False, False, False, False, True]


def test_a_failed_run_is_closed_whatever_the_closer_dies_at(world: Any) -> None:
    lost = Scenario("pass", {})
    at = token("lost", "", "failed")
    begin(world, lost)
    count = Dying(-1, False)
    reply = world.closer(count)({"token": at})
    expected = (reply, outcome(world))
    assert reply == {"code": "node.crashed"}
    for number in range(count.calls):
        for after in (False, True):
            begin(world, lost)
            with pytest.raises(Death):
                world.closer(Dying(number, after))({"token": at})
            assert (world.closer()({"token": at}), outcome(world)) == expected
    begin(world, lost)
    assert (world.closer(repeating)({"token": at}), outcome(world)) == expected
