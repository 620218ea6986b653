"""Which activations a run has, in the order of their start (then of their id), a page at a time.

A run whose records take few readings is read whole and consistently, and sorted here. A wider one is read through the
index `by_start`, which may lag a moment behind; a place says which way its page was made, so that a listing does not
change it half-way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from loopstep.runs import keys, schema
from loopstep.runs.items import text

FEW = 4  # readings of up to 1 MB each: some thousand activations
_KEYS_AT_ONCE = 200


class Span(NamedTuple):
    """A span of time, both ends in it."""

    first: str
    last: str


ALWAYS = Span("0", "~")  # before and behind every time


class Start(NamedTuple):
    """When an activation began, and its sort key."""

    at: str
    key: str


class Place(NamedTuple):
    """Where a page ended; `wide`: it was made through the index."""

    at: str
    key: str
    wide: bool


class Starts:
    """Reads the starts of a run's activations."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def page(self, run: str, limit: int, after: Place | None) -> tuple[list[Start], Place | None]:
        """Up to `limit` starts after a place, and the place after them; None at the end."""
        whole = None if after is not None and after.wide else self._whole(run)
        last = (after.at, after.key) if after else ("", "")
        later = self._next(run, limit, last) if whole is None else [each for each in sorted(whole) if each > last]
        if len(later) <= limit:
            return later, None
        return later[:limit], Place(*later[limit - 1], whole is None)

    def _whole(self, run: str) -> list[Start] | None:
        """All starts, in no order; None where that takes more than a few readings."""
        found: list[Start] = []
        query: dict[str, Any] = {
            "TableName": self._table,
            "ConsistentRead": True,
            "KeyConditionExpression": "#run = :run AND begins_with(#sk, :prefix)",
            "ProjectionExpression": "#sk, #at",
            "ExpressionAttributeNames": {"#run": "run", "#sk": "sk", "#at": "began_at"},
            "ExpressionAttributeValues": {":run": text(run), ":prefix": text(keys.ACTIVATION)},
        }
        for _ in range(FEW):
            reply = self._client.query(**query)
            found += map(_start, reply["Items"])
            if "LastEvaluatedKey" not in reply:
                return found
            query["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
        return None

    def _next(self, run: str, limit: int, last: tuple[str, str]) -> list[Start]:
        """At least one start more than `limit` after a place, where there are so many.

        The index does not order equal times, so those of the last one's are read to their end.
        """
        found: list[Start] = []
        for start in self._by_start(run, last[0]):
            if len(found) > limit and start.at > found[-1].at:
                break
            if start > last:
                found.append(start)
        return sorted(found)

    def _by_start(self, run: str, at: str) -> Iterator[Start]:
        partition, sort = schema.INDEX_KEYS[schema.BY_START]
        query: dict[str, Any] = {
            "TableName": self._table,
            "IndexName": schema.BY_START,
            "KeyConditionExpression": "#run = :run" + (" AND #at >= :at" if at else ""),
            "ExpressionAttributeNames": {"#run": partition, **({"#at": sort} if at else {})},
            "ExpressionAttributeValues": {":run": text(run), **({":at": text(at)} if at else {})},
            "Limit": _KEYS_AT_ONCE,
        }
        while True:
            reply = self._client.query(**query)
            yield from map(_start, reply["Items"])
            if "LastEvaluatedKey" not in reply:
                return
            query["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def _start(item: dict[str, Any]) -> Start:
    return Start(item["began_at"]["S"], item["sk"]["S"])
