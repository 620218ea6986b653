"""Schedules in the plans table. It says what happened; what that means for a caller is the services' to say."""

from __future__ import annotations

from typing import Any

from loopstep.schedules import items
from loopstep.schedules.records import Schedule


class ScheduleStore:
    """Schedules by plan and id. Every read is consistent, every write conditional on the generation that was read."""

    def __init__(self, dynamodb: Any, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    def get(self, plan: str, id: str) -> Schedule | None:
        """The schedule, or None."""
        answer = self._dynamodb.get_item(TableName=self._table, Key=items.key(plan, id), ConsistentRead=True)
        return items.read_schedule(answer["Item"]) if "Item" in answer else None

    def page(self, plan: str, limit: int, after: str | None = None) -> tuple[list[Schedule], str | None]:
        """At most `limit` schedules of a plan by id, and the id after which the next page begins."""
        answer = self._dynamodb.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": items.key(plan, "")["pk"]},
            Limit=limit,
            **({"ExclusiveStartKey": items.key(plan, after)} if after is not None else {}),
        )
        place = answer.get("LastEvaluatedKey")
        return [items.read_schedule(item) for item in answer["Items"]], place["sk"]["S"] if place else None

    def put(self, schedule: Schedule, before: Schedule | None) -> bool:
        """Store it in the place of `before`; False where another stands there by now."""
        condition = _is(before)
        try:
            self._dynamodb.put_item(TableName=self._table, Item=items.schedule_item(schedule), **condition)
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            stands = self.get(schedule.plan, schedule.id)  # an own write whose reply was lost counts
            return stands is not None and stands.generation == schedule.generation
        return True

    def remove(self, schedule: Schedule) -> bool:
        """Take it out; False where another stands there by now. What is gone already is taken out."""
        try:
            key = items.key(schedule.plan, schedule.id)
            self._dynamodb.delete_item(TableName=self._table, Key=key, **_is(schedule))
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return self.get(schedule.plan, schedule.id) is None
        return True


def _is(schedule: Schedule | None) -> dict[str, Any]:
    if schedule is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "generation = :generation",
        "ExpressionAttributeValues": {":generation": {"S": schedule.generation}},
    }
