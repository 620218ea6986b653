"""Publishing: versions are consecutive, unchanged is unchanged, and every interruption is healed by a repeated call."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from loopstep.plans.records import Stored
from loopstep.services.publish_plan import machine_name, publish_plan
from loopstep.services.refusals import Conflicting, Unfit


def machines(aws: Any) -> list[str]:
    return sorted(each["name"] for each in aws.stepfunctions.list_state_machines()["stateMachines"])


def test_the_first_version(aws: Any) -> None:
    published = publish_plan(aws.publisher(), "greet", aws.document())
    version = published.version
    assert published.created and (version.name, version.number) == ("greet", 1)
    assert machines(aws) == [f"a-stack-with-a-l-greet-{version.definition_digest[:12]}"]
    stored = aws.stepfunctions.describe_state_machine(stateMachineArn=version.machine)
    assert stored["definition"] == aws.plans().text(version, "definition")
    assert "function:s-send_message:live" in stored["definition"]
    assert aws.plans().text(version, "document").encode() == aws.document()
    assert (version.title, version.description) == ("问候", "Says it")
    graph = json.loads(aws.plans().text(version, "graph"))
    assert graph == {
        "name": "greet",
        "title": "问候",
        "entry": {"nodeId": "say", "port": "in"},
        "nodes": [
            {"id": "say", "type": "send_message", "title": "", "look": "outside", "enclosing": []},
            {"id": "done", "type": "end", "title": "", "look": "succeeded", "enclosing": []},
        ],
        "regions": [],
        "edges": [
            {
                "id": "said",
                "source": {"nodeId": "say", "port": "completed"},
                "target": {"nodeId": "done", "port": "in"},
            }
        ],
    }


def test_unchanged_is_the_version_that_stands(aws: Any) -> None:
    first = publish_plan(aws.publisher(), "greet", aws.document())
    again = publish_plan(aws.publisher(), "greet", aws.document())
    assert (again.created, again.version) == (False, first.version)


def test_publishing_again_brings_back_a_machine_that_was_deleted(aws: Any) -> None:
    version = publish_plan(aws.publisher(), "greet", aws.document()).version
    aws.stepfunctions.delete_state_machine(stateMachineArn=version.machine)
    assert not publish_plan(aws.publisher(), "greet", aws.document()).created
    assert len(machines(aws)) == 1


def test_another_document_is_another_version(aws: Any) -> None:
    publish_plan(aws.publisher(), "greet", aws.document("one"))
    assert publish_plan(aws.publisher(), "greet", aws.document("two")).version.number == 2
    back = publish_plan(aws.publisher(), "greet", aws.document("one"))
    assert (back.version.number, back.created) == (3, True)
    assert len(machines(aws)) == 2  # versions 1 and 3 are the same machine


def test_other_bytes_of_the_same_plan_are_a_version_on_the_same_machine(aws: Any) -> None:
    first = publish_plan(aws.publisher(), "greet", aws.document())
    second = publish_plan(aws.publisher(), "greet", aws.document() + b"\n# a remark\n")
    assert second.created and second.version.machine == first.version.machine


def test_another_definition_of_the_same_document_is_a_version(aws: Any) -> None:
    publish_plan(aws.publisher(), "greet", aws.document())
    elsewhere = aws.publisher("arn:aws:lambda:eu-west-1:123456789012:function:s-{type}:live")
    assert publish_plan(elsewhere, "greet", aws.document()).version.number == 2


def test_errors_publish_nothing(aws: Any) -> None:
    for document in (b"", b"\xff", aws.document().replace(b"target:", b"aim:"), b"{"):
        with pytest.raises(Unfit) as refused:
            publish_plan(aws.publisher(), "greet", document)
        assert refused.value.code == "plan.invalid"
        assert refused.value.facts["diagnostics"]
    assert machines(aws) == [] and aws.plans().head("greet") is None


def test_json_documents(aws: Any) -> None:
    plan = {
        "apiVersion": "loop.plan/v1",
        "kind": "PlanVersion",
        "graph": {
            "entry": {"nodeId": "done", "port": "in", "input": {}},
            "nodes": [{"id": "done", "type": "end", "end": {"outcome": "succeeded"}}],
            "edges": [],
        },
    }
    assert publish_plan(aws.publisher(), "j", json.dumps(plan).encode()).version.number == 1


def test_large_documents_and_definitions_go_to_the_bucket(aws: Any) -> None:
    document = aws.document("好" * 20_000)
    version = publish_plan(aws.publisher(), "greet", document).version
    assert isinstance(version.texts["document"], Stored) and isinstance(version.texts["definition"], Stored)
    assert aws.plans().text(aws.plans().version("greet", 1), "document").encode() == document
    assert not publish_plan(aws.publisher(), "greet", document).created


def test_machine_names_are_cut() -> None:
    name = machine_name("s" * 30, "p" * 63, "0123456789abcdef")
    assert name == "s" * 16 + "-" + "p" * 40 + "-0123456789ab"
    assert len(name) <= 80


def test_a_machine_of_that_name_that_is_not_ours(aws: Any) -> None:
    version = publish_plan(aws.publisher(), "greet", aws.document()).version
    publisher = aws.publisher()

    class Taken:
        exceptions = aws.stepfunctions.exceptions

        def create_state_machine(self, **_: Any) -> None:
            raise self.exceptions.StateMachineAlreadyExists(
                {"Error": {"Code": "StateMachineAlreadyExists", "Message": ""}}, "CreateStateMachine"
            )

    object.__setattr__(publisher.engine, "_client", Taken())
    with pytest.raises(Conflicting) as refused:
        publish_plan(publisher, "greet", aws.document())
    assert refused.value.code == "publish.machine_taken"
    assert aws.plans().head("greet").latest == version.number


def at_once(count: int, act: Any) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_sixteen_publishers_of_different_documents(aws: Any) -> None:
    numbers: dict[int, int] = {}

    def publish(number: int) -> None:
        numbers[number] = publish_plan(aws.publisher(), "greet", aws.document(f"text {number}")).version.number

    at_once(16, publish)
    assert sorted(numbers.values()) == list(range(1, 17))
    for number, version in numbers.items():
        stored = aws.plans().version("greet", version)
        assert aws.plans().text(stored, "document").encode() == aws.document(f"text {number}")
    assert aws.plans().head("greet").latest == 16


def test_sixteen_publishers_of_one_document(aws: Any) -> None:
    found: list[tuple[int, bool]] = []

    def publish(_: int) -> None:
        published = publish_plan(aws.publisher(), "greet", aws.document())
        found.append((published.version.number, published.created))

    at_once(16, publish)
    assert {number for number, _ in found} == {1}
    assert sum(created for _, created in found) == 1
    assert aws.plans().head("greet").latest == 1


def test_a_publisher_who_always_loses_is_told(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = aws.publisher()
    monkeypatch.setattr(type(publisher.plans), "add_version", lambda *_: None)
    with pytest.raises(Conflicting) as refused:
        publish_plan(publisher, "greet", aws.document())
    assert refused.value.code == "publish.conflict"
    assert aws.plans().head("greet") is None


def test_a_write_whose_reply_was_lost_is_our_own_version(aws: Any) -> None:
    publisher = aws.publisher()
    client = aws.dynamodb
    cancelled = client.exceptions.TransactionCanceledException(
        {
            "Error": {"Code": "TransactionCanceledException", "Message": ""},
            "CancellationReasons": [{"Code": "ConditionalCheckFailed"}, {"Code": "ConditionalCheckFailed"}],
        },
        "TransactWriteItems",
    )

    class Repeats:
        """The SDK sends the transaction twice; the second meets the first, as after the token's ten minutes."""

        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

        def transact_write_items(self, **request: Any) -> None:
            client.transact_write_items(**request)
            raise cancelled

    publisher.plans._dynamodb = Repeats()
    published = publish_plan(publisher, "greet", aws.document())
    assert (published.created, published.version.number) == (True, 1)
    assert aws.plans().head("greet").latest == 1


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError"])
def test_passing_refusals_are_tried_again(aws: Any, reason: str) -> None:
    publisher = aws.publisher()
    client = aws.dynamodb
    left = [1, 2]

    class Busy:
        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

        def transact_write_items(self, **request: Any) -> Any:
            if left:
                left.pop()
                raise client.exceptions.TransactionCanceledException(
                    {
                        "Error": {"Code": "TransactionCanceledException", "Message": ""},
                        "CancellationReasons": [{"Code": "None"}, {"Code": reason}],
                    },
                    "TransactWriteItems",
                )
            return client.transact_write_items(**request)

    publisher.plans._dynamodb = Busy()
    assert publish_plan(publisher, "greet", aws.document()).created


@pytest.mark.parametrize("after", [False, True])
def test_wherever_publishing_dies_a_repeated_call_heals_it(aws: Any, after: bool) -> None:
    long = "x" * 40_000
    counting = aws.crash()
    publish_plan(counting.publisher(), "clean", aws.document(long))
    calls = counting.crashing.calls
    assert {"create_state_machine", "put_object", "transact_write_items"} <= set(calls)
    for at in range(1, len(calls) + 1):
        name = f"dies_{at}_{after}"
        with pytest.raises(BaseException, match=calls[at - 1]):
            publish_plan(aws.crash(at, after).publisher(), name, aws.document(long))
        published = publish_plan(aws.publisher(), name, aws.document(long))
        assert published.version.number == 1 == aws.plans().head(name).latest
        assert sum(f"-{name}-" in machine for machine in machines(aws)) == 1
        assert aws.plans().text(aws.plans().version(name, 1), "document").encode() == aws.document(long)
