"""A table and a bucket in memory, as far as runs use them: atomic transactions, conditions, consistent reads, ranges.

moto copies a whole table for every transaction, which whole runs with regions cannot afford; that both answer alike is
a test of its own. Every operation holds one lock, so threads race between calls, as on AWS.
"""

from __future__ import annotations

import io
import operator
import re
import threading
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

from botocore.exceptions import ClientError
from runtime_world import World

Item = dict[str, Any]
Test = Callable[[Item, Item, Item], Any]  # of the item, the expression's names, its values

_TOKEN = re.compile(r"\s*([#:]?[A-Za-z_][A-Za-z0-9_]*|\d+|<>|<=|>=|[=<>(),\[\]])")
_COMPARE = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


class MemoryTable:
    """A DynamoDB client with one table, whose keys are `run` and `sk`."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], Item] = {}
        self._lock = threading.Lock()

    def clear(self) -> None:
        self._items.clear()

    def scan(self, TableName: str) -> Item:
        return {"Items": deepcopy(list(self._items.values()))}

    def get_item(self, TableName: str, Key: Item, ConsistentRead: bool) -> Item:
        with self._lock:
            found = self._items.get(_key(Key))
            return {"Item": deepcopy(found)} if found is not None else {}

    def batch_get_item(self, RequestItems: Item) -> Item:
        ((table, request),) = RequestItems.items()
        wanted = [_key(key) for key in request["Keys"]]
        assert 1 <= len(wanted) == len(set(wanted)) <= 100 and request["ConsistentRead"]
        with self._lock:
            return {"Responses": {table: [deepcopy(self._items[key]) for key in wanted if key in self._items]}}

    def query(
        self,
        *,
        TableName: str,
        KeyConditionExpression: str,
        ExpressionAttributeNames: Item,
        ExpressionAttributeValues: Item,
        ConsistentRead: bool,
        FilterExpression: str = "",
        ProjectionExpression: str = "",
        Limit: int = 10**9,
        ExclusiveStartKey: Item | None = None,
    ) -> Item:
        names, values = ExpressionAttributeNames, ExpressionAttributeValues
        after = _key(ExclusiveStartKey) if ExclusiveStartKey else ("", "")
        is_key = condition(KeyConditionExpression)
        with self._lock:
            places = sorted(key for key in self._items if key > after)
            found = [self._items[key] for key in places if is_key(self._items[key], names, values)]
            more = (
                {"LastEvaluatedKey": {name: found[Limit - 1][name] for name in ("run", "sk")}} if found[Limit:] else {}
            )
            kept = [
                each for each in found[:Limit] if not FilterExpression or _holds(FilterExpression, each, names, values)
            ]
            wanted = {names[each] for each in ProjectionExpression.split(", ")} if ProjectionExpression else None
            shown = [{name: each[name] for name in each if wanted is None or name in wanted} for each in kept]
            return {"Items": deepcopy(shown), **more}

    def transact_write_items(self, TransactItems: list[Item]) -> Item:
        actions = [next(iter(each.items())) for each in TransactItems]
        keys = [_key(action.get("Item", action.get("Key"))) for _, action in actions]
        assert len(actions) <= 100 and len(set(keys)) == len(keys)
        with self._lock:
            reasons = [self._reason(key, action) for key, (_, action) in zip(keys, actions, strict=True)]
            if any(reason["Code"] != "None" for reason in reasons):
                error: Any = {"Error": {"Code": "TransactionCanceledException", "Message": ""}}
                raise ClientError(error | {"CancellationReasons": reasons}, "TransactWriteItems")
            for key, (kind, action) in zip(keys, actions, strict=True):
                if kind == "Put":
                    self._items[key] = deepcopy(action["Item"])
                elif kind == "Update":
                    self._items[key] = _updated(self._items.get(key, dict(action["Key"])), action)
                elif kind == "Delete":
                    self._items.pop(key, None)
        return {}

    def _reason(self, key: tuple[str, str], action: Item) -> Item:
        test, found = action.get("ConditionExpression"), self._items.get(key)
        names, values = action.get("ExpressionAttributeNames", {}), action.get("ExpressionAttributeValues", {})
        if not test or _holds(test, found or {}, names, values):
            return {"Code": "None"}
        return {"Code": "ConditionalCheckFailed", **({"Item": deepcopy(found)} if found is not None else {})}


class MemoryBucket:
    """An S3 client with one bucket."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def put_object(self, Bucket: str, Key: str, Body: bytes) -> Item:
        self.objects[Key] = Body
        return {}

    def get_object(self, Bucket: str, Key: str, Range: str = "") -> Item:
        body = self.objects[Key]
        if not Range:
            return {"Body": io.BytesIO(body)}
        first, last = map(int, Range.removeprefix("bytes=").split("-"))
        return {"Body": io.BytesIO(body[first : last + 1]), "ContentRange": Range}


def _key(item: Any) -> tuple[str, str]:
    return item["run"]["S"], item["sk"]["S"]


def _holds(expression: str, item: Item, names: Item, values: Item) -> bool:
    return bool(condition(expression)(item, names, values))


def _updated(item: Item, action: Item) -> Item:
    names, values, new = action["ExpressionAttributeNames"], action["ExpressionAttributeValues"], deepcopy(item)
    sets, _, removes = action["UpdateExpression"].partition(" REMOVE ")
    for clause in re.split(r",(?![^(]*\))", sets.removeprefix("SET ")):
        target, _, source = clause.strip().partition(" = ")
        value = deepcopy(_Parser(source).operand()(item, names, values))
        name, _, index = target.rstrip("]").partition("[")
        if index:
            new[names[name]]["L"][int(index)] = value
        else:
            new[names[name]] = value
    for name in filter(None, removes.split(",")):
        new.pop(names[name.strip()], None)
    return new


@cache
def condition(expression: str) -> Test:
    """A condition of DynamoDB as a function."""
    parser = _Parser(expression)
    test = parser.either()
    assert parser.at == len(parser.tokens), expression
    return test


class _Parser:
    def __init__(self, expression: str) -> None:
        self.tokens = _TOKEN.findall(expression)
        assert "".join(self.tokens) == expression.replace(" ", ""), expression
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        assert not expected or token == expected, (self.tokens, self.at)
        self.at += 1
        return token

    def either(self) -> Test:
        tests = [self.both()]
        while self.peek() == "OR":
            self.take()
            tests.append(self.both())
        return lambda *of: any(test(*of) for test in tests)

    def both(self) -> Test:
        tests = [self.one()]
        while self.peek() == "AND":
            self.take()
            tests.append(self.one())
        return lambda *of: all(test(*of) for test in tests)

    def one(self) -> Test:
        if self.peek() == "NOT":
            self.take()
            denied = self.one()
            return lambda *of: not denied(*of)
        if self.peek() == "(":
            self.take()
            inner = self.either()
            self.take(")")
            return inner
        if self.peek() in ("attribute_exists", "attribute_not_exists", "begins_with"):
            return self.function(self.take())
        left, sign = self.operand(), self.take()
        if sign == "IN":
            choices = self.arguments()
            return lambda *of: left(*of) in [choice(*of) for choice in choices]
        compare, right = _COMPARE[sign], self.operand()
        return lambda *of: _comparable(left(*of), right(*of), compare)

    def function(self, name: str) -> Test:
        first, *rest = self.arguments()
        if name == "begins_with":
            return lambda *of: first(*of)["S"].startswith(rest[0](*of)["S"])
        return lambda *of: (first(*of) is not None) is (name == "attribute_exists")

    def arguments(self) -> list[Test]:
        self.take("(")
        found = [self.operand()]
        while self.take() == ",":
            found.append(self.operand())
        return found

    def operand(self) -> Test:
        token = self.take()
        if token == "size":
            (inner,) = self.arguments()
            return lambda *of: {"N": str(len(next(iter(inner(*of).values()))))} if inner(*of) else None
        if token == "list_append":
            one, other = self.arguments()
            return lambda *of: {"L": one(*of)["L"] + other(*of)["L"]}
        if token == "if_not_exists":
            one, other = self.arguments()
            return lambda *of: other(*of) if one(*of) is None else one(*of)
        if token.startswith(":"):
            return lambda item, names, values: values[token]
        return lambda item, names, values: item.get(names[token])


def _comparable(left: Any, right: Any, compare: Callable[[Any, Any], bool]) -> bool:
    if left is None or right is None:
        return compare is operator.ne
    ((kind, one),), ((other_kind, other),) = left.items(), right.items()
    if kind != other_kind:
        return compare is operator.ne
    return compare(float(one), float(other)) if kind == "N" else compare(one, other)


class MemoryWorld(World):
    """A `World` over these two."""

    def __init__(self) -> None:
        self.dynamodb: Any = MemoryTable()
        self.s3: Any = MemoryBucket()
        self.slept: list[float] = []
        self._seed = 0
        self._reset()

    def clear(self) -> None:
        self.dynamodb.clear()
        self.s3.objects.clear()
        self._reset()
