"""When a finished run goes: every item of it gets the same expiry, which the table's TTL acts on (ARCHITECTURE §4).

DynamoDB deletes expired items within days, so readers leave them out themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopstep.runs import conditions, keys, parts
from loopstep.runs.errors import RunNotOpen
from loopstep.runs.items import Item, number, text
from loopstep.runs.records import Head
from loopstep.runs.schema import TTL_ATTRIBUTE
from loopstep.runs.transactions import Part, Refused, Transactions, check, update

_AT_ONCE = 50  # AWS takes 100 items a transaction

NOT_EXPIRED = "attribute_not_exists(#expires) OR #expires > :now"


def is_expired(item: Item, now: float) -> bool:
    """Whether an item's time is over, deleted or not; `now` in seconds since 1970."""
    return TTL_ATTRIBUTE in item and int(item[TTL_ATTRIBUTE]["N"]) <= now


def expire_run(client: Any, table: str, transactions: Transactions, head: Head, at: int) -> None:
    """Let all items of an ended run expire at this time, seconds since 1970. Doing it again changes nothing.

    Each transaction checks that the run has ended in this epoch and stays so; raises RunNotOpen where it does not. The
    head is the last, so a run whose expiry was interrupted is still whole.
    """
    pages = [*_pages(client, table, head.run), [keys.HEAD]]
    guard = check("head", table, parts.key(head.run, keys.HEAD), conditions.run_ended(head.epoch))
    for page in pages:
        expiring = [_expiring(table, head.run, each, at, head.epoch) for each in page]
        try:
            transactions.run(expiring if page == [keys.HEAD] else [guard, *expiring])
        except Refused as refused:
            if "head" in refused.found:
                raise RunNotOpen(head.run) from None


def _expiring(table: str, run: str, sort_key: str, at: int, epoch: int) -> Part:
    there = {"ConditionExpression": "attribute_exists(#run)", "ExpressionAttributeNames": {"#run": "run"}}
    condition = conditions.run_ended(epoch) if sort_key == keys.HEAD else there
    return update(sort_key, table, parts.key(run, sort_key), condition, {TTL_ATTRIBUTE: number(at)})


def _pages(client: Any, table: str, run: str) -> Iterator[list[str]]:
    """The sort keys of a run's items without its head."""
    request: dict[str, Any] = {
        "TableName": table,
        "KeyConditionExpression": "#run = :run",
        "ExpressionAttributeNames": {"#run": "run", "#sk": "sk"},
        "ExpressionAttributeValues": {":run": text(run)},
        "ProjectionExpression": "#sk",
        "ConsistentRead": True,
    }
    while True:
        reply = client.query(**request)
        found = [item["sk"]["S"] for item in reply["Items"] if item["sk"]["S"] != keys.HEAD]
        for start in range(0, len(found), _AT_ONCE):
            yield found[start : start + _AT_ONCE]
        if "LastEvaluatedKey" not in reply:
            return
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
