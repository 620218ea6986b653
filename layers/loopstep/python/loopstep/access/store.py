"""Registered callers in the plans table: `access#caller`, one item an id. It says what happened."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from loopstep.access.actor import Actor, of_text

Item = dict[str, Any]

PARTITION = "access#caller"


class Registered(NamedTuple):
    """A caller: `id` as the gateway proves it (a key's id, an ARN), what people call it, and its roles."""

    id: str
    name: str
    roles: tuple[str, ...]
    generation: str
    created_at: str
    updated_at: str
    updated_by: Actor | None = None


class CallerStore:
    """Callers by id. Every read is consistent, every write conditional on the generation that was read."""

    def __init__(self, dynamodb: Any, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    def get(self, id: str) -> Registered | None:
        """The caller, or None."""
        answer = self._dynamodb.get_item(TableName=self._table, Key=_key(id), ConsistentRead=True)
        return _read(answer["Item"]) if "Item" in answer else None

    def page(self, limit: int, after: str | None = None) -> tuple[list[Registered], str | None]:
        """At most `limit` callers by id, and the id after which the next page begins."""
        answer = self._dynamodb.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": _key("")["pk"]},
            Limit=limit,
            **({"ExclusiveStartKey": _key(after)} if after is not None else {}),
        )
        place = answer.get("LastEvaluatedKey")
        return [_read(item) for item in answer["Items"]], place["sk"]["S"] if place else None

    def put(self, caller: Registered, before: Registered | None) -> bool:
        """Store it in the place of `before`; False where another stands there by now."""
        try:
            self._dynamodb.put_item(TableName=self._table, Item=_item(caller), **_is(before))
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            stands = self.get(caller.id)  # an own write whose reply was lost counts
            return stands is not None and stands.generation == caller.generation
        return True

    def remove(self, caller: Registered) -> bool:
        """Take it out; False where another stands there by now. What is gone already is taken out."""
        try:
            self._dynamodb.delete_item(TableName=self._table, Key=_key(caller.id), **_is(caller))
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return self.get(caller.id) is None
        return True


def _key(id: str) -> Item:
    return {"pk": {"S": PARTITION}, "sk": {"S": id}}


def _item(caller: Registered) -> Item:
    return {
        **_key(caller.id),
        "label": {"S": caller.name},  # `name` would be a key of an index
        "roles": {"S": json.dumps(caller.roles)},
        "generation": {"S": caller.generation},
        "created_at": {"S": caller.created_at},
        "updated_at": {"S": caller.updated_at},
        **({} if caller.updated_by is None else {"updated_by": {"S": caller.updated_by.to_text()}}),
    }


def _read(item: Item) -> Registered:
    return Registered(
        id=item["sk"]["S"],
        name=item["label"]["S"],
        roles=tuple(json.loads(item["roles"]["S"])),
        generation=item["generation"]["S"],
        created_at=item["created_at"]["S"],
        updated_at=item["updated_at"]["S"],
        updated_by=of_text(item["updated_by"]["S"]) if "updated_by" in item else None,
    )


def _is(caller: Registered | None) -> dict[str, Any]:
    if caller is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "generation = :generation",
        "ExpressionAttributeValues": {":generation": {"S": caller.generation}},
    }
