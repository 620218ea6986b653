"""Triggers in the plans table: `trigger#<plan>`, one item an id. It says what happened, services what that means."""

from __future__ import annotations

from typing import Any

from loopstep.triggers.records import Trigger, Wanted

Item = dict[str, Any]

KIND = "trigger"


class TriggerStore:
    """Triggers by plan and id. Every read is consistent, every write conditional on the generation that was read."""

    def __init__(self, dynamodb: Any, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    def get(self, plan: str, id: str) -> Trigger | None:
        """The trigger, or None."""
        answer = self._dynamodb.get_item(TableName=self._table, Key=_key(plan, id), ConsistentRead=True)
        return _read(answer["Item"]) if "Item" in answer else None

    def page(self, plan: str, limit: int, after: str | None = None) -> tuple[list[Trigger], str | None]:
        """At most `limit` triggers of a plan by id, and the id after which the next page begins."""
        answer = self._dynamodb.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": _key(plan, "")["pk"]},
            Limit=limit,
            **({"ExclusiveStartKey": _key(plan, after)} if after is not None else {}),
        )
        place = answer.get("LastEvaluatedKey")
        return [_read(item) for item in answer["Items"]], place["sk"]["S"] if place else None

    def put(self, trigger: Trigger, before: Trigger | None) -> bool:
        """Store it in the place of `before`; False where another stands there by now."""
        try:
            self._dynamodb.put_item(TableName=self._table, Item=_item(trigger), **_is(before))
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            stands = self.get(trigger.plan, trigger.id)  # an own write whose reply was lost counts
            return stands is not None and stands.generation == trigger.generation
        return True

    def remove(self, trigger: Trigger) -> bool:
        """Take it out; False where another stands there by now. What is gone already is taken out."""
        try:
            self._dynamodb.delete_item(TableName=self._table, Key=_key(trigger.plan, trigger.id), **_is(trigger))
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return self.get(trigger.plan, trigger.id) is None
        return True


def _key(plan: str, id: str) -> Item:
    return {"pk": {"S": f"{KIND}#{plan}"}, "sk": {"S": id}}


def _item(trigger: Trigger) -> Item:
    wanted = trigger.wanted
    return {
        **_key(trigger.plan, trigger.id),
        "pattern": {"S": wanted.pattern},
        "mapping": {"S": wanted.mapping},
        "trees": {"S": wanted.trees},
        "enabled": {"BOOL": wanted.enabled},
        "generation": {"S": trigger.generation},
        "created_at": {"S": trigger.created_at},
        "updated_at": {"S": trigger.updated_at},
        **({} if wanted.version is None else {"version": {"N": str(wanted.version)}}),
    }


def _read(item: Item) -> Trigger:
    wanted = Wanted(
        pattern=item["pattern"]["S"],
        mapping=item["mapping"]["S"],
        trees=item["trees"]["S"],
        version=int(item["version"]["N"]) if "version" in item else None,
        enabled=item["enabled"]["BOOL"],
    )
    return Trigger(
        plan=item["pk"]["S"].removeprefix(f"{KIND}#"),
        id=item["sk"]["S"],
        wanted=wanted,
        generation=item["generation"]["S"],
        created_at=item["created_at"]["S"],
        updated_at=item["updated_at"]["S"],
    )


def _is(trigger: Trigger | None) -> dict[str, Any]:
    if trigger is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "generation = :generation",
        "ExpressionAttributeValues": {":generation": {"S": trigger.generation}},
    }
