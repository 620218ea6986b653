"""Waits, listed (ARCHITECTURE §5). Indexes may lag and only say where to look; items are read consistently."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from loopstep.runs import keys, waits
from loopstep.runs.errors import BadPageToken
from loopstep.runs.items import Item, head_of
from loopstep.runs.paging import Page, decode_token, encode_token
from loopstep.runs.reader import LIMIT, RunReader
from loopstep.runs.records import RUNNING, Head
from loopstep.runs.schema import BY_WAIT
from loopstep.runs.waits import ENDED, PENDING, STATUSES, Wait, wait_of

Shown = tuple[Wait, Head]
_LOOKED_AT = 20  # entries of an index that may lag


class WaitReader(RunReader):
    """Lists waits of one kind with the heads of their runs, which say what is over without having been told so."""

    def list_waits(
        self, kind: str, status: str | None, run: str | None, limit: int = LIMIT, token: str | None = None
    ) -> Page[Shown]:
        """Of a status or all, of a run (in no order that means anything) or all (the newest first).

        Raises BadPageToken for the token of another listing.
        """
        limit = max(1, min(limit, LIMIT))
        listing = ["waits", kind, status, run]
        place = decode_token(token, listing)
        found, rest = self._of_run(kind, status, run, limit, place) if run else self._of_all(kind, status, limit, place)
        return Page(tuple(found), encode_token(listing, rest) if rest else None)

    def oldest(self, kind: str) -> Wait | None:
        """The wait of a kind that is open for longest; None where none of the first twenty of the index is open."""
        pending = waits.index_value(kind, PENDING)
        for entry in islice(self._index(BY_WAIT, pending, None, oldest_first=True), _LOOKED_AT):
            for wait, _ in self._fitting(self._in_order([self._key_of(entry)]), kind, PENDING):
                return wait
        return None

    def with_head(self, found: list[Wait]) -> list[Shown]:
        """The waits with their runs' heads; an open one of a run that has ended is over. Without a head it is gone."""
        wanted = [{"run": {"S": run}, "sk": {"S": keys.HEAD}} for run in dict.fromkeys(each.run for each in found)]
        heads = {item["run"]["S"]: head_of(item) for item in self._in_order(wanted)}
        return [(_as_seen(each, heads[each.run]), heads[each.run]) for each in found if each.run in heads]

    def _of_run(
        self, kind: str, status: str | None, run: str, limit: int, place: Any
    ) -> tuple[list[Shown], str | None]:
        if place is not None and not (isinstance(place, str) and place.startswith(waits.WAIT)):
            raise BadPageToken
        found: list[Shown] = []
        after: str | None = place
        while True:
            items, after = self._query_run(run, waits.WAIT, limit - len(found), after)
            found += self._fitting(items, kind, status)
            if after is None or len(found) >= limit:
                return found, after

    def _of_all(
        self, kind: str, status: str | None, limit: int, place: Any
    ) -> tuple[list[Shown], dict[str, Any] | None]:
        places = dict(place or {}) if isinstance(place, dict) or place is None else _bad()
        chosen = STATUSES[kind] if status is None else (status,)
        sources = {each: self._index(BY_WAIT, waits.index_value(kind, each), _start(places, each)) for each in chosen}
        fronts = {name: next(source, None) for name, source in sources.items()}
        found: list[Shown] = []
        while len(found) < limit and any(fronts.values()):
            taken = list(_newest(fronts, sources, places, limit - len(found)))
            found += self._fitting(self._in_order([self._key_of(each) for each in taken]), kind, status)
        return found, places if any(fronts.values()) else None

    def _fitting(self, items: list[Item], kind: str, status: str | None) -> list[Shown]:
        of_kind = [wait for wait in map(wait_of, items) if wait.kind == kind]
        return [each for each in self.with_head(of_kind) if status is None or each[0].status == status]


def _as_seen(wait: Wait, head: Head) -> Wait:
    over = wait.pending and (head.status != RUNNING or head.epoch != wait.epoch)
    return wait._replace(status=ENDED) if over else wait


def _newest(
    fronts: dict[str, Item | None], sources: dict[str, Iterator[Item]], places: dict[str, Any], limit: int
) -> Iterator[Item]:
    """The newest index entries over several queries; `places` says where each stands then."""
    for _ in range(limit):
        name, front = max(fronts.items(), key=lambda each: _when(each[1]))
        if front is None:
            return
        places[name] = {"at": front["asked_at"]["S"], "run": front["run"]["S"], "sk": front["sk"]["S"]}
        yield front
        fronts[name] = next(sources[name], None)


def _when(item: Item | None) -> tuple[str, str, str]:
    return (item["asked_at"]["S"], item["run"]["S"], item["sk"]["S"]) if item else ("", "", "")


def _start(places: dict[str, Any], name: str) -> dict[str, Any] | None:
    place = places.get(name)
    if place is None:
        return None
    if not isinstance(place, dict) or any(not isinstance(place.get(key), str) for key in ("at", "run", "sk")):
        raise BadPageToken
    return place


def _bad() -> dict[str, Any]:
    raise BadPageToken
