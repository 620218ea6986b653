"""The plans table. It says what happened; what that means for a caller is the services' to say."""

from __future__ import annotations

import dataclasses
from typing import Any, Generic, TypeVar

from loopstep.gateways.objects import Objects
from loopstep.plans import items, keys
from loopstep.plans.records import Draft, PlanHead, PlanVersion, Stored, digest
from loopstep.plans.schema import BY_KIND

T = TypeVar("T")
P = TypeVar("P")

# Somebody else was faster, or nothing was written for now: read again, decide again.
_LOST = {"ConditionalCheckFailed", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


@dataclasses.dataclass(frozen=True, slots=True)
class Page(Generic[T, P]):
    """Some records of a list, and the place after which the next page begins (None at the end)."""

    records: tuple[T, ...]
    next: P | None = None


class PlanStore:
    """Plans by name and version. Every read that decides is consistent; versions are kept once read."""

    def __init__(self, dynamodb: Any, table: str, objects: Objects) -> None:
        self._dynamodb = dynamodb
        self._table = table
        self._objects = objects
        self._kept: dict[tuple[str, int], PlanVersion] = {}

    def head(self, name: str) -> PlanHead | None:
        """The head of the plan, or None for an unknown plan."""
        item = self._get(name, keys.HEAD)
        return items.read_head(item) if item else None

    def version(self, name: str, number: int) -> PlanVersion | None:
        """The version of that number, or None."""
        if (name, number) not in self._kept:
            item = self._get(name, keys.version(number))
            if not item:
                return None
            self._keep(items.read_version(item))
        return self._kept[name, number]

    def text(self, version: PlanVersion, name: str) -> str:
        """One text of the version (a name of `records.TEXTS`), wherever it lies."""
        text = version.texts[name]
        return self._objects.get(text.key) if isinstance(text, Stored) else text

    def add_version(self, draft: Draft, after: PlanHead | None, owner: str, now: str) -> PlanVersion | None:
        """Store the draft as the version that follows `after` (None: as the first), or None where another was faster.

        `owner` is the caller's own random text: when the reply of a write was lost and the SDK's repetition meets the
        item it wrote itself, the owner tells that from somebody else's.
        """
        number = after.latest + 1 if after else 1
        version = self._placed(draft, number, owner, now)
        created = after.created_at if after else now
        head = PlanHead(draft.name, number, draft.title, draft.description, created, now)
        if self._commit(version, head) or self._is_ours(version):
            self._keep(version)
            return version
        return None

    def plans(self, limit: int, after: str | None = None) -> Page[PlanHead, str]:
        """Heads by name. The list may lag a moment behind; it never decides."""
        start = {"kind": {"S": keys.KIND}, "name": {"S": after}} if after else None
        if start and after:
            start |= {"pk": {"S": keys.partition(after)}, "sk": {"S": keys.HEAD}}
        answer = self._query(
            start,
            IndexName=BY_KIND,
            KeyConditionExpression="#kind = :kind",
            ExpressionAttributeNames={"#kind": "kind"},
            ExpressionAttributeValues={":kind": {"S": keys.KIND}},
            Limit=limit,
        )
        heads = tuple(items.read_head(item) for item in answer["Items"])
        return Page(heads, heads[-1].name if heads and "LastEvaluatedKey" in answer else None)

    def versions(self, name: str, limit: int, before: int | None = None) -> Page[PlanVersion, int]:
        """Versions of a plan, the newest first."""
        start = {"pk": {"S": keys.partition(name)}, "sk": {"S": keys.version(before)}} if before else None
        answer = self._query(
            start,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :versions)",
            ExpressionAttributeValues={":pk": {"S": keys.partition(name)}, ":versions": {"S": keys.VERSIONS}},
            ConsistentRead=True,
            ScanIndexForward=False,
            Limit=limit,
        )
        found = tuple(items.read_version(item) for item in answer["Items"])
        return Page(found, found[-1].number if found and "LastEvaluatedKey" in answer else None)

    def _get(self, name: str, sort: str) -> items.Item | None:
        key = {"pk": {"S": keys.partition(name)}, "sk": {"S": sort}}
        answer = self._dynamodb.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        item: items.Item | None = answer.get("Item")
        return item

    def _query(self, start: items.Item | None, **query: Any) -> dict[str, Any]:
        if start:
            query["ExclusiveStartKey"] = start
        answer: dict[str, Any] = self._dynamodb.query(TableName=self._table, **query)
        return answer

    def _placed(self, draft: Draft, number: int, owner: str, now: str) -> PlanVersion:
        """The version record, its long texts written to the bucket first."""
        return PlanVersion(
            name=draft.name,
            number=number,
            title=draft.title,
            description=draft.description,
            machine=draft.machine,
            fences=draft.fences,
            document_digest=draft.document_digest,
            definition_digest=draft.definition_digest,
            created_at=now,
            owner=owner,
            texts={name: self._place(draft.name, name, text) for name, text in draft.texts.items()},
            timeout=draft.timeout,
            published_by=draft.published_by,
        )

    def _place(self, plan: str, field: str, text: str) -> str | Stored:
        size = len(text.encode("utf-8"))
        if size <= items.INLINE_BYTES:
            return text
        key = keys.document_object(plan, field, digest(text))
        self._objects.put(key, text)
        return Stored(key, size)

    def _commit(self, version: PlanVersion, head: PlanHead) -> bool:
        # Two publishers who read the same head write the same version number. The version's condition lets one of
        # them through; the head's keeps a publisher out who read it before others moved it on:
        #   A reads head 3          B reads head 3
        #   A puts v4, head 3 → 4   B puts v4: refused; reads head 4, puts v5
        never_written = "attribute_not_exists(pk)"
        put_head: dict[str, Any] = {"TableName": self._table, "Item": items.head_item(head)}
        if head.latest == 1:
            put_head["ConditionExpression"] = never_written
        else:
            put_head["ConditionExpression"] = "latest = :before"
            put_head["ExpressionAttributeValues"] = {":before": {"N": str(head.latest - 1)}}
        put_version = {
            "TableName": self._table,
            "Item": items.version_item(version),
            "ConditionExpression": never_written,
        }
        try:
            self._dynamodb.transact_write_items(TransactItems=[{"Put": put_version}, {"Put": put_head}])
        except self._dynamodb.exceptions.TransactionCanceledException as refused:
            if not _lost_a_race(refused):
                raise
            return False
        return True

    def _is_ours(self, version: PlanVersion) -> bool:
        item = self._get(version.name, keys.version(version.number))
        return item is not None and item["owner"]["S"] == version.owner

    def _keep(self, version: PlanVersion) -> None:
        if len(self._kept) >= 64:
            self._kept.pop(next(iter(self._kept)))
        self._kept[version.name, version.number] = version


def _lost_a_race(refused: Any) -> bool:
    reasons = {reason.get("Code", "None") for reason in refused.response.get("CancellationReasons", [])}
    return bool(reasons & _LOST)
