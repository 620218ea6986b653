"""A run's activations without what they carried: what counts, trees and filters need of each one.

All of them are read: a few dozen readings of 1 MB at most, whatever their values, which stand in projections of none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from loopstep.runs import keys
from loopstep.runs.items import Item, activation_of, text
from loopstep.runs.records import REOPENED, TERMINAL, Activation, Head

MOST = 50_000  # activations; of a wider run the rest is not looked at

WIDE = 1000  # activations of a run that is worth keeping
_RUNS = 3  # that are kept at a time
_LONG, _SHORT = 900.0, 10.0  # seconds: of one that has ended, at most of one that goes on

_BARE = (
    *("node", "path", "act_status", "epoch", "began_at", "ended_at", "error", "port", "edge", "until", "asks", "rev"),
    *("source", "arrived_by"),
)


class Outlines(NamedTuple):
    """Activations by key, their values missing. `complete`: these are all that there are."""

    records: list[Activation]
    complete: bool


class WideRuns:
    """Outlines of wide runs, kept for those who look at one level after the other.

    Those of a run that has ended are good until a redrive; those of one that goes on for a while that grows with what
    reading them took, so that watching it takes at most a third of the time. A narrow run is read each time.
    """

    def __init__(self, read: Callable[[str], Outlines], now: Callable[[], float]) -> None:
        self._read, self._now = read, now
        self._kept: dict[str, tuple[tuple[Any, ...], float, Outlines]] = {}

    def of(self, head: Head) -> Outlines:
        """All activations of a run."""
        begun = self._now()
        standing = (head.epoch, head.status, head.ended_at)
        known, good_until, outlines = self._kept.get(head.run, ((), 0.0, None))
        if outlines is not None and known == standing and begun < good_until:
            return outlines
        self._kept.pop(head.run, None)
        outlines = self._read(head.run)
        if len(outlines.records) >= WIDE:
            took = self._now() - begun
            good_for = _LONG if head.status in TERMINAL else min(2 * took, _SHORT)
            self._kept[head.run] = (standing, begun + took + good_for, outlines)
            while len(self._kept) > _RUNS:
                del self._kept[next(iter(self._kept))]
        return outlines


def read_outlines(client: Any, table: str, run: str, node: str | None = None) -> Outlines:
    """The activations of a run, or of one of its nodes, without attempts; consistent."""
    found: list[Activation] = []
    prefix = keys.ACTIVATION if node is None else keys.activation_key(keys.activation_id(node, ""))
    for item in _items(client, table, run, prefix, _BARE):
        if len(found) == MOST:
            return Outlines(found, False)
        if item["act_status"]["S"] != REOPENED:
            found.append(activation_of(item))
    return Outlines(found, True)


def read_changes(client: Any, table: str, run: str) -> list[Item]:
    """The items of those activations that changed the run's state, by revision; consistent."""
    changing = {"FilterExpression": "attribute_exists(#rev)", "ExpressionAttributeNames": {"#rev": "rev"}}
    found = list(_items(client, table, run, keys.ACTIVATION, (), changing))
    return sorted(found, key=lambda item: int(item["rev"]["N"]))


def _items(
    client: Any, table: str, run: str, prefix: str, names: tuple[str, ...], more: dict[str, Any] | None = None
) -> Iterator[Item]:
    places = {f"#{name}": name for name in names}
    query: dict[str, Any] = {
        "TableName": table,
        "ConsistentRead": True,
        "KeyConditionExpression": "#run = :run AND begins_with(#sk, :prefix)",
        "ExpressionAttributeValues": {":run": text(run), ":prefix": text(prefix)},
        **(more or {}),
    }
    query["ExpressionAttributeNames"] = {
        "#run": "run",
        "#sk": "sk",
        **places,
        **query.get("ExpressionAttributeNames", {}),
    }
    if places:
        query["ProjectionExpression"] = ", ".join(places)
    while True:
        reply = client.query(**query)
        yield from reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return
        query["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
