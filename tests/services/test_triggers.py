"""Triggers over a stack in moto: checked, recorded, one event one run, what is refused kept with its reasons."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from loopstep.services.dead_letters import list_letters, redrive_letter, remove_letter
from loopstep.services.deliver_event import SWITCHED_OFF, deliver, deliver_or_bury
from loopstep.services.put_trigger import put_trigger, remove_trigger, switch_trigger
from loopstep.services.read_triggers import get_trigger, list_triggers
from loopstep.services.refusals import Conflicting, Malformed, Unfit, Unknown
from loopstep.services.trigger_document import read_trigger
from loopstep.triggers.records import Trigger, Wanted, rule_name

INPUT = {
    "order": {"type": "string", "required": True},
    "amount": {"type": "number"},
    "kind": {"type": "string", "default": "web"},
}
DOCUMENT = """\
pattern: {source: [shop], detail-type: [order.paid], detail: {amount: [{numeric: [">", 10]}]}}
input:
  order: {ref: event.detail.order}
  amount: {ref: event.detail.amount}
  kind: {expr: event.detailType}
"""
EVENT = {
    "id": "e-1", "source": "shop", "detail-type": "order.paid", "time": "2026-11-30T10:00:00Z", "account": "1",
    "region": "us-east-1", "resources": [], "detail": {"order": "o-7", "amount": 20},
}  # fmt: skip


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(input=INPUT)
    return aws


def put(stack: Any, document: str = DOCUMENT, id: str = "paid") -> Trigger:
    wanted = Wanted(**read_trigger(stack.plans(), "p", document.encode()))
    return put_trigger(stack.triggering(), "p", id, wanted)[0]


def rules(stack: Any) -> list[dict[str, Any]]:
    return list(stack.events.list_rules(EventBusName="s")["Rules"])


def inputs(stack: Any) -> list[Any]:
    found = stack.dynamodb.scan(TableName="runs")["Items"]
    return [json.loads(item["input"]["S"]) for item in found if item["sk"]["S"] == "head"]


def event(number: int = 1, **detail: Any) -> dict[str, Any]:
    return {**EVENT, "id": f"e-{number}", "detail": {"order": "o-7", "amount": 20, **detail}}


def test_a_trigger_has_one_rule(plan: Any) -> None:
    made = put(plan)
    (rule,) = rules(plan)
    assert rule["Name"] == rule_name("p", "paid") and rule["State"] == "ENABLED"
    assert json.loads(rule["EventPattern"])["detail"] == {"amount": [{"numeric": [">", 10]}]}
    (target,) = plan.events.list_targets_by_rule(Rule=rule["Name"], EventBusName="s")["Targets"]
    template = '{"plan": "p", "trigger": "paid", "event": <aws.events.event.json>}'
    assert target["InputTransformer"]["InputTemplate"] == template
    assert put(plan) == made and len(rules(plan)) == 1
    other = put(plan, DOCUMENT.replace("shop", "store"))
    assert other.generation != made.generation and other.created_at == made.created_at
    (rule,) = rules(plan)
    assert json.loads(rule["EventPattern"])["source"] == ["store"]


def test_one_event_five_times_is_one_run(plan: Any) -> None:
    put(plan)
    heads = [deliver(plan.triggering(), "p", "paid", event()) for _ in range(5)]
    assert len({head.run for head in heads}) == 1 and len(plan.executions()) == 1
    assert inputs(plan) == [{"order": "o-7", "amount": 20, "kind": "order.paid"}]
    assert deliver(plan.triggering(), "p", "paid", event(2)).run != heads[0].run
    put(plan, DOCUMENT.replace("event.detailType", "event.source"))
    assert deliver(plan.triggering(), "p", "paid", event()).run == heads[0].run  # it had its run


def test_one_event_five_times_at_once_is_one_run(plan: Any) -> None:
    put(plan)
    with ThreadPoolExecutor(5) as pool:
        runs = {each.run for each in pool.map(lambda _: deliver(plan.triggering(), "p", "paid", event()), range(5))}
    assert len(runs) == 1 == len(plan.executions()) and len(inputs(plan)) == 1


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_delivery_dies_the_next_one_is_its_run(plan: Any, after: bool) -> None:
    put(plan)
    counting = plan.crash()
    deliver(counting.triggering(), "p", "paid", event(100))
    calls = len(counting.crashing.calls)
    assert calls >= 4
    for at in range(1, calls + 1):
        with pytest.raises(BaseException, match=str(counting.crashing.calls[at - 1])):
            deliver(plan.crash(at, after).triggering(), "p", "paid", event(at))
        runs = {deliver(plan.triggering(), "p", "paid", event(at)).run for _ in range(4)}
        assert len(runs) == 1 and len(inputs(plan)) == at + 1 == len(plan.executions())


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("input: {}", "document.missing_field"),
        ("pattern: {}", "document.invalid_value"),
        ("pattern: {source: shop}", "document.invalid_value"),
        ("pattern: {source: []}", "document.invalid_value"),
        ("pattern: {source: [a]}\nother: 1", "document.unknown_field"),
        ("pattern: {source: [a]}\nversion: 0", "document.invalid_value"),
        ("pattern: {source: [a]}", "binding.required_target"),
        ("pattern: {source: [a]}\ninput: {order: {ref: event.detail.o}, x: {value: 1}}", "binding.unknown_target"),
        ("pattern: {source: [a]}\ninput: {order: {ref: event.resources}}", "binding.type_mismatch"),
        ("pattern: {source: [a]}\ninput: {order: {value: 1}}", "binding.type_mismatch"),
        ("pattern: {source: [a]}\ninput: {order: {ref: event.sauce}}", "reference.unknown_field"),
        ("pattern: {source: [a]}\ninput: {order: {ref: plan.input.a}}", "reference.unavailable"),
        ("pattern: {source: [a]}\ninput: {order: {expr: 'event.'}}", "expr.syntax"),
        ("pattern: [", "document.syntax"),
        ("", "document.syntax"),
        ("[]", "document.invalid_value"),
    ],
)
def test_a_document_is_checked_against_the_contract(plan: Any, document: str, code: str) -> None:
    with pytest.raises(Unfit) as refused:
        read_trigger(plan.plans(), "p", document.encode())
    assert refused.value.code == "trigger.invalid"
    assert code in {each["code"] for each in refused.value.facts["diagnostics"]}


def test_unknown_plans(plan: Any) -> None:
    with pytest.raises(Unknown):
        read_trigger(plan.plans(), "q", DOCUMENT.encode())
    with pytest.raises(Unknown):
        list_triggers(plan.triggering(), "q", 10, None)


def test_switched_off_and_removed_it_starts_nothing(plan: Any) -> None:
    put(plan)
    assert switch_trigger(plan.triggering(), "p", "paid", False).wanted.enabled is False
    assert rules(plan)[0]["State"] == "DISABLED"
    assert deliver(plan.triggering(), "p", "paid", event()) == SWITCHED_OFF
    switch_trigger(plan.triggering(), "p", "paid", True)
    assert rules(plan)[0]["State"] == "ENABLED"
    assert [each["id"] for each in list_triggers(plan.triggering(), "p", 10, None)["items"]] == ["paid"]
    assert get_trigger(plan.triggering(), "p", "paid")["input"]["order"] == {"ref": "event.detail.order"}
    remove_trigger(plan.triggering(), "p", "paid")
    assert rules(plan) == [] and deliver(plan.triggering(), "p", "paid", event()) == SWITCHED_OFF
    with pytest.raises(Unknown):
        remove_trigger(plan.triggering(), "p", "paid")


@pytest.mark.parametrize("given", [None, [], {}, {"id": 1}, {**EVENT, "id": ""}, {**EVENT, "source": None}])
def test_what_is_no_event(plan: Any, given: Any) -> None:
    put(plan)
    with pytest.raises(Malformed):
        deliver(plan.triggering(), "p", "paid", given)


@pytest.mark.parametrize("detail", [None, "text", [], 5, {}, {"order": None}, {"order": {"a": 1}}, {"order": 5}])
def test_a_bad_event_is_a_dead_letter_with_its_reasons(plan: Any, detail: Any) -> None:
    put(plan)
    given = {**EVENT, "detail": detail}
    assert deliver_or_bury(plan.triggering(), "p", "paid", given) in ("input.invalid", "trigger.mapping")
    assert deliver_or_bury(plan.triggering(), "p", "paid", event(2)).status == "running"  # blocks no other
    (letter,) = list_letters(plan.mail())["items"]
    assert (letter["kind"], letter["trigger"], letter["eventId"]) == ("event", "paid", "e-1")
    assert [each["path"] for each in letter["errors"]] == ["/order"]


def test_mended_a_dead_letter_is_redriven(plan: Any) -> None:
    put(plan)
    deliver_or_bury(plan.triggering(), "p", "paid", event(order=None, canary="canary"))
    deliver_or_bury(plan.triggering(), "p", "paid", event(2, order=None))
    listed = list_letters(plan.mail())["items"]
    assert len(listed) == 2 and "canary" not in json.dumps(listed)
    with pytest.raises(Unfit):
        redrive_letter(plan.mail(), listed[0]["id"])
    assert len(list_letters(plan.mail())["items"]) == 2
    put(plan, DOCUMENT.replace("{ref: event.detail.order}", "{value: none}"))
    done = redrive_letter(plan.mail(), listed[0]["id"])
    assert plan.running().head(done["runId"]).status == "running"
    with pytest.raises(Unknown):
        redrive_letter(plan.mail(), listed[0]["id"])
    remove_letter(plan.mail(), listed[1]["id"])
    assert list_letters(plan.mail())["items"] == [] and len(plan.executions()) == 1


@pytest.mark.parametrize("body", ["no json", "[]", '{"plan": 1}', '{"detail": {"name": "x"}}'])
def test_letters_of_others_can_only_be_removed(plan: Any, body: str) -> None:
    plan.sqs.send_message(QueueUrl=plan.sqs.get_queue_url(QueueName="dead")["QueueUrl"], MessageBody=body)
    (letter,) = list_letters(plan.mail())["items"]
    assert letter["kind"] == "other"
    with pytest.raises(Conflicting):
        redrive_letter(plan.mail(), letter["id"])
    remove_letter(plan.mail(), letter["id"])
    assert list_letters(plan.mail())["items"] == []


def test_many_letters_are_listed_once_each(plan: Any) -> None:
    put(plan)
    for number in range(23):
        deliver_or_bury(plan.triggering(), "p", "paid", event(number, order=None))
    for _ in range(2):
        found = [each["eventId"] for each in list_letters(plan.mail())["items"]]
        assert sorted(found) == sorted(f"e-{number}" for number in range(23))


def test_a_chain_of_runs_ends_at_the_eighth(plan: Any) -> None:
    put(plan)
    depths = []
    for depth in range(8):
        said = {"loopstep": {"depth": depth}} if depth else {}
        given = {**event(depth, **said), "source": "loopstep"}
        depths.append(plan.running().head(deliver(plan.triggering(), "p", "paid", given).run).depth)
    assert depths == [1, 2, 3, 4, 5, 6, 7, 8]
    ninth = {**event(9, loopstep={"depth": 8}), "source": "loopstep"}
    assert deliver_or_bury(plan.triggering(), "p", "paid", ninth) == "trigger.depth"
    assert [each["code"] for each in list_letters(plan.mail())["items"]] == ["trigger.depth"]
    foreign = event(10, loopstep={"depth": 8})  # what others say of themselves does not count
    assert plan.running().head(deliver(plan.triggering(), "p", "paid", foreign).run).depth == 1


@pytest.mark.parametrize("after", [False, True])
def test_wherever_a_change_dies_a_repeated_call_mends_it(plan: Any, after: bool) -> None:
    counting = plan.crash()
    put(counting, id="count")
    for at in range(1, len(counting.crashing.calls) + 1):
        with pytest.raises(BaseException, match=counting.crashing.calls[at - 1]):
            put(plan.crash(at, after), id=f"dies_{at}_{after}")
        put(plan, id=f"dies_{at}_{after}")
        assert rule_name("p", f"dies_{at}_{after}") in [each["Name"] for each in rules(plan)]
        assert deliver(plan.triggering(), "p", f"dies_{at}_{after}", event()).status == "running"


def test_a_rule_that_the_bus_refuses_is_no_trigger(plan: Any) -> None:
    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "InvalidEventPatternException", "Message": "canary"}}, "PutRule")

    plan.events.put_rule = refuse
    with pytest.raises(Unfit) as refused:
        put(plan)
    assert refused.value.code == "trigger.invalid"
    assert plan.triggering().triggers.get("p", "paid") is None
