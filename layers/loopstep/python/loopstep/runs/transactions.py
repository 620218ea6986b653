"""One TransactWriteItems: what was refused and why, and what is merely tried again (ARCHITECTURE §3)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from loopstep.runs.errors import Contended
from loopstep.runs.items import Item

TRIES = 12
_BASE_SECONDS = 0.02
_CAP_SECONDS = 1.0

# Reasons that say nothing about the data: another transaction held an item, or capacity ran out. Nothing was written.
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_PASSING_ERRORS = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
}


class Part(NamedTuple):
    """One action of a transaction; `name` is what the caller calls it, `action` the element of TransactItems."""

    name: str
    action: dict[str, Any]


class Refused(Exception):
    """Conditions that failed: per part's name the item found, None where there was none."""

    def __init__(self, found: dict[str, Item | None]) -> None:
        super().__init__(", ".join(found))
        self.found = found


class Transactions:
    """Runs transactions against one client. Randomness and sleep (seconds) are handed in."""

    __slots__ = ("_client", "_random", "_sleep")

    def __init__(self, client: Any, random_source: random.Random, sleep: Callable[[float], None]) -> None:
        self._client, self._random, self._sleep = client, random_source, sleep

    def run(self, parts: Sequence[Part]) -> None:
        """Commit all parts or none. Raises Refused, or Contended after TRIES passing refusals.

        The client token is the SDK's own: it repeats a request whose reply was lost under the same token, which is
        harmless; each try of ours is a new request, guarded by its conditions.
        """
        for attempt in range(TRIES):
            if self._once(parts):
                return
            self.pause(attempt)
        raise Contended(", ".join(part.name for part in parts))

    def pause(self, attempt: int) -> None:
        """Sleep before try `attempt` + 2: full jitter, up to a second."""
        self._sleep(self._random.random() * min(_CAP_SECONDS, _BASE_SECONDS * 2**attempt))

    def _once(self, parts: Sequence[Part]) -> bool:
        try:
            self._client.transact_write_items(TransactItems=[part.action for part in parts])
        except ClientError as error:
            if error.response["Error"]["Code"] in _PASSING_ERRORS:
                return False
            if error.response["Error"]["Code"] != "TransactionCanceledException":
                raise
            self._judge(parts, error)
            return False
        return True

    def _judge(self, parts: Sequence[Part], error: ClientError) -> None:
        reasons: Any = error.response.get("CancellationReasons", [])
        found = {
            part.name: reason.get("Item")
            for part, reason in zip(parts, reasons, strict=False)
            if reason.get("Code") == "ConditionalCheckFailed"
        }
        if found:
            raise Refused(found) from None
        if not any(reason.get("Code") in _PASSING for reason in reasons):
            raise error


def check(name: str, table: str, key: dict[str, Any], condition: dict[str, Any]) -> Part:
    """A part that only checks a condition."""
    return Part(name, {"ConditionCheck": {"TableName": table, "Key": key, **condition, **_FOUND}})


def put(name: str, table: str, item: dict[str, Any], condition: dict[str, Any]) -> Part:
    """A part that writes a whole item."""
    return Part(name, {"Put": {"TableName": table, "Item": item, **condition, **_FOUND}})


def update(
    name: str,
    table: str,
    key: dict[str, Any],
    condition: dict[str, Any],
    fields: dict[str, Any],
    extra: Sequence[str] = (),
    values: dict[str, Any] | None = None,
    remove: Sequence[str] = (),
) -> Part:
    """A part that sets attributes and removes others.

    `extra` are further SET clauses, `values` what they and the condition use.
    """
    names = {f"#s{index}": field for index, field in enumerate(fields)}
    gone = {f"#r{index}": field for index, field in enumerate(remove)}
    sets = [*(f"#s{index} = :s{index}" for index in range(len(fields))), *extra]
    clauses = [f"{verb} {', '.join(each)}" for verb, each in (("SET", sets), ("REMOVE", list(gone))) if each]
    given = {
        **condition.get("ExpressionAttributeValues", {}),
        **{f":s{index}": value for index, value in enumerate(fields.values())},
        **(values or {}),
    }
    action = {
        "TableName": table,
        "Key": key,
        "UpdateExpression": " ".join(clauses),
        "ConditionExpression": condition["ConditionExpression"],
        "ExpressionAttributeNames": condition["ExpressionAttributeNames"] | names | gone,
        **({"ExpressionAttributeValues": given} if given else {}),
        **_FOUND,
    }
    return Part(name, {"Update": action})


def delete(name: str, table: str, key: dict[str, Any]) -> Part:
    """A part that deletes an item, there or not; other parts of the transaction guard it."""
    return Part(name, {"Delete": {"TableName": table, "Key": key}})


_FOUND = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
