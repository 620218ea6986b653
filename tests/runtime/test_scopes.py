"""Registered scopes at run time: only they are sent to where the stack says so, and no more than they take."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from runtime_world import Death, Dying, Wrapped, event, repeating

from loopstep.gateways.events import EventBus
from loopstep.plans.schema import table_definition
from loopstep.registry.records import Head, digest
from loopstep.registry.store import RegistryStore
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.failures import Failed
from loopstep.runtime.scopes import FRESH_SECONDS, Scopes

NOW = "2026-01-01T00:00:00.000Z"


class Stack:
    """A run, and a registry beside it."""

    def __init__(self, world: Any) -> None:
        self.world, self.seconds = world, 0.0
        world.dynamodb.create_table(**table_definition("plans"))
        world.start(input={"to": "ops"})
        self.reads = 0

    def registry(self) -> RegistryStore:
        def count(name: str, arguments: Any, call: Any) -> Any:
            self.reads += name == "get_item"
            return call()

        return RegistryStore(Wrapped(self.world.dynamodb, count), "plans", lambda: self.world.objects)

    def register(self, most: int | None, scope: str = "ops") -> None:
        text = json.dumps({"description": "", "maxPerRun": most})
        before = self.registry().head("scope", scope)
        number = before.latest + 1 if before else 1
        head = Head("scope", scope, number, digest(text), scope, "", "", True, False, f"o{number}", NOW, NOW)
        assert self.registry().add(head, text)

    def function(self, demanded: bool = False, hook: Any = None) -> Activator:
        store = self.world.store(hook)
        events: Any = Wrapped(self.world.events, hook) if hook else self.world.events
        scopes = Scopes(self.registry(), store, demanded, lambda: self.seconds)
        behaviour = SendMessage(EventBus(lambda: events, "bus"), scopes)
        return Activator(behaviour, store, self.world.clock, self.world.random(), self.world.slept.append)


@pytest.fixture
def stack(world: Any) -> Stack:
    return Stack(world)


def send(function: Activator, node: str, attempts: int = 1) -> Any:
    """One activation of a send_message node to the scope in the plan's input."""
    spec = {"id": node, "scope": ["ref", "plan", "input", "to"], "text": ["hi"], "out": {"completed": [["e"]]}}
    return function(event({**spec, "max": attempts}))


def sent(stack: Stack) -> int:
    return len(stack.world.messages())


def code(act: Any) -> str:
    with pytest.raises(Failed) as told:
        act()
    return told.value.code


def test_any_scope_will_do_where_none_is_demanded(stack: Stack) -> None:
    send(stack.function(), "a")
    assert sent(stack) == 1


def test_only_registered_ones_where_the_stack_demands_it(stack: Stack) -> None:
    function = stack.function(demanded=True)
    assert code(lambda: send(function, "a")) == "scope.unknown"
    assert (sent(stack), stack.world.events.published) == (0, [])
    assert "the stack has no scope ops" in stack.world.activation("a#")["error"]["message"]
    stack.register(None)
    send(function, "b")  # a scope is found as soon as it is there
    assert sent(stack) == 1


def test_a_removed_scope_is_none_within_seconds(stack: Stack) -> None:
    stack.register(None)
    function = stack.function(demanded=True)
    send(function, "a")
    head = stack.registry().head("scope", "ops")
    assert head is not None and stack.registry().remove(head, "who", NOW)
    stack.seconds += FRESH_SECONDS
    assert code(lambda: send(function, "b")) == "scope.unknown"


def test_a_run_sends_no_more_than_the_scope_takes(stack: Stack) -> None:
    stack.register(2)
    function = stack.function()
    send(function, "a")
    send(function, "b")
    assert code(lambda: send(function, "c")) == "scope.limit"
    assert (sent(stack), len(stack.world.events.published)) == (2, 2)
    assert stack.world.activation("c#")["error"]["code"] == "scope.limit"


def test_each_run_and_each_scope_counts_for_itself(stack: Stack) -> None:
    stack.register(1)
    stack.register(1, "desk")
    function = stack.function()
    send(function, "a")
    stack.world.start("run-2", input={"to": "ops"})
    token = {**event({})["token"], "run": "run-2"}
    spec = {"id": "a", "scope": "ops", "text": ["hi"], "out": {"completed": [["e"]]}}
    function({**event(spec), "token": token})
    function(event({**spec, "id": "b", "scope": "desk"}))
    assert [len(stack.world.messages(run)) for run in ("run-1", "run-2")] == [2, 1]


def test_a_higher_limit_counts_within_seconds(stack: Stack) -> None:
    stack.register(1)
    function = stack.function()
    send(function, "a")
    stack.register(2)
    assert code(lambda: send(function, "b")) == "scope.limit"
    stack.seconds += FRESH_SECONDS
    send(function, "c")
    assert sent(stack) == 2


def test_what_is_known_is_not_read_again(stack: Stack) -> None:
    function = stack.function()
    for node in "abc":
        send(function, node)
    assert stack.reads == 1


def test_a_try_that_fails_counts_once(stack: Stack) -> None:
    stack.register(1)
    function = stack.function()
    stack.world.events.refuse = 1
    with pytest.raises(Exception, match=r"node\.crashed"):
        send(function, "a", attempts=2)
    send(function, "a", attempts=2)
    assert sent(stack) == 1


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(8))
def test_wherever_it_dies_it_counts_once(stack: Stack, at: int, after: bool) -> None:
    stack.register(1)
    try:
        send(stack.function(hook=Dying(at, after)), "a", attempts=2)
    except Death:
        send(stack.function(), "a", attempts=2)
    assert sent(stack) == 1
    assert code(lambda: send(stack.function(), "b")) == "scope.limit"


def test_a_lost_reply_counts_once(stack: Stack) -> None:
    stack.register(2)
    function = stack.function(hook=repeating)
    send(function, "a")
    send(function, "b")
    assert sent(stack) == 2
    assert code(lambda: send(function, "c")) == "scope.limit"


def test_many_at_once_get_no_more_than_there_is(stack: Stack) -> None:
    stack.register(5)
    told: list[str] = []

    def act(number: int) -> None:
        try:
            send(stack.function(), f"n{number}")
        except Failed as failed:
            told.append(failed.code)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sent(stack) == 5 and told == ["scope.limit"] * 7
