"""The registry in the plans table. It says what happened; what that means for a caller is the services' to say."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from loopstep.gateways.objects import Objects
from loopstep.registry import items, keys
from loopstep.registry.records import Entry, Head, Version

Heads = list[Head]
Versions = list[Version]

_KEPT = 64  # versions, which never change

# Somebody else was faster, or nothing was written for now: read again, decide again.
_LOST = {"ConditionalCheckFailed", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class UnknownEntry(KeyError):
    """There is no such version; the message is `<kind> <id> <version>`."""


class RegistryStore:
    """Skills, agents, sources and scopes by id and version. Every read is consistent; versions are kept once read."""

    def __init__(self, dynamodb: Any, table: str, objects: Callable[[], Objects]) -> None:
        """`objects` is asked for only where a content is too large for an item."""
        self._dynamodb = dynamodb
        self._table = table
        self._objects = objects
        self._kept: OrderedDict[tuple[str, str, int], Entry] = OrderedDict()

    def get(self, kind: str, id: str, version: int) -> Entry:
        """The version of that number, removed or not. Raises UnknownEntry."""
        key = (kind, id, version)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        item = self._read(items.version_key(kind, id, version))
        if item is None:
            raise UnknownEntry(f"{kind} {id} {version}")
        return self._keep(Entry(kind, id, version, self._content(kind, id, item)))

    def latest(self, kind: str, id: str) -> Entry | None:
        """The newest version; None for what is not registered, or not any more."""
        head = self.head(kind, id)
        return None if head is None or head.removed else self.get(kind, id, head.latest)

    def head(self, kind: str, id: str) -> Head | None:
        """The head, also of what is removed; None for what never was registered."""
        item = self._read(items.head_key(kind, id))
        return None if item is None else items.read_head(kind, item)

    def list(self, kind: str) -> Heads:
        """The heads of everything registered of a kind, by id; what is removed left out."""
        heads: Heads = []
        after: str | None = None
        while True:
            page, after = self.page(kind, None, after)
            heads += page
            if after is None:
                return heads

    def page(self, kind: str, limit: int | None, after: str | None = None) -> tuple[Heads, str | None]:
        """At most `limit` heads by id (removed ones left out), and the id after which the next page begins."""
        query = {
            "KeyConditionExpression": "pk = :pk",
            "FilterExpression": "removed = :no",
            "ExpressionAttributeValues": {":pk": {"S": keys.heads(kind)}, ":no": {"BOOL": False}},
            **({"ExclusiveStartKey": items.head_key(kind, after)} if after is not None else {}),
            **({"Limit": limit} if limit is not None else {}),
        }
        answer = self._dynamodb.query(TableName=self._table, ConsistentRead=True, **query)
        place = answer.get("LastEvaluatedKey")
        return [items.read_head(kind, item) for item in answer["Items"]], place["sk"]["S"] if place else None

    def versions(self, kind: str, id: str, limit: int, before: int | None = None) -> tuple[Versions, int | None]:
        """Versions, the newest first, and the number before which the next page begins."""
        answer = self._dynamodb.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :versions)",
            ExpressionAttributeValues={":pk": {"S": keys.partition(kind, id)}, ":versions": {"S": keys.VERSIONS}},
            ScanIndexForward=False,
            Limit=limit,
            **({"ExclusiveStartKey": items.version_key(kind, id, before)} if before is not None else {}),
        )
        found = [items.read_version(kind, id, item) for item in answer["Items"]]
        return found, found[-1].number if found and "LastEvaluatedKey" in answer else None

    def add(self, head: Head, content: str, also: tuple[dict[str, Any], ...] = ()) -> bool:
        """Store the content as version `head.latest` and move the head there; False where another was faster.

        `head.owner` is the caller's own random text: when the reply of a write was lost and the SDK's repetition meets
        the item it wrote itself, the owner tells that from somebody else's. `also`: conditions that have to hold in the
        same transaction.
        """
        version = Version(head.kind, head.id, head.latest, head.digest, head.updated_at, head.owner)
        size: int | None = len(content.encode("utf-8"))
        if size is not None and size <= items.INLINE_BYTES:
            size = None
        if size is not None:
            self._objects().put(keys.content_object(head.kind, head.id, head.digest), content)
        if not self._commit(head, items.version_item(version, content, size), also) and not self._is_ours(head):
            return False
        self._keep(Entry(head.kind, head.id, head.latest, json.loads(content)))
        return True

    def unmoved(self, kind: str, id: str, latest: int) -> dict[str, Any]:
        """The condition, for another's transaction, that this is still the newest version, and not removed."""
        check = {
            "TableName": self._table,
            "Key": items.head_key(kind, id),
            "ConditionExpression": "latest = :read AND removed = :no",
            "ExpressionAttributeValues": {":read": {"N": str(latest)}, ":no": {"BOOL": False}},
        }
        return {"ConditionCheck": check}

    def remove(self, head: Head, owner: str, now: str) -> bool:
        """Mark the head that was read as removed; False where it is another by now."""
        try:
            self._dynamodb.update_item(
                TableName=self._table,
                Key=items.head_key(head.kind, head.id),
                UpdateExpression="SET removed = :yes, #owner = :mine, updated_at = :now",
                ConditionExpression="latest = :read AND removed = :no",
                ExpressionAttributeNames={"#owner": "owner"},
                ExpressionAttributeValues={
                    ":yes": {"BOOL": True},
                    ":no": {"BOOL": False},
                    ":mine": {"S": owner},
                    ":now": {"S": now},
                    ":read": {"N": str(head.latest)},
                },
            )
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            stands = self.head(head.kind, head.id)
            return stands is not None and stands.removed and stands.owner == owner
        except self._dynamodb.exceptions.TransactionConflictException:
            return False
        return True

    def _commit(self, head: Head, version_item: items.Item, also: tuple[dict[str, Any], ...]) -> bool:
        # Two writers who read the same head write the same version number. The version's condition lets one of them
        # through; the head's keeps a writer out who read it before others moved it on. Removing leaves `latest` as it
        # is: a version that is written beside it comes after it, and the thing is registered again.
        never_written = "attribute_not_exists(pk)"
        put_head: dict[str, Any] = {"TableName": self._table, "Item": items.head_item(head)}
        if head.latest == 1:
            put_head["ConditionExpression"] = never_written
        else:
            put_head["ConditionExpression"] = "latest = :before"
            put_head["ExpressionAttributeValues"] = {":before": {"N": str(head.latest - 1)}}
        put_version = {"TableName": self._table, "Item": version_item, "ConditionExpression": never_written}
        try:
            self._dynamodb.transact_write_items(TransactItems=[{"Put": put_version}, {"Put": put_head}, *also])
        except self._dynamodb.exceptions.TransactionCanceledException as refused:
            reasons = {reason.get("Code", "None") for reason in refused.response.get("CancellationReasons", [])}
            if not reasons & _LOST:
                raise
            return False
        return True

    def _is_ours(self, head: Head) -> bool:
        item = self._read(items.version_key(head.kind, head.id, head.latest))
        return item is not None and item["owner"]["S"] == head.owner

    def _content(self, kind: str, id: str, item: items.Item) -> dict[str, Any]:
        if "content" in item:
            text = item["content"]["S"]
        else:
            text = self._objects().get(keys.content_object(kind, id, item["digest"]["S"]))
        content: dict[str, Any] = json.loads(text)
        return content

    def _read(self, key: items.Item) -> items.Item | None:
        answer = self._dynamodb.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        item: items.Item | None = answer.get("Item")
        return item

    def _keep(self, entry: Entry) -> Entry:
        self._kept[entry.kind, entry.id, entry.version] = entry
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return entry
