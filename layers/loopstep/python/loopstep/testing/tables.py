"""Tables and a bucket in memory, as far as the stores use them: transactions, conditions, consistent reads, ranges.

Every operation holds one lock, so threads race between calls, as on AWS.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError

from loopstep.testing.conditions import Item, NotSupported, condition, holds, updated

Key = tuple[str, str]
RUNS, PLANS, BUCKET = "runs", "plans", "values"
KEYS = {RUNS: ("run", "sk"), PLANS: ("pk", "sk")}  # by table

_PARTITION = re.compile(r"\s*(#?\w+) = (:\w+)")
_BATCH = 100  # what one request may ask for or write


class Canceled(ClientError):
    """TransactionCanceledException."""


class Failed(ClientError):
    """ConditionalCheckFailedException."""


class Conflict(ClientError):
    """TransactionConflictException; nothing here raises it, stores name it."""


class NoSuchKey(ClientError):
    """NoSuchKey."""


class MemoryTable:
    """A DynamoDB client. `tables`: the names of both keys by table."""

    exceptions = SimpleNamespace(
        TransactionCanceledException=Canceled,
        ConditionalCheckFailedException=Failed,
        TransactionConflictException=Conflict,
    )

    def __init__(self, tables: Mapping[str, tuple[str, str]] = KEYS) -> None:
        self._keys = dict(tables)
        self._tables: dict[str, dict[str, dict[str, Item]]] = {name: {} for name in tables}
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Empty every table."""
        for table in self._tables.values():
            table.clear()

    def scan(self, TableName: str) -> Item:
        """Every item."""
        return {"Items": deepcopy([item for part in self._tables[TableName].values() for item in part.values()])}

    def get_item(self, TableName: str, Key: Item, ConsistentRead: bool) -> Item:
        """One item."""
        with self._lock:
            found = self._find(TableName, self._place(TableName, Key))
            return {"Item": deepcopy(found)} if found is not None else {}

    def batch_get_item(self, RequestItems: Item) -> Item:
        """At most 100 different items of one table."""
        ((table, request),) = RequestItems.items()
        wanted = [self._place(table, key) for key in request["Keys"]]
        _demand(1 <= len(wanted) == len(set(wanted)) <= _BATCH and request["ConsistentRead"], "BatchGetItem")
        with self._lock:
            found = [self._find(table, place) for place in wanted]
            return {"Responses": {table: [deepcopy(item) for item in found if item is not None]}}

    def query(
        self,
        *,
        TableName: str,
        KeyConditionExpression: str,
        ExpressionAttributeValues: Item,
        ConsistentRead: bool,
        ExpressionAttributeNames: Item | None = None,
        FilterExpression: str = "",
        ProjectionExpression: str = "",
        Limit: int = 10**9,
        ScanIndexForward: bool = True,
        ExclusiveStartKey: Item | None = None,
    ) -> Item:
        """Items of one partition in the order of their sort keys."""
        names, values = ExpressionAttributeNames or {}, ExpressionAttributeValues
        is_key, sort = condition(KeyConditionExpression), self._keys[TableName][1]
        start = _PARTITION.match(KeyConditionExpression)
        if start is None:
            raise NotSupported(KeyConditionExpression)
        after = ExclusiveStartKey[sort]["S"] if ExclusiveStartKey else None
        with self._lock:
            part = self._tables[TableName].get(values[start[2]]["S"], {})
            places = sorted(part, reverse=not ScanIndexForward)
            if after is not None:
                places = [each for each in places if (each > after if ScanIndexForward else each < after)]
            found = [part[place] for place in places if is_key(part[place], names, values)]
            return self._page(TableName, found, Limit, FilterExpression, ProjectionExpression, names, values)

    def _page(
        self, table: str, found: list[Item], limit: int, test: str, projection: str, names: Item, values: Item
    ) -> Item:
        more = (
            {"LastEvaluatedKey": {name: found[limit - 1][name] for name in self._keys[table]}} if found[limit:] else {}
        )
        kept = [each for each in found[:limit] if not test or holds(test, each, names, values)]
        wanted = {names.get(each, each) for each in projection.split(", ")} if projection else None
        shown = [{name: each[name] for name in each if wanted is None or name in wanted} for each in kept]
        return {"Items": deepcopy(shown), **more}

    def put_item(self, **action: Any) -> Item:
        """Write one item. Raises ConditionalCheckFailedException."""
        return self._alone("Put", action)

    def update_item(self, **action: Any) -> Item:
        """Change one item. Raises ConditionalCheckFailedException."""
        return self._alone("Update", action)

    def delete_item(self, **action: Any) -> Item:
        """Remove one item. Raises ConditionalCheckFailedException."""
        return self._alone("Delete", action)

    def transact_write_items(self, TransactItems: list[Item]) -> Item:
        """All of it or nothing. Raises TransactionCanceledException with a reason for each."""
        actions = [next(iter(each.items())) for each in TransactItems]
        places = [self._target(action) for _, action in actions]
        _demand(len(actions) <= _BATCH and len(set(places)) == len(places), "TransactWriteItems")
        with self._lock:
            reasons = [self._reason(action) for _, action in actions]
            if any(reason["Code"] != "None" for reason in reasons):
                error: Any = {"Error": {"Code": "TransactionCanceledException", "Message": ""}}
                raise Canceled(error | {"CancellationReasons": reasons}, "TransactWriteItems")
            for kind, action in actions:
                self._act(kind, action)
        return {}

    def _alone(self, kind: str, action: Item) -> Item:
        with self._lock:
            reason = self._reason(action)
            if reason["Code"] != "None":
                raise Failed({"Error": {"Code": "ConditionalCheckFailedException", "Message": ""}}, f"{kind}Item")
            self._act(kind, action)
        return {}

    def _act(self, kind: str, action: Item) -> None:
        table, (partition, sort) = self._target(action)
        part = self._tables[table].setdefault(partition, {})
        if kind == "Put":
            part[sort] = deepcopy(action["Item"])
        elif kind == "Update":
            part[sort] = updated(part.get(sort, dict(action["Key"])), action)
        elif kind == "Delete":
            part.pop(sort, None)

    def _reason(self, action: Item) -> Item:
        test, found = action.get("ConditionExpression"), self._find(*self._target(action))
        names, values = action.get("ExpressionAttributeNames", {}), action.get("ExpressionAttributeValues", {})
        if not test or holds(test, found or {}, names, values):
            return {"Code": "None"}
        return {"Code": "ConditionalCheckFailed", **({"Item": deepcopy(found)} if found is not None else {})}

    def _target(self, action: Item) -> tuple[str, Key]:
        return action["TableName"], self._place(action["TableName"], action.get("Item", action.get("Key")))

    def _place(self, table: str, item: Any) -> Key:
        partition, sort = self._keys[table]
        return item[partition]["S"], item[sort]["S"]

    def _find(self, table: str, place: Key) -> Item | None:
        return self._tables[table].get(place[0], {}).get(place[1])


class MemoryBucket:
    """An S3 client with one bucket; `objects` are its bytes by key."""

    exceptions = SimpleNamespace(NoSuchKey=NoSuchKey)

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def put_object(self, Bucket: str, Key: str, Body: Any, ContentType: str = "") -> Item:
        """Write an object, of bytes or of an open file."""
        self.objects[Key] = Body if isinstance(Body, bytes) else Body.read()
        return {}

    def get_object(self, Bucket: str, Key: str, Range: str = "") -> Item:
        """An object, or a range of it. Raises NoSuchKey."""
        if Key not in self.objects:
            raise NoSuchKey({"Error": {"Code": "NoSuchKey", "Message": ""}}, "GetObject")
        body = self.objects[Key]
        if not Range:
            return {"Body": _Body(body)}
        first, last = map(int, Range.removeprefix("bytes=").split("-"))
        if first >= len(body):
            raise ClientError({"Error": {"Code": "InvalidRange", "Message": ""}}, "GetObject")
        return {"Body": _Body(body[first : last + 1]), "ContentRange": Range}

    def delete_object(self, Bucket: str, Key: str) -> Item:
        """Remove an object, there or not."""
        self.objects.pop(Key, None)
        return {}

    def list_objects_v2(self, Bucket: str, Prefix: str, MaxKeys: int = 10**9) -> Item:
        """The objects whose keys begin so, in the order of their keys."""
        found = sorted(key for key in self.objects if key.startswith(Prefix))[:MaxKeys]
        then = datetime(2026, 1, 1, tzinfo=UTC)
        return {"Contents": [{"Key": key, "Size": len(self.objects[key]), "LastModified": then} for key in found]}

    def generate_presigned_url(self, operation: str, Params: Item, ExpiresIn: int) -> str:
        """An address that leads nowhere."""
        return f"memory:{Params['Key']}"


class _Body(io.BytesIO):
    def iter_chunks(self, size: int) -> Iterable[bytes]:
        """The bytes, some at a time."""
        return iter(lambda: self.read(size), b"")


def _demand(right: Any, operation: str) -> None:
    if not right:
        raise ClientError({"Error": {"Code": "ValidationException", "Message": operation}}, operation)
