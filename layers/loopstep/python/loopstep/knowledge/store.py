"""The documents of sources in the plans table: every change is one transaction and moves the source's revision by one.

    objects written ─▶ [ head: revision r → r+1, if it is r · change r+1, if there is none · documents ]

All changes of a source pass through its head, so what a writer read before under the same revision still holds. An
object that no transaction names is nobody's document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from loopstep.knowledge import items, keys
from loopstep.knowledge.records import Change, Changed, Document, Head, Snapshot

# Somebody else was faster, or nothing was written for now: read again, decide again.
_LOST = {"ConditionalCheckFailed", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_BATCH = 100  # keys of one BatchGetItem
_READS = 6


class DocumentStore:
    """Over a DynamoDB client. Every read is consistent; `pause(n)` waits a moment after the n-th try."""

    def __init__(self, dynamodb: Any, table: str, pause: Callable[[int], None] = lambda attempt: None) -> None:
        self._dynamodb, self._table, self._pause = dynamodb, table, pause

    def head(self, source: str) -> Head:
        """The source's head; revision 0 where nothing was ever put."""
        return items.read_head(self._get(source, keys.HEAD))

    def document(self, source: str, id: str) -> Document | None:
        """The document, None where there is none."""
        item = self._get(source, keys.document(id))
        return items.read_document(item) if item else None

    def documents(self, source: str, ids: Iterable[str]) -> dict[str, Document]:
        """Those of these documents that there are, by id."""
        wanted = [items.key(source, keys.document(id)) for id in dict.fromkeys(ids)]
        found: dict[str, Document] = {}
        for attempt in range(_READS):
            asked, wanted = wanted[:_BATCH], wanted[_BATCH:]
            if not asked:
                return found
            request = {self._table: {"Keys": asked, "ConsistentRead": True}}
            answer = self._dynamodb.batch_get_item(RequestItems=request)
            for item in answer["Responses"].get(self._table, []):
                document = items.read_document(item)
                found[document.id] = document
            left = answer.get("UnprocessedKeys", {}).get(self._table, {}).get("Keys", [])
            if left:
                self._pause(attempt)
            wanted = [*left, *wanted]
        raise TimeoutError("documents could not be read")

    def page(self, source: str, limit: int, after: str | None = None) -> tuple[list[Document], str | None]:
        """At most `limit` documents by id, and the id after which the next page begins."""
        start = items.key(source, keys.document(after)) if after is not None else None
        answer = self._query(source, keys.DOCUMENTS, keys.AFTER_DOCUMENTS, start, Limit=limit)
        place = answer.get("LastEvaluatedKey")
        found = [items.read_document(item) for item in answer["Items"]]
        return found, place["sk"]["S"].removeprefix(keys.DOCUMENTS) if place else None

    def changes(self, source: str, after: int) -> Iterator[Change]:
        """The changes after that revision, in order."""
        start: items.Item | None = None
        while True:
            answer = self._query(source, keys.change(after + 1), keys.AFTER_CHANGES, start)
            yield from map(items.read_change, answer["Items"])
            start = answer.get("LastEvaluatedKey")
            if start is None:
                return

    def commit(
        self,
        source: str,
        head: Head,
        put: Sequence[Document],
        removed: Sequence[str],
        after: Head,
        owner: str,
        also: Sequence[dict[str, Any]] = (),
    ) -> bool:
        """Move the source from the `head` that was read to `after`, with these documents put and removed.

        False where another change was faster. `owner` is the caller's own random text: it tells an own write, whose
        reply was lost, from another's. `also`: conditions that have to hold in the same transaction.
        """
        changed = [Changed(each.id, each.key, each.title, each.kind, each.form, each.bytes) for each in put]
        change = Change(after.revision, (*changed, *map(Changed, removed)))
        actions = [
            {"Put": self._put(items.head_item(source, after), **_unmoved(head))},
            {"Put": self._put(items.change_item(source, change, owner), **_NEW)},
            *({"Put": self._put(items.document_item(source, each))} for each in put),
            *({"Delete": {"TableName": self._table, "Key": items.key(source, keys.document(id))}} for id in removed),
            *also,
        ]
        try:
            self._dynamodb.transact_write_items(TransactItems=actions)
        except self._dynamodb.exceptions.TransactionCanceledException as refused:
            if not {reason.get("Code") for reason in refused.response.get("CancellationReasons", [])} & _LOST:
                raise
            found = self._get(source, keys.change(after.revision))
            return found is not None and found["owner"]["S"] == owner
        return True

    def unmoved(self, source: str, head: Head) -> dict[str, Any]:
        """The condition, for another's transaction, that the source's documents are those of the head that was read."""
        key = items.key(source, keys.HEAD)
        return {"ConditionCheck": {"TableName": self._table, "Key": key, **_unmoved(head)}}

    def snapshot(self, source: str) -> Snapshot | None:
        """The newest snapshot of the source's index."""
        item = self._get(source, keys.SNAPSHOT)
        return items.read_snapshot(item) if item else None

    def replace_snapshot(self, source: str, snapshot: Snapshot) -> bool:
        """Make this the snapshot; False where a newer one of its format stands."""
        condition = {
            "ConditionExpression": "attribute_not_exists(pk) OR #format < :format OR revision < :revision",
            "ExpressionAttributeNames": {"#format": "format"},
            "ExpressionAttributeValues": {
                ":format": {"N": str(snapshot.format)},
                ":revision": {"N": str(snapshot.revision)},
            },
        }
        try:
            self._dynamodb.put_item(**self._put(items.snapshot_item(source, snapshot), **condition))
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def _get(self, source: str, sort: str) -> items.Item | None:
        answer = self._dynamodb.get_item(TableName=self._table, Key=items.key(source, sort), ConsistentRead=True)
        item: items.Item | None = answer.get("Item")
        return item

    def _query(self, source: str, low: str, high: str, start: items.Item | None, **more: Any) -> dict[str, Any]:
        values = {":pk": {"S": keys.partition(source)}, ":low": {"S": low}, ":high": {"S": high}}
        answer: dict[str, Any] = self._dynamodb.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk AND sk BETWEEN :low AND :high",
            ExpressionAttributeValues=values,
            **({"ExclusiveStartKey": start} if start else {}),
            **more,
        )
        return answer

    def _put(self, item: items.Item, **condition: Any) -> dict[str, Any]:
        return {"TableName": self._table, "Item": item, **condition}


_NEW: Mapping[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}


def _unmoved(head: Head) -> Mapping[str, Any]:
    """The condition of a head that is still the one that was read."""
    if head.revision == 0:
        return _NEW
    return {
        "ConditionExpression": "revision = :read",
        "ExpressionAttributeValues": {":read": {"N": str(head.revision)}},
    }
