"""send_message: stored once with the record, published at least once under its id, attempts counted (LANGUAGE §7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from runtime_world import Death, Dying, token

from loopstep.runtime.failures import Failed, Retry


def spec(**more: Any) -> dict[str, Any]:
    return {
        "id": "m",
        "scope": ["ref", "plan", "input", "to"],
        "text": ["Hello ", {"e": ["ref", "plan", "input", "who"]}],
        "out": {"completed": [["e"]], "failed": [["f"]]},
        **more,
    }


@pytest.fixture
def started(world: Any) -> Any:
    world.start(input={"to": "ops", "who": "{{ input.x }} Ada"})
    return world


def test_a_message_is_stored_and_published(started: Any) -> None:
    assert started.invoke("send_message", spec()) == token("m", "e")
    (message,) = started.messages()
    assert (message["scope"], message["text"], message["nodeId"]) == ("ops", "Hello {{ input.x }} Ada", "m")
    (entry,) = started.events.published
    assert (entry["Source"], entry["DetailType"], entry["EventBusName"]) == ("loopstep", "loopstep.message", "bus")
    assert json.loads(entry["Detail"]) == {
        "messageId": message["id"],
        "runId": "run-1",
        "plan": "p",
        "version": 3,
        "nodeId": "m",
        "activationId": "m#",
        "scope": "ops",
        "sentAt": "2026-03-01T12:00:00.000Z",
        "text": "Hello {{ input.x }} Ada",
    }
    record = started.activation("m#")
    assert (record["attempts"], record["output"]) == (1, None)
    assert record["tries"][0]["endedAt"] is not None


def test_a_thread_is_opened_under_the_messages_id(started: Any) -> None:
    started.invoke("send_message", spec(thread=True))
    (message,) = started.messages()
    assert message["threadId"] == message["id"]
    assert started.activation("m#")["output"] == {"messageId": message["id"], "threadId": message["id"]}


def test_it_takes_one_read_and_two_writes(started: Any) -> None:
    calls: list[str] = []

    def counting(name: str, arguments: Any, call: Any) -> Any:
        calls.append(name)
        return call()

    started.invoke("send_message", spec(), hook=counting)
    assert calls == ["batch_get_item", "transact_write_items", "put_events", "transact_write_items"]


def test_a_bus_that_refuses_is_tried_again_as_often_as_the_plan_says(started: Any) -> None:
    started.events.refuse = 1
    node = spec(max=2)
    with pytest.raises(Retry, match=r"node\.crashed m#"):
        started.invoke("send_message", node)
    assert started.messages() == []
    started.pass_time(10)
    assert started.invoke("send_message", node) == token("m", "e")
    record = started.activation("m#")
    assert [each["code"] for each in record["tries"]] == ["node.crashed", None]
    (message,) = started.messages()
    assert message["sentAt"] == "2026-03-01T12:00:00.000Z"  # that of the first attempt, as in every event


def test_the_last_attempt_closes_the_record(started: Any) -> None:
    started.events.refuse = 9
    with pytest.raises(Retry):
        started.invoke("send_message", spec(max=2))
    with pytest.raises(Failed, match=r"node\.crashed m#"):
        started.invoke("send_message", spec(max=2))
    record = started.activation("m#")
    assert (record["status"], record["edge"], record["attempts"]) == ("failed", "f", 2)
    assert started.events.refuse == 7
    with pytest.raises(Failed):
        started.invoke("send_message", spec(max=2))
    assert started.events.refuse == 7


@pytest.mark.parametrize(("seconds", "code"), [(1, "node.crashed"), (70, "node.timeout")])
def test_spent_attempts_are_closed_without_acting(started: Any, seconds: int, code: str) -> None:
    node = spec(timeout=60)
    with pytest.raises(Death):
        started.invoke("send_message", node, hook=Dying(2, after=False))
    started.pass_time(seconds)
    with pytest.raises(Failed, match=code.replace(".", r"\.")):
        started.invoke("send_message", node)
    assert started.events.published == []
    record = started.activation("m#")
    assert (record["error"]["code"], record["port"], record["edge"]) == (code, "failed", "f")


def test_a_scope_that_is_none_is_never_retried(world: Any) -> None:
    world.start(input={"to": "", "who": "x"})
    with pytest.raises(Failed, match=r"scope\.unknown"):
        world.invoke("send_message", spec(max=5))
    assert world.activation("m#")["tries"] == []


def test_a_long_text_is_left_out_of_the_event(world: Any) -> None:
    world.start(input={"to": "ops", "who": "ü" * 120_000})
    world.invoke("send_message", spec())
    (message,) = world.messages()
    assert message["text"] == "Hello " + "ü" * 120_000
    detail = json.loads(world.events.published[0]["Detail"])
    assert detail["textLeftOut"] is True
    assert "text" not in detail
    assert detail["messageId"] == message["id"]


@pytest.mark.parametrize("above", [0, 1])
def test_the_limit_of_an_event_in_bytes(world: Any, above: int) -> None:
    from loopstep.gateways.events import DETAIL_LIMIT, EventBus

    bus = EventBus(lambda: world.events, "bus")
    frame = len(b'{"text":""}')
    bus.publish("t", {"text": "x" * (DETAIL_LIMIT - frame + above)}, "text")
    detail = world.events.published[0]["Detail"]
    assert ("textLeftOut" in detail) is bool(above)


def test_two_invocations_do_not_act_in_the_name_of_one_attempt(started: Any) -> None:
    node = spec(max=3)

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not started.events.published:
            started.invoke("send_message", node)
        return call()

    assert started.invoke("send_message", node, hook=overtaken) == token("m", "e")
    assert len(started.events.published) == 1
    assert started.activation("m#")["attempts"] == 1
