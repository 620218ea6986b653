"""What the parts of a fan_out's region leave for its join: arrivals, losses, and the one decision (ARCHITECTURE §2).

race     of a join's activation: how many arrivals took a slot, how many parts are lost, whether that decides; of one
         that takes the first, how many it needs of how many parts
arrival  of one part: the join's input that it brings, its slot; or why the part is lost
guard    16 items that exist from the decision on: whoever commits inside the region checks that one is not there
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from loopstep.runs.items import Item, compact, encode_fields, number, text
from loopstep.runs.keys import FENCES
from loopstep.runs.records import Failure
from loopstep.runs.schema import AT_ONCE, DUE
from loopstep.runs.transactions import Part, check, delete, put, update
from loopstep.runs.values import Draft, Stored, decode, text_of_fields

RACE = "race#"
ARRIVAL = "arr#"
GUARD = "guard#"
_ITEM_DIGITS = 6  # item numbers sort as texts

#   loser of a race           the arrival that decides it
#   reads: undecided
#                             puts the guards
#   commits            ✗      nothing of a loser enters the run once the join is decided
_UNDECIDED = "attribute_not_exists(#run)"

#   arrival A                 arrival B
#   reads: k slots taken      reads: k slots taken
#   takes slot k
#                             takes slot k  ✗  reads again, takes slot k + 1 or finds the race decided
_RACE_UNMOVED = "attribute_not_exists(#decided) AND #taken = :was_taken AND #lost = :was_lost"
_RACE_NEW = "attribute_not_exists(#run)"

#   a part is counted once, however often its Task is invoked
_UNCOUNTED = "attribute_not_exists(#slot) AND attribute_not_exists(#why)"


class Membership(NamedTuple):
    """One region around an activation: the join's activation id, the part's name there (a branch or an item number)."""

    join: str
    part: str
    mode: str


class Quorum(NamedTuple):
    """A join that takes the first `need` of `total` parts."""

    need: int
    total: int

    def decided(self, taken: int, lost: int) -> bool:
        """Whether the outcome is sure: enough have arrived, or too few still can."""
        return taken >= self.need or self.total - lost < self.need


class Standing(NamedTuple):
    """How a race stands. `failure` is that of mode all: the first that nothing handled."""

    taken: int = 0
    lost: int = 0
    decided: bool = False
    failure: Failure | None = None
    node: str | None = None  # where the failure comes from
    exists: bool = False


class Arrival(NamedTuple):
    """What one part brought; `slot` counts arrivals from 0 where the join takes the first ones."""

    part: str
    value: Stored | None
    slot: int | None
    lost: Failure | None


class Brought(NamedTuple):
    """What an activation's edge into the join brings: the join's input as data, or why there is none."""

    member: Membership
    edge: str
    value: dict[str, Any] | None
    failure: Failure | None = None


class Broken(NamedTuple):
    """A failure that nothing in its part handled, under a join with mode all: it decides the join."""

    join: str
    failure: Failure
    node: str
    activation: str = ""  # whose commit found it


def race_key(join: str) -> str:
    """The sort key of a race."""
    return RACE + join


def arrival_prefix(join: str) -> str:
    """What the sort keys of a race's arrivals begin with."""
    return f"{ARRIVAL}{join}#"


def arrival_key(join: str, part: str) -> str:
    """The sort key of one part's arrival; items sort by number."""
    return arrival_prefix(join) + (part.zfill(_ITEM_DIGITS) if part.isdecimal() else part)


def guard_key(join: str, activation: str) -> str:
    """The sort key of the guard that an activation's commits check."""
    return f"{GUARD}{join}#{sha256(activation.encode()).digest()[1] % FENCES:02d}"


def standing_of(item: Item | None) -> Standing:
    """A race's item as data; nothing has happened where there is none."""
    if item is None:
        return Standing()
    failure = json.loads(item["failure"]["S"]) if "failure" in item else None
    return Standing(
        int(item["taken"]["N"]),
        int(item["lost"]["N"]),
        "decided" in item,
        Failure(failure["code"], failure["message"]) if failure else None,
        failure.get("nodeId") if failure else None,
        True,
    )


def failed_activation(item: Item) -> str | None:
    """The activation whose failure decided a race (mode all), None where it was none's."""
    return json.loads(item["failure"]["S"]).get("activation") or None if "failure" in item else None


def arrival_of(item: Item) -> Arrival:
    """An arrival's item as data."""
    why = json.loads(item["why"]["S"]) if "why" in item else None
    part = item["sk"]["S"].rpartition("#")[2]
    return Arrival(
        str(int(part)) if part.isdecimal() else part,
        decode(item["value"]) if "value" in item else None,
        int(item["slot"]["N"]) if "slot" in item else None,
        Failure(why["code"], why["message"]) if why else None,
    )


# -- parts of transactions -------------------------------------------------------------------------------------------


def undecided(table: str, run: str, members: Sequence[Membership], activation: str) -> list[Part]:
    """The checks that no region around an activation is decided."""
    names = {"ConditionExpression": _UNDECIDED, "ExpressionAttributeNames": {"#run": "run"}}
    return [
        check(f"region {member.join}", table, _key(run, guard_key(member.join, activation)), names)
        for member in members
    ]


def arrival_part(table: str, run: str, brought: Brought, source: str, draft: Draft) -> Part:
    """The arrival of a part, put once."""
    item = {
        **_key(run, arrival_key(brought.member.join, brought.member.part)),
        "edge": text(brought.edge),
        "source": text(source),
    }
    if brought.value is not None:
        item |= encode_fields(draft.place({"value": text_of_fields(brought.value)}, 500))
    names = {"ConditionExpression": "attribute_not_exists(#run)", "ExpressionAttributeNames": {"#run": "run"}}
    return put("arrival", table, item, names)


def broken_parts(table: str, run: str, broken: Broken) -> list[Part]:
    """The decision of a join with mode all by the first failure that nothing handled."""
    code, message = broken.failure
    why = compact({"code": code, "message": message, "nodeId": broken.node, "activation": broken.activation})
    fields = {"taken": number(0), "lost": number(0), "decided": number(1), "failure": text(why)}
    fields |= {"due": text(DUE), "due_at": text(AT_ONCE)}  # siblings may wait for people: the sweeper ends that
    item = {**_key(run, race_key(broken.join)), **fields}
    names = {"ConditionExpression": _RACE_NEW, "ExpressionAttributeNames": {"#run": "run"}}
    return [put("race", table, item, names), *_guards(table, run, broken.join)]


def region_parts(
    table: str,
    run: str,
    members: Sequence[Membership],
    activation: str,
    draft: Draft,
    brought: Brought | None = None,
    broken: Broken | None = None,
) -> list[Part]:
    """What a commit inside regions checks and leaves. The race that it decides itself needs no guard checked."""
    decided = broken.join if broken else None
    parts = undecided(table, run, [each for each in members if each.join != decided], activation)
    if brought is not None and brought.value is not None:
        parts.append(arrival_part(table, run, brought, activation, draft))
    return parts + (broken_parts(table, run, broken) if broken else [])


def slot_parts(table: str, run: str, member: Membership, was: Standing, quorum: Quorum) -> list[Part]:
    """An arrival takes the next slot of its race."""
    key = _key(run, arrival_key(member.join, member.part))
    names = {"ConditionExpression": f"attribute_exists(#run) AND {_UNCOUNTED}", "ExpressionAttributeNames": _COUNTED}
    mine = update("arrival", table, key, names, {"slot": number(was.taken)})
    return [mine, *_race_parts(table, run, member.join, was, was.taken + 1, was.lost, quorum)]


def loss_parts(
    table: str,
    run: str,
    member: Membership,
    was: Standing,
    quorum: Quorum,
    failure: Failure,
    source: str | None = None,
) -> list[Part]:
    """A part is lost to its race; `source` is the activation that lost it."""
    key = _key(run, arrival_key(member.join, member.part))
    names = {
        "ConditionExpression": _UNCOUNTED,
        "ExpressionAttributeNames": {k: v for k, v in _COUNTED.items() if k != "#run"},
    }
    why = text(compact({"code": failure.code, "message": failure.message}))
    fields = {"why": why, **({"lost_by": text(source)} if source else {})}
    mine = update("arrival", table, key, names, fields)
    return [mine, *_race_parts(table, run, member.join, was, was.taken, was.lost + 1, quorum)]


def over_parts(table: str, run: str, join: str, was: Standing, quorum: Quorum) -> list[Part]:
    """The engine has left the region: the race is decided as it stands, whatever still walks in there."""
    return _race_parts(table, run, join, was, was.taken, was.lost, quorum, over=True)


_COUNTED = {"#slot": "slot", "#why": "why", "#run": "run"}


def _race_parts(
    table: str, run: str, join: str, was: Standing, taken: int, lost: int, quorum: Quorum, over: bool = False
) -> list[Part]:
    decides = over or quorum.decided(taken, lost)
    fields = {"taken": number(taken), "lost": number(lost), **({"decided": number(1)} if decides else {})}
    fields |= {"need": number(quorum.need), "total": number(quorum.total)}  # a redrive asks (runs.reopening)
    key = _key(run, race_key(join))
    if was.exists:
        condition: dict[str, Any] = {
            "ConditionExpression": _RACE_UNMOVED,
            "ExpressionAttributeNames": {"#decided": "decided", "#taken": "taken", "#lost": "lost"},
            "ExpressionAttributeValues": {":was_taken": number(was.taken), ":was_lost": number(was.lost)},
        }
    else:
        condition = {"ConditionExpression": _RACE_NEW, "ExpressionAttributeNames": {"#run": "run"}}
    race = update("race", table, key, condition, fields)
    return [race, *(_guards(table, run, join) if decides else ())]


def reset_parts(table: str, run: str, join: str, taken: int, lost: int) -> list[Part]:
    """The race of a join that is reopened: undecided, with these counts; who writes it guards it."""
    key = _key(run, race_key(join))
    guards = [delete(f"guard {n}", table, _key(run, f"{GUARD}{join}#{n:02d}")) for n in range(FENCES)]
    if not taken and not lost:
        return [delete("reset", table, key), *guards]
    there = {"ConditionExpression": "attribute_exists(#run)", "ExpressionAttributeNames": {"#run": "run"}}
    counts = {"taken": number(taken), "lost": number(lost)}
    return [update("reset", table, key, there, counts, remove=("decided", "failure")), *guards]


def due_part(table: str, run: str, join: str, at: str) -> Part:
    """The sweeper has to end what is awaited in a decided join's region."""
    there = {"ConditionExpression": "attribute_exists(#decided)", "ExpressionAttributeNames": {"#decided": "decided"}}
    return update("race", table, _key(run, race_key(join)), there, {"due": text(DUE), "due_at": text(at)})


def swept_part(table: str, run: str, join: str) -> Part:
    """The sweeper has done so."""
    there = {"ConditionExpression": "attribute_exists(#run)", "ExpressionAttributeNames": {"#run": "run"}}
    return update("race", table, _key(run, race_key(join)), there, {}, remove=("due", "due_at"))


def is_decided(part: str) -> bool:
    """Whether a refused part of this name says that a region is decided."""
    return part.startswith("region ") or part == "race"


def _guards(table: str, run: str, join: str) -> list[Part]:
    """From now on no commit inside the region passes; the race's condition in the same transaction guards them."""
    return [put(f"guard {n}", table, _key(run, f"{GUARD}{join}#{n:02d}"), {}) for n in range(FENCES)]


def _key(run: str, sort_key: str) -> dict[str, Any]:
    return {"run": text(run), "sk": text(sort_key)}
