"""A wait for people: an approval or a callback that somebody outside answers once (ARCHITECTURE §3).

The activation's record says whether it is open, and every ending is a conditional write on that. The wait is the
address under which the outside finds it, with what it takes to close and to resume it; its status follows in the same
transaction. The engine's task token stands here and nowhere else, and goes when the answer is delivered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loopstep.access.actor import Actor, of_text
from loopstep.runs.items import Item, compact, encode_fields, number, text
from loopstep.runs.schema import DUE
from loopstep.runs.transactions import Part, put, update
from loopstep.runs.values import AttributeValue, Draft, Stored, decode, text_of

WAIT = "wait#"
ID_FORM = r"[A-Za-z0-9_-]{1,70}\.[0-9a-f]{32}"

APPROVAL = "approval"
CALLBACK = "callback"

PENDING = "pending"
APPROVED = "approved"
REJECTED = "rejected"
COMPLETED = "completed"
FAILED = "failed"
TIMED_OUT = "timed_out"
ENDED = "ended"  # its run has ended, or the join of a region around it was decided without it
DECIDED = (APPROVED, REJECTED, COMPLETED, FAILED)  # by somebody's answer
STATUSES = {
    APPROVAL: (PENDING, APPROVED, REJECTED, TIMED_OUT, ENDED),
    CALLBACK: (PENDING, COMPLETED, FAILED, TIMED_OUT, ENDED),
}

#   decision A                decision B, the deadline, a redrive's invocation
#   closes the activation and says so here, in one transaction
#                             ✗ the activation is closed: what stands here is the answer
_THERE = "attribute_not_exists(#run) OR #wait IN (:pending, :ended)"

#   cancel reads: pending, epoch 1
#                             redrive: epoch 2, the wait is open again
#   ends it            ✗      or an open wait would be hidden
_STILL_PENDING = "#wait = :pending AND #epoch = :epoch"

#   delivery                  invocation 2 under a new token
#   finds it decided; since then no new token is stored, so the one that it reads is the last
_CLOSED = "attribute_exists(#run) AND #wait <> :pending"


class TaskToken(str):
    """The engine's key to a waiting Task. Its representation hides it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "TaskToken(…)"


class Wait(NamedTuple):
    """One wait. `id` is what the outside knows: the run's id and 128 random bits.

    `text` is the approval's summary or the message's text, `spec` the node's spec and `token` the token that led to the
    node. `joins` are the activation ids of the joins around it, `output` says what a callback must bring, `until` when
    it is over. `answer` is the decision, a callback's output or `{code, message}`; `claimed`: nobody has proved who
    decided. `asked` says under which attempt it was asked.
    """

    id: str
    kind: str
    status: str
    node: str
    activation: str
    epoch: int
    asked_at: str
    until: str
    scope: str
    text: Stored
    spec: Stored
    token: dict[str, Any]
    task_token: TaskToken
    approvers: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    output: dict[str, Any] | None = None
    message: str | None = None
    thread: bool = False
    answer: Stored | None = None
    closed_at: str | None = None
    claimed: bool = False
    due_at: str | None = None  # when the sweeper looks at it
    caller: Actor | None = None  # who sent the answer

    @property
    def run(self) -> str:
        """The run's id."""
        return run_of(self.id)

    @property
    def pending(self) -> bool:
        """Whether it can still be answered, as far as the record knows."""
        return self.status == PENDING


class WaitEnd(NamedTuple):
    """How a wait ends; `answer` is JSON data, None where nobody answered."""

    kind: str
    id: str
    status: str
    at: str
    answer: Any = None
    claimed: bool = False
    caller: Actor | None = None


def wait_id(run: str, secret: str) -> str:
    """The id that the outside gets; `secret` are 128 random bits in hex."""
    return f"{run}.{secret}"


def run_of(identity: str) -> str:
    """The run of a wait's id."""
    return identity.rpartition(".")[0]


def wait_key(identity: str) -> str:
    """The sort key of a wait."""
    return WAIT + identity.rpartition(".")[2]


def wait_of(item: Item) -> Wait:
    """A wait's item as data."""
    kind, _, status = item["wait"]["S"].partition("#")
    small = json.loads(item["asked"]["S"])
    return Wait(
        id=wait_id(item["run"]["S"], item["sk"]["S"][len(WAIT) :]),
        kind=kind,
        status=status,
        node=item["node"]["S"],
        activation=item["activation"]["S"],
        epoch=int(item["epoch"]["N"]),
        asked_at=item["asked_at"]["S"],
        until=item["until"]["S"],
        scope=small["scope"],
        text=decode(item["text"]),
        spec=decode(item["spec"]),
        token=json.loads(item["token"]["S"]),
        task_token=TaskToken(item["task_token"]["S"] if "task_token" in item else ""),
        approvers=tuple(small.get("approvers", ())),
        joins=tuple(small.get("joins", ())),
        output=small.get("output"),
        message=small.get("message"),
        thread=small.get("thread", False),
        answer=decode(item["answer"]) if "answer" in item else None,
        closed_at=item["closed_at"]["S"] if "closed_at" in item else None,
        claimed="claimed" in item,
        due_at=item["due_at"]["S"] if "due_at" in item else None,
        caller=of_text(item["caller"]["S"]) if "caller" in item else None,
    )


# -- parts of transactions -------------------------------------------------------------------------------------------


def asking_part(table: str, wait: Wait, draft: Draft) -> Part:
    """A wait begins, or is asked again by the next attempt."""
    small = {
        "scope": wait.scope,
        "approvers": list(wait.approvers),
        "joins": list(wait.joins),
        "message": wait.message,
        "thread": wait.thread,
        "output": wait.output,
    }
    item = {
        **_key(wait.id),
        "wait": text(_index(wait.kind, PENDING)),
        "node": text(wait.node),
        "activation": text(wait.activation),
        "epoch": number(wait.epoch),
        "asked_at": text(wait.asked_at),
        "until": text(wait.until),
        "token": text(compact(wait.token)),
        "task_token": text(wait.task_token),
        "asked": text(compact({key: value for key, value in small.items() if value or key in ("scope", "output")})),
        **_due(wait.due_at or wait.until),
    }
    large: dict[str, Stored] = {"text": wait.text, "spec": wait.spec}
    item |= encode_fields(draft.place(large, 8 * 1024))
    values = {":pending": text(_index(wait.kind, PENDING)), ":ended": text(_index(wait.kind, ENDED))}
    return put("wait", table, item, _condition(_THERE, values, "#run", "#wait"))


def renewal_part(table: str, wait: Wait) -> Part:
    """The engine waits under another token, perhaps in another epoch."""
    values = {":pending": text(_index(wait.kind, PENDING)), ":ended": text(_index(wait.kind, ENDED))}
    fields = {
        "wait": text(_index(wait.kind, PENDING)),
        "epoch": number(wait.epoch),
        "token": text(compact(wait.token)),
        "task_token": text(wait.task_token),
        **_due(wait.due_at or wait.until),
    }
    condition = _condition(f"attribute_exists(#run) AND ({_THERE})", values, "#run", "#wait")
    return update("wait", table, _key(wait.id), condition, fields, remove=("answer", "closed_at"))


def end_part(table: str, end: WaitEnd, draft: Draft) -> Part:
    """A wait ends with its activation, whose condition in the same transaction guards it."""
    fields = {"wait": text(_index(end.kind, end.status)), "closed_at": text(end.at), **_due(end.at)}
    if end.answer is not None:
        fields |= encode_fields(draft.place({"answer": text_of(end.answer, "answer")}, 64 * 1024))
    if end.claimed:
        fields["claimed"] = number(1)
    if end.caller is not None:
        fields["caller"] = text(end.caller.to_text())
    return update("wait", table, _key(end.id), _condition("attribute_exists(#run)", {}, "#run"), fields)


def over_part(table: str, wait: Wait, status: str, at: str) -> Part:
    """A wait that was open is found over, since its run or its activation is."""
    fields = {"wait": text(_index(wait.kind, status)), "closed_at": text(at), **_due(at)}
    values = {":pending": text(_index(wait.kind, PENDING)), ":epoch": number(wait.epoch)}
    return update("wait", table, _key(wait.id), _condition(_STILL_PENDING, values, "#wait", "#epoch"), fields)


def delivered_part(table: str, wait: Wait) -> Part:
    """The engine has heard of it: nobody needs the token any more."""
    condition = _condition(_CLOSED, {":pending": text(_index(wait.kind, PENDING))}, "#run", "#wait")
    return update("wait", table, _key(wait.id), condition, {}, remove=("due", "due_at", "task_token"))


def postponed_part(table: str, wait: Wait, at: str) -> Part:
    """The sweeper looks again at this time."""
    return update("wait", table, _key(wait.id), _condition("attribute_exists(#due)", {}, "#due"), {"due_at": text(at)})


def _due(at: str) -> dict[str, AttributeValue]:
    return {"due": text(DUE), "due_at": text(at)}


def _index(kind: str, status: str) -> str:
    return f"{kind}#{status}"


def _key(identity: str) -> dict[str, AttributeValue]:
    return {"run": text(run_of(identity)), "sk": text(wait_key(identity))}


_NAMES = {"#run": "run", "#wait": "wait", "#epoch": "epoch", "#due": "due"}


def _condition(expression: str, values: Mapping[str, AttributeValue], *names: str) -> dict[str, Any]:
    condition: dict[str, Any] = {
        "ConditionExpression": expression,
        "ExpressionAttributeNames": {name: _NAMES[name] for name in names},
    }
    return {**condition, "ExpressionAttributeValues": dict(values)} if values else condition


def index_value(kind: str, status: str) -> str:
    """The partition of the index of waits."""
    return _index(kind, status)


def joins_of(members: Sequence[Any]) -> tuple[str, ...]:
    """The joins of the regions around an activation, outermost first."""
    return tuple(member.join for member in members)
