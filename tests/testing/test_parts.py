"""What stands in memory: every node type has its function, tables answer as DynamoDB does, regular demands are met."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from loopstep.nodes.catalog import CATALOG
from loopstep.testing.conditions import NotSupported, condition, updated
from loopstep.testing.functions import Functions, Parts
from loopstep.testing.matching import MISSING, differences, unmatched
from loopstep.testing.payload import evaluated, selected
from loopstep.testing.sleeping import Invocation, sleeper
from loopstep.testing.tables import PLANS, MemoryBucket, MemoryTable


@pytest.mark.parametrize("kind", [*CATALOG, "close_run"])
def test_every_node_type_has_its_function(kind: str) -> None:
    functions = Functions(Parts.fresh())
    assert callable(functions.handler(kind)) and functions.handler(kind) is functions.handler(kind)


def item(sort: str, **more: Any) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": sort}, **more}


def test_items_are_found_in_order_both_ways_and_by_pages() -> None:
    table = MemoryTable()
    for name in ("c", "a", "b"):
        table.put_item(TableName=PLANS, Item=item(name))
    asked: dict[str, Any] = {
        "TableName": PLANS,
        "ConsistentRead": True,
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :a AND :b",
        "ExpressionAttributeValues": {":pk": {"S": "p"}, ":a": {"S": "a"}, ":b": {"S": "b"}},
    }
    assert [each["sk"]["S"] for each in table.query(**asked)["Items"]] == ["a", "b"]
    back = table.query(**asked, ScanIndexForward=False, Limit=1)
    assert [each["sk"]["S"] for each in back["Items"]] == ["b"]
    rest = table.query(**asked, ScanIndexForward=False, ExclusiveStartKey=back["LastEvaluatedKey"])
    assert [each["sk"]["S"] for each in rest["Items"]] == ["a"] and "LastEvaluatedKey" not in rest


def test_a_transaction_is_all_or_nothing() -> None:
    table = MemoryTable()
    new = {"ConditionExpression": "attribute_not_exists(pk)"}
    table.put_item(TableName=PLANS, Item=item("a"), **new)
    puts = [{"Put": {"TableName": PLANS, "Item": item(name), **new}} for name in ("b", "a")]
    with pytest.raises(table.exceptions.TransactionCanceledException) as refused:
        table.transact_write_items(TransactItems=puts)
    reasons = refused.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert len(table.scan(PLANS)["Items"]) == 1
    with pytest.raises(table.exceptions.ConditionalCheckFailedException):
        table.put_item(TableName=PLANS, Item=item("a"), **new)
    table.delete_item(TableName=PLANS, Key=item("a"))
    assert table.scan(PLANS)["Items"] == []


def test_an_update_sets_and_removes() -> None:
    action = {
        "UpdateExpression": "SET #a = :v, n = if_not_exists(n, :v) REMOVE gone, #g",
        "ExpressionAttributeNames": {"#a": "a", "#g": "g"},
        "ExpressionAttributeValues": {":v": {"N": "1"}},
    }
    before = item("a", gone={"S": "x"}, g={"S": "y"}, n={"N": "7"})
    assert updated(before, action) == item("a", a={"N": "1"}, n={"N": "7"})


@pytest.mark.parametrize("expression", ["a ~ :b", "a = ", "(a = :b", "a = :b c", "contains(a, :b) AND"])
def test_what_is_not_supported_is_said(expression: str) -> None:
    with pytest.raises((NotSupported, KeyError)):
        condition(expression)


def test_objects_and_ranges() -> None:
    bucket = MemoryBucket()
    bucket.put_object("b", "k", b"hello")
    assert bucket.get_object("b", "k", Range="bytes=1-2")["Body"].read() == b"el"
    with pytest.raises(ClientError):
        bucket.get_object("b", "k", Range="bytes=9-10")
    bucket.delete_object("b", "k")
    with pytest.raises(bucket.exceptions.NoSuchKey):
        bucket.get_object("b", "k")


@pytest.mark.parametrize(
    ("expected", "actual", "places"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, ["/a"]),
        ({"a": 1}, {"a": 1, "b": 2}, ["/b"]),
        ({"a": [1, 2]}, {"a": [1]}, ["/a/1"]),
        ([1], [1, 2], ["/1"]),
        ({"a/b": None}, {}, ["/a~1b"]),
        ({"a": {"$any": True}}, {"a": None}, []),
        ({"a": {"$any": True}}, {}, ["/a"]),
        ({"a": {"$any": False}}, {}, []),
        ({"$contains": "el"}, "hello", []),
        ({"$contains": {"n": 1}}, [{"n": 1}], []),
        ({"$contains": "x"}, 5, [""]),
        ({"$matches": "^h.*o$"}, "hello", []),
        ({"$matches": "x"}, 5, [""]),
        ({"$includes": {"a": {"$includes": {"b": 1}}}}, {"a": {"b": 1, "c": 2}, "d": 3}, []),
        ({"$includes": {"a": 2}}, {"a": 1}, [""]),
        ({"$any": True, "b": 1}, {"b": 1}, ["/$any"]),
    ],
)
def test_differences(expected: Any, actual: Any, places: list[str]) -> None:
    assert [each.path for each in differences(expected, actual)] == places


def test_what_is_unmatched_on_either_side() -> None:
    assert unmatched([1, {"$any": True}, 3], [3, 2, 1]) == ([], [])
    assert unmatched([1, 1], [1, 2]) == ([1], [2])
    assert MISSING is not None


def test_payloads() -> None:
    states = {"input": {"n": 2, "list": [1, 2]}, "context": {"Map": {"Item": {"Index": 4}}}}
    said = {"a": "{% $states.input.n + 1 %}", "b": "{% $states.context.Map.Item.Index %}", "c": "plain", "d": [1]}
    assert evaluated(said, states) == {"a": 3, "b": 4, "c": "plain", "d": [1]}
    assert selected({"a.$": "$.n", "b.$": "$$.x.y", "c": 1}, {"n": 1}, {"x": {"y": 2}}) == {"a": 1, "b": 2, "c": 1}


def test_an_invocation_sleeps_on_the_clock_of_who_walks_it() -> None:
    now = [0.0]

    def act() -> str:
        here = sleeper()
        assert here is not None
        here.sleep(lambda: now[0], 5.0)
        return "done"

    walk = Invocation(act).walk()
    assert next(walk) == 5.0 and next(walk) == 5.0
    now[0] = 5.0
    with pytest.raises(StopIteration) as done:
        next(walk)
    assert done.value.value == "done"


def test_an_invocation_that_nobody_waits_for_ends() -> None:
    ended = []

    def act() -> None:
        try:
            here = sleeper()
            assert here is not None
            here.sleep(lambda: 0.0, 5.0)
        finally:
            ended.append(True)

    walk = Invocation(act).walk()
    next(walk)
    walk.close()
    assert ended == [True]
