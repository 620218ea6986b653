"""Triggers on the deployed stack: events of the bus start runs, once each; bad ones wait as dead letters."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.remote import Refused, Remote
from tests.ending import ended
from tests.stack.conftest import Command

PLAN = b"""\
apiVersion: loop.plan/v1
kind: PlanVersion
input: {order: {type: string, required: true, minLength: 1}}
graph:
  entry: {nodeId: say, port: in, input: {order: {ref: plan.input.order}}}
  nodes:
    - id: say
      type: send_message
      input: {order: {type: string, required: true}}
      sendMessage: {scope: {value: shop}, text: "{{ input.order }}"}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: say, port: completed}, target: {nodeId: done, port: in}, bindings: {}}
"""
ORDERS = "pattern: {source: [%s], detail: {order: [{exists: true}]}}\ninput: {order: {ref: event.detail.order}}\n"


@pytest.fixture
def plan(api: Remote) -> str:
    name = f"t{uuid.uuid4().hex[:10]}"
    api.call("PUT", f"/plans/{name}", raw=PLAN)
    return name


@pytest.fixture
def send(state: cloud.State) -> Callable[..., None]:
    """Puts events on the bus."""
    boto3 = pytest.importorskip("boto3")
    if not state["endpoint"]:
        pytest.skip("puts events on the bus itself")
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    events = boto3.client("events", endpoint_url=state["endpoint"], region_name="us-east-1", **keys)

    def put(source: str, *details: Any) -> None:
        entries = [
            {"Source": source, "DetailType": "order", "Detail": json.dumps(detail), "EventBusName": bus}
            for detail in details
        ]
        events.put_events(Entries=entries)

    bus = state["outputs"]["EventBus"]
    return put


def until(found: Callable[[], Any], seconds: float = 120) -> Any:
    """What `found` gives, as soon as it gives something."""
    end = time.monotonic() + seconds
    while not (result := found()) and time.monotonic() < end:
        time.sleep(0.3)
    return result


def runs(api: Remote, plan: str) -> list[dict[str, Any]]:
    return list(api.items("/runs", plan=plan))


def letters(api: Remote, plan: str) -> list[dict[str, Any]]:
    return [each for each in api.call("GET", "/dead-letters")["items"] if each["plan"] == plan]


def test_a_bad_event_blocks_no_other_and_is_redriven_once_mended(
    loopstep: Command, api: Remote, plan: str, send: Callable[..., None], tmp_path: Path
) -> None:
    file = tmp_path / "trigger.yaml"
    file.write_text(ORDERS % plan, encoding="utf-8")
    assert loopstep("triggers", "put", plan, "orders", str(file)).stdout == "orders: enabled\n"
    send(plan, {"order": "o-1"}, {"order": ["canary"]}, {"order": "o-2"}, {"else": 1})
    assert until(lambda: len(runs(api, plan)) == 2) and until(lambda: letters(api, plan))
    given = [ended(api, run["runId"])["input"]["order"] for run in runs(api, plan)]
    assert sorted(given) == ["o-1", "o-2"]
    (letter,) = letters(api, plan)
    assert (letter["code"], letter["trigger"], letter["source"]) == ("input.invalid", "orders", plan)
    shown = loopstep("dead-letters", "list").stdout
    assert letter["id"] in shown and "/order" in shown and "canary" not in shown
    assert loopstep("dead-letters", "redrive", letter["id"]).code == 1
    file.write_text((ORDERS % plan).replace("{ref: event.detail.order}", "{value: unknown}"), encoding="utf-8")
    loopstep("triggers", "put", plan, "orders", str(file))
    redriven = loopstep("dead-letters", "redrive", letter["id"], "--json").data["items"]
    assert ended(api, redriven[0]["runId"])["input"] == {"order": "unknown"}
    assert letters(api, plan) == [] and len(runs(api, plan)) == 3
    assert loopstep("triggers", "remove", plan, "orders").code == 0


def test_one_event_five_times_is_one_run(state: cloud.State, api: Remote, plan: str, send: Any) -> None:
    api.call("PUT", f"/plans/{plan}/triggers/orders", raw=(ORDERS % plan).encode())
    import boto3

    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    client: Any = boto3.client("lambda", endpoint_url=state["endpoint"], region_name="us-east-1", **keys)
    event = {"id": uuid.uuid4().hex, "source": plan, "detail-type": "order", "detail": {"order": "o-1"}}
    payload = json.dumps({"plan": plan, "trigger": "orders", "event": event})
    function = state["outputs"]["TriggerFunction"]
    with ThreadPoolExecutor(5) as pool:  # at once, and once more when it is over
        replies = list(pool.map(lambda _: client.invoke(FunctionName=function, Payload=payload), range(5)))
    answers = [json.loads(reply["Payload"].read()) for reply in replies]
    again = json.loads(client.invoke(FunctionName=function, Payload=payload)["Payload"].read())
    assert len({each["runId"] for each in [*answers, again]}) == 1 and len(runs(api, plan)) == 1
    api.call("DELETE", f"/plans/{plan}/triggers/orders")


def test_a_plan_that_starts_itself_is_cut_off(api: Remote, plan: str, send: Callable[..., None]) -> None:
    itself = (
        f"pattern: {{source: [loopstep], detail: {{plan: [{plan}]}}}}\ninput: {{order: {{ref: event.detail.text}}}}\n"
    )
    api.call("PUT", f"/plans/{plan}/triggers/again", raw=itself.encode())
    api.call("POST", f"/plans/{plan}/runs", {"input": {"order": "o-1"}})
    (letter,) = until(lambda: letters(api, plan), 60)
    assert letter["code"] == "trigger.depth"
    assert len(runs(api, plan)) == 9  # the first and eight that followed
    api.call("DELETE", f"/plans/{plan}/triggers/again")
    api.call("DELETE", f"/dead-letters/{letter['id']}")


def test_what_is_refused(loopstep: Command, api: Remote, plan: str) -> None:
    wrong = loopstep(
        "triggers", "put", plan, "x", "-", stdin="pattern: {source: [a]}\ninput: {order: {ref: event.x}}\n"
    )
    assert wrong.code == 1 and "-:2:22: error[reference.unknown_field]" in wrong.stderr
    with pytest.raises(Refused) as refused:
        api.call(
            "PUT", f"/plans/{plan}/triggers/x", raw=b"pattern: {source: [{numerisch: [1]}]}\ninput: {order: {value: a}}"
        )
    assert (refused.value.status, refused.value.problem["code"]) == (422, "trigger.invalid")
    assert list(api.items(f"/plans/{plan}/triggers")) == []
