"""The runs table, listed (ARCHITECTURE §5). Indexes may lag and only say where to look; items are read consistently.

Every listing takes a limit (1 to 100) and a token of the page before; it raises BadPageToken for a foreign token.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from loopstep.runs import keys, schema
from loopstep.runs.errors import BadPageToken, RunNotFound
from loopstep.runs.expiry import NOT_EXPIRED, is_expired
from loopstep.runs.items import Item, activation_of, head_of, message_of, number, state_of, text
from loopstep.runs.outlines import Outlines, WideRuns, read_changes, read_outlines
from loopstep.runs.paging import Page, decode_token, encode_token
from loopstep.runs.places import place_in, place_of_start, plain_start, start_of, table_key
from loopstep.runs.records import REOPENED, RUN_STATUSES, Activation, Head, Message
from loopstep.runs.store import RunStore
from loopstep.runs.timeline import ALWAYS, Span, Starts
from loopstep.runs.values import Stored
from loopstep.runs.views import ActivationView, MessageView, RunView

LIMIT = 100
_NOT_REOPENED = "attribute_not_exists(#act) OR #act <> :reopened"  # it has not begun again yet
T = TypeVar("T")


class RunReader:
    """Reads and lists runs, activations and messages, with large values read back.

    What has expired is not there, deleted or not; `now` gives seconds since 1970.
    """

    def __init__(self, client: Any, table: str, store: RunStore, now: Callable[[], float] = time.time) -> None:
        self._client, self._table, self._store, self._now = client, table, store, now
        self._starts = Starts(client, table)
        self._wide = WideRuns(self.outlines, now)

    def get_run(self, run: str) -> RunView:
        """Return a run. Raises RunNotFound."""
        return self._run_views([head_of(self._item(run, keys.HEAD))])[0]

    def get_head(self, run: str) -> Head:
        """Return a run's head without reading its values: cheap to poll. Raises RunNotFound."""
        return head_of(self._item(run, keys.HEAD))

    def get_state(self, run: str) -> dict[str, Any]:
        """Return a run's state as JSON data. Raises RunNotFound."""
        fields = state_of(self._item(run, keys.STATE)).fields
        return dict(zip(fields, self._store.values.read_all(fields.values()), strict=True))

    def get_activation(self, run: str, activation: str) -> ActivationView:
        """Return one activation. Raises RunNotFound if there is no such record."""
        return self._activation_views([activation_of(self._item(run, keys.activation_key(activation)))])[0]

    def get_message(self, run: str, message: str) -> MessageView:
        """Return one message with its whole text. Raises RunNotFound if there is none."""
        item = self._item(run, keys.message_key(message))
        return self._message_views([(run, message_of(item))])[0]

    def list_runs(
        self,
        plan: str | None = None,
        status: str | None = None,
        limit: int = LIMIT,
        token: str | None = None,
        span: Span = ALWAYS,
    ) -> Page[RunView]:
        """List runs, newest first: of a plan, of a status, of both, or all, that started in a span of time; statuses
        are as of this reading.
        """
        listing = ["runs", plan, status, *(span if span != ALWAYS else ())]
        place = decode_token(token, listing)
        if plan is not None:
            sources = {plan: self._index(schema.BY_PLAN, plan, start_of(place, plan), span=span)}
        else:
            chosen = RUN_STATUSES if status is None else (status,)
            sources = {each: self._index(schema.BY_STATUS, each, start_of(place, each), span=span) for each in chosen}
        heads, rest = self._merge(sources, dict(place or {}), max(1, min(limit, LIMIT)), status)
        return Page(tuple(self._run_views(heads)), encode_token(listing, rest) if rest else None)

    def heads_of(self, status: str) -> Iterator[Head]:
        """The heads of all runs of a status, the oldest first, as of this reading; their values not read."""
        keys_: list[dict[str, Any]] = []
        for found in self._index(schema.BY_STATUS, status, None, oldest_first=True):
            keys_.append(self._key_of(found))
            if len(keys_) == LIMIT:
                yield from self._heads(keys_, status)
                keys_ = []
        yield from self._heads(keys_, status)

    def _heads(self, wanted: list[dict[str, Any]], status: str) -> list[Head]:
        return [head for head in map(head_of, self._in_order(wanted)) if head.status == status]

    def list_activations(self, run: str, limit: int = LIMIT, token: str | None = None) -> Page[ActivationView]:
        """List a run's activations by their start, then by id. Raises RunNotFound for no run."""
        listing = [keys.ACTIVATION, run]
        found, after = self._starts.page(run, max(1, min(limit, LIMIT)), place_of_start(decode_token(token, listing)))
        items = self._in_order([{"run": text(run), "sk": text(each.key)} for each in found])
        if not items:
            self._item(run, keys.HEAD)
        records = [record for record in map(activation_of, items) if record.status != REOPENED]
        return Page(tuple(self._activation_views(records)), encode_token(listing, list(after)) if after else None)

    def list_messages(self, run: str, limit: int = LIMIT, token: str | None = None) -> Page[MessageView]:
        """List a run's messages in the order of their sending. Raises RunNotFound for no run."""

        def views(records: list[Message]) -> list[MessageView]:
            return self._message_views((run, each) for each in records)

        return self._list_of_run(run, keys.MESSAGE, limit, token, message_of, views)

    def list_messages_to(self, scope: str, limit: int = LIMIT, token: str | None = None) -> Page[MessageView]:
        """List the messages to a scope over all runs, newest first."""
        listing = ["messages", scope]
        place = decode_token(token, listing)
        limit = max(1, min(limit, LIMIT))
        found = []
        for key in self._index(schema.BY_SCOPE, scope, plain_start(place)):
            found.append(key)
            if len(found) > limit:
                break
        items = self._in_order([self._key_of(key) for key in found[:limit]])
        more = encode_token(listing, place_in(found[limit - 1], "sent_at")) if len(found) > limit else None
        return Page(tuple(self._message_views((item["run"]["S"], message_of(item)) for item in items)), more)

    def outlines(self, run: str, node: str | None = None) -> Outlines:
        """The activations of a run, or of one of its nodes, as counts, trees and filters need them."""
        return read_outlines(self._client, self._table, run, node)

    def outlines_of(self, head: Head) -> Outlines:
        """All activations of a run, as `outlines` reads them; of a wide run maybe as they were some seconds ago."""
        return self._wide.of(head)

    def changes(self, run: str) -> list[Activation]:
        """The activations that changed the run's state, by revision, their values not read."""
        return [activation_of(item) for item in read_changes(self._client, self._table, run)]

    def activations(self, run: str, wanted: Sequence[str], bare: bool = False) -> list[ActivationView]:
        """Up to 100 activations by id, in this order, those that are there; `bare`: their values are not read."""
        items = self._in_order([{"run": text(run), "sk": text(keys.activation_key(each))} for each in wanted])
        records = [record for record in map(activation_of, items) if record.status != REOPENED]
        return [ActivationView(record) for record in records] if bare else self._activation_views(records)

    def activation_records(self, run: str) -> Iterator[Activation]:
        """All activations of a run by id, their values not read."""
        after: str | None = None
        while True:
            items, after = self._query_run(run, keys.ACTIVATION, LIMIT, after)
            yield from map(activation_of, items)
            if after is None:
                return

    # -- pages ---------------------------------------------------------------------------------------------------

    def _list_of_run(
        self,
        run: str,
        prefix: str,
        limit: int,
        token: str | None,
        record: Callable[[Item], T],
        views: Callable[[list[T]], list[Any]],
    ) -> Page[Any]:
        listing = [prefix, run]
        place = decode_token(token, listing)
        if place is not None and not (isinstance(place, str) and place.startswith(prefix)):
            raise BadPageToken
        items, last = self._query_run(run, prefix, max(1, min(limit, LIMIT)), place)
        if not items:
            self._item(run, keys.HEAD)
        return Page(tuple(views([record(each) for each in items])), encode_token(listing, last) if last else None)

    def _query_run(self, run: str, prefix: str, limit: int, after: str | None) -> tuple[list[Item], str | None]:
        """Up to `limit` items under a prefix, and the last one's sort key if there are more."""
        items: list[Item] = []
        start = {"run": text(run), "sk": text(after)} if after else None
        while True:
            reply = self._client.query(
                TableName=self._table,
                ConsistentRead=True,
                KeyConditionExpression="#run = :run AND begins_with(#sk, :prefix)",
                FilterExpression=f"({NOT_EXPIRED}) AND ({_NOT_REOPENED})",
                ExpressionAttributeNames={
                    "#run": "run",
                    "#sk": "sk",
                    "#expires": schema.TTL_ATTRIBUTE,
                    "#act": "act_status",
                },
                ExpressionAttributeValues={
                    ":run": text(run),
                    ":prefix": text(prefix),
                    ":now": number(int(self._now())),
                    ":reopened": text(REOPENED),
                },
                Limit=limit + 1 - len(items),
                **({"ExclusiveStartKey": start} if start else {}),
            )
            items += reply["Items"]
            start = reply.get("LastEvaluatedKey")
            if len(items) > limit:
                return items[:limit], items[limit - 1]["sk"]["S"]
            if not start:
                return items, None

    def _merge(
        self, sources: dict[str, Iterator[Item]], place: dict[str, Any], limit: int, status: str | None
    ) -> tuple[list[Head], dict[str, Any] | None]:
        """The newest heads of several index queries, and where each query stands after them; None at the end."""
        fronts = {name: next(keys_, None) for name, keys_ in sources.items()}
        heads: list[Head] = []
        while len(heads) < limit:
            taken: list[Item] = []
            while len(taken) < limit - len(heads):
                name, front = max(fronts.items(), key=lambda each: _when(each[1]))
                if front is None:
                    break
                place[name] = place_in(front, "started_at")
                taken.append(front)
                fronts[name] = next(sources[name], None)
            if not taken:
                break
            found = [head_of(item) for item in self._in_order([self._key_of(key) for key in taken])]
            heads += [head for head in found if status is None or head.status == status]
        return heads, place if any(fronts.values()) else None

    def _index(
        self, index: str, value: str, start: dict[str, Any] | None, oldest_first: bool = False, span: Span = ALWAYS
    ) -> Iterator[Item]:
        """The keys in one partition of an index, newest first unless said otherwise."""
        partition, sort = schema.INDEX_KEYS[index]
        bounds = {":first": text(span.first), ":last": text(span.last)} if span != ALWAYS else {}
        after = None if start is None else {partition: text(value), sort: text(start["at"]), **table_key(start)}
        while True:
            reply = self._client.query(
                TableName=self._table,
                IndexName=index,
                KeyConditionExpression="#value = :value" + (" AND #at BETWEEN :first AND :last" if bounds else ""),
                ExpressionAttributeNames={"#value": partition, **({"#at": sort} if bounds else {})},
                ExpressionAttributeValues={":value": text(value), **bounds},
                ScanIndexForward=oldest_first,
                Limit=LIMIT,
                **({"ExclusiveStartKey": after} if after else {}),
            )
            yield from reply["Items"]
            after = reply.get("LastEvaluatedKey")
            if not after:
                return

    # -- items and values ----------------------------------------------------------------------------------------

    def _in_order(self, wanted: list[dict[str, Any]]) -> list[Item]:
        """The items with these keys in this order; those that are gone are left out."""
        unique = list({(key["run"]["S"], key["sk"]["S"]): key for key in wanted}.values())
        if not unique:
            return []
        found = {(item["run"]["S"], item["sk"]["S"]): item for item in self._store.read_items(unique)}
        places = [(key["run"]["S"], key["sk"]["S"]) for key in unique]
        now = self._now()
        return [found[place] for place in places if place in found and not is_expired(found[place], now)]

    def _run_views(self, heads: list[Head]) -> list[RunView]:
        read = self._read([head.input for head in heads] + [head.output for head in heads])
        return [RunView(head, read[index], read[len(heads) + index]) for index, head in enumerate(heads)]

    def _activation_views(self, records: list[Activation]) -> list[ActivationView]:
        read = self._read([record.input for record in records] + [record.output for record in records])
        wrote = iter(self._read([value for record in records for value in record.wrote.values()]))
        return [
            ActivationView(
                record, read[index], read[len(records) + index], {name: next(wrote) for name in record.wrote}
            )
            for index, record in enumerate(records)
        ]

    def _message_views(self, records: Iterable[tuple[str, Message]]) -> list[MessageView]:
        pairs = list(records)
        texts = self._read([record.text for _, record in pairs])
        return [MessageView(run, record, each) for (run, record), each in zip(pairs, texts, strict=True)]

    def _read(self, stored: Sequence[Stored | None]) -> list[Any]:
        read = iter(self._store.values.read_all(each for each in stored if each is not None))
        values: list[Any] = [None if each is None else next(read) for each in stored]
        return values

    def _item(self, run: str, sort_key: str) -> Item:
        key = {"run": text(run), "sk": text(sort_key)}
        reply = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        if "Item" not in reply or is_expired(reply["Item"], self._now()):
            raise RunNotFound(run)
        item: Item = reply["Item"]
        return item

    def _key_of(self, item: Item) -> dict[str, Any]:
        return {"run": item["run"], "sk": item["sk"]}


def _when(item: Item | None) -> tuple[str, str]:
    return (item["started_at"]["S"], item["run"]["S"]) if item else ("", "")
