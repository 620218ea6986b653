"""The parts of the transactions on a runs table: from what happens to what is written, and under which condition.

`table` is the table's name throughout, `draft` collects the large values that must be in the bucket first.
"""

from __future__ import annotations

from typing import Any

from loopstep.runs import conditions, elements, keys
from loopstep.runs.items import (
    STATE_FIELD,
    WROTE_FIELD,
    attempt_text,
    compact,
    encode_fields,
    item_size,
    number,
    run_error_text,
    text,
    wait_text,
)
from loopstep.runs.records import (
    REOPENED,
    RUNNING,
    WAITING,
    Activation,
    Attempt,
    Closing,
    Commit,
    Head,
    NewRun,
    Outgoing,
    RunEnd,
    StateChange,
)
from loopstep.runs.regions import region_parts
from loopstep.runs.transactions import Part, check, put, update
from loopstep.runs.values import AttributeValue, Draft, Stored, encode, stored_size, text_of, text_of_fields
from loopstep.runs.waits import Wait, end_part

_ATTEMPTS_SIZE = 4096  # bytes that a record's attempts take, at most about
_MESSAGE_SIZE = 4096  # bytes of a message without its text, at most about


def key(run: str, sort_key: str) -> dict[str, AttributeValue]:
    """The key of an item."""
    return {"run": text(run), "sk": text(sort_key)}


# -- runs ----------------------------------------------------------------------------------------------------------


def new_head(new: NewRun, draft: Draft) -> dict[str, AttributeValue]:
    """The head of a new run, epoch 1."""
    head = {
        **key(new.run, keys.HEAD),
        "plan": text(new.plan),
        "version": number(new.version),
        "status": text(new.status),
        "epoch": number(1),
        "started_at": text(new.created_at),
        "machine": text(new.machine),
        "digest": text(new.digest),
        "owner": text(new.owner),
        **({"fences": number(1)} if new.fences else {}),
        **({"timeout": number(new.timeout)} if new.timeout else {}),
        **({"depth": number(new.depth)} if new.depth else {}),
        **({"asked_by": text(new.by.to_text())} if new.by else {}),
    }
    return head | encode_fields(draft.place({"input": text_of_fields(new.input)}, item_size(head)))


def new_state(new: NewRun, draft: Draft) -> dict[str, AttributeValue]:
    """The state of a new run, revision 0."""
    fields = draft.place({STATE_FIELD + name: text_of(value, name) for name, value in new.state.items()})
    return {**key(new.run, keys.STATE), "rev": number(0), **encode_fields(fields)}


def end_parts(table: str, head: Head, end: RunEnd, owner: str, draft: Draft, condition: dict[str, Any]) -> list[Part]:
    """A terminal status for head and fences."""
    fields = {"status": text(end.status), "ended_at": text(end.ended_at), "ended_by": text(owner)}
    if end.output is not None:
        fields |= encode_fields(draft.place({"output": text_of_fields(end.output)}, head.size))
    if end.error is not None:
        fields["error"] = text(run_error_text(end.error))
    if end.by is not None:
        fields["cancelled_by"] = text(end.by.to_text())
    return [
        update("head", table, key(head.run, keys.HEAD), condition, fields),
        *(fences(table, head.run, end.status, head.epoch) if head.fences else ()),
    ]


def fences(table: str, run: str, status: str, epoch: int) -> list[Part]:
    """The fences, all saying this; the head's condition in the same transaction guards them."""
    return [
        put(
            f"fence {index}",
            table,
            {**key(run, keys.fence_key(index)), "fence": text(status), "epoch": number(epoch)},
            {},
        )
        for index in range(keys.FENCES)
    ]


def guard(table: str, run: str, epoch: int, activation: str, fence: bool) -> Part:
    """The check that the run still runs in this epoch, by the head or by the activation's fence."""
    if fence:
        return check("fence", table, key(run, keys.fence_of(activation)), conditions.fence_open(epoch))
    return check("head", table, key(run, keys.HEAD), conditions.run_open(epoch))


# -- activations ---------------------------------------------------------------------------------------------------


def commit_parts(table: str, commit: Commit, draft: Draft) -> list[Part]:
    """Everything that an activation's end writes."""
    run, closing, change = commit.run, commit.closing, commit.change
    wrote: dict[str, Stored] = {}
    parts: list[Part] = []
    if change is not None:
        wrote = {name: text_of(value, name) for name, value in change.fields.items()}
        parts.append(_state_part(table, run, change, wrote, draft))
    if commit.message is not None:
        parts.append(_message_part(table, run, closing.node, closing.id, commit.message, draft))
    if commit.end is not None and commit.head is not None:
        open_run = conditions.run_open(commit.epoch)
        parts += end_parts(table, commit.head, commit.end, commit.owner, draft, open_run)
    else:
        parts.append(guard(table, run, commit.epoch, closing.id, commit.fence))
    fields = _activation_fields(closing, commit.epoch, commit.owner, commit.known, draft, wrote)
    if change is not None:
        fields["rev"] = number(change.base.rev + 1)
    parts += region_parts(table, run, commit.members, closing.id, draft, commit.brought, commit.broken)
    if commit.wait is not None:
        parts.append(end_part(table, commit.wait, draft))
    return [_activation_part(table, commit, fields), *parts]


def attempt_part(
    table: str,
    run: str,
    epoch: int,
    started: Closing,
    attempt: Attempt,
    known: Activation | None,
    draft: Draft,
    region: str | None = None,
) -> Part:
    """The record of an attempt that is about to act, behind those in `known`; `region` is its innermost join's id."""
    opened = started._replace(status=RUNNING, ended_at="", port=None)
    fields = _activation_fields(opened, epoch, attempt.owner, known, draft, {})
    if region is not None:
        fields["region"] = text(region)
    count = len(known.attempts) if known else 0
    condition = conditions.activation_open(conditions.ATTEMPT_FREE if count else conditions.FIRST_ATTEMPT_FREE)
    place = key(run, keys.activation_key(started.id))
    entry = {"L": [text(attempt_text(attempt))]}
    if count:
        extra, values = "#attempts = list_append(#attempts, :attempt)", {":attempt": entry, ":count": number(count)}
    else:
        extra, values = "#attempts = :attempt", {":attempt": entry}
    return update("activation", table, place, condition, fields, [extra], values)


def outcome_part(table: str, run: str, activation: Activation, attempt: Attempt) -> Part:
    """How an attempt ended while its activation stays open."""
    condition, extra, values = conditions.activation_open(), *_attempt_entry(activation, attempt)
    condition["ExpressionAttributeNames"]["#attempts"] = "attempts"
    place = key(run, keys.activation_key(activation.id))
    return update("activation", table, place, condition, {"owner": text(attempt.owner)}, extra, values)


def usage_part(table: str, run: str, activation: Activation, begun: Attempt, ended: Attempt) -> Part:
    """What an attempt used that came too late, in its own entry, if that is still as it was begun."""
    (extra,), values = _attempt_entry(activation, ended)
    condition = {
        "ConditionExpression": f"{extra.partition(' = ')[0]} = :begun",
        "ExpressionAttributeNames": {"#attempts": "attempts"},
        "ExpressionAttributeValues": {":begun": text(attempt_text(begun))},
    }
    return update("activation", table, key(run, keys.activation_key(activation.id)), condition, {}, [extra], values)


def sent_part(table: str, run: str, known: Activation, attempt: Attempt, wait: Wait) -> Part:
    """The attempt that asked is done; from now on the activation waits, until the wait's end."""
    condition, extra, values = conditions.activation_open(), *_attempt_entry(known, attempt)
    condition["ExpressionAttributeNames"]["#attempts"] = "attempts"
    fields = {"act_status": text(WAITING), "owner": text(attempt.owner), "until": text(wait.until)}
    return update("activation", table, key(run, keys.activation_key(known.id)), condition, fields, extra, values)


def outgoing_part(table: str, wait: Wait, message: Outgoing, draft: Draft) -> Part:
    """The message of a wait, put once."""
    return _message_part(table, wait.run, wait.node, wait.activation, message, draft)


def _activation_part(table: str, commit: Commit, fields: dict[str, AttributeValue]) -> Part:
    condition = conditions.activation_open()
    extra: list[str] = []
    values: dict[str, AttributeValue] = {}
    if commit.attempt is not None and commit.known is not None:
        extra, values = _attempt_entry(commit.known, commit.attempt)
        condition["ExpressionAttributeNames"]["#attempts"] = "attempts"
    place = key(commit.run, keys.activation_key(commit.closing.id))
    return update("activation", table, place, condition, fields, extra, values)


def _attempt_entry(known: Activation, attempt: Attempt) -> tuple[list[str], dict[str, AttributeValue]]:
    """The SET clause of an attempt's entry: others may have been appended behind it, earlier epochs stand before it."""
    places = [(each.number, each.epoch) for each in known.attempts]
    index = places.index((attempt.number, attempt.epoch))
    return [f"#attempts[{index}] = :attempt"], {":attempt": text(attempt_text(attempt))}


def _activation_fields(
    closing: Closing, epoch: int, owner: str, known: Activation | None, draft: Draft, wrote: dict[str, Stored]
) -> dict[str, AttributeValue]:
    """Attributes of a record; the start of one that is already there stays, and so does an input left out."""
    small = {
        "node": closing.node,
        "path": closing.path,
        "act_status": closing.status,
        "owner": owner,
        "began_at": None if known and known.status != REOPENED else closing.started_at,
        "ended_at": closing.ended_at or None,
        "error": compact({"code": closing.error.code, "message": closing.error.message}) if closing.error else None,
        "port": closing.port,
        "edge": closing.edge,
        "seen": compact(closing.seen) if closing.seen is not None else None,
        "read": compact(closing.read) if closing.read is not None else None,
        "source": closing.source,
        "arrived_by": closing.arrived_by or None,
        "until": closing.until,
        "asks": wait_text(closing.wait) if closing.wait else None,
    }
    fields = {name: text(value) for name, value in small.items() if value is not None}
    fields["epoch"] = number(epoch)
    large: dict[str, Stored] = {WROTE_FIELD + name: value for name, value in wrote.items()}
    if closing.input is not None:
        large["input"] = text_of_fields(closing.input)
    if closing.output is not None:
        large["output"] = text_of_fields(closing.output)
    if closing.items is not None:
        fields["items"] = encode(elements.place(closing.items, draft))
        fields["item_count"] = number(len(closing.items))
    base = item_size(fields) + _ATTEMPTS_SIZE
    if closing.input is None and known is not None and known.input is not None:
        base += stored_size(known.input)
    return fields | encode_fields(draft.place(large, base))


def _state_part(table: str, run: str, change: StateChange, wrote: dict[str, Stored], draft: Draft) -> Part:
    """The state's new fields; one that no longer fits beside them moves to the bucket."""
    before: dict[str, Stored] = {STATE_FIELD + name: value for name, value in change.base.fields.items()}
    after = draft.place({**before, **{STATE_FIELD + name: value for name, value in wrote.items()}})
    fields = {name: encode(value) for name, value in after.items() if before.get(name) != value}
    fields["rev"] = number(change.base.rev + 1)
    return update("state", table, key(run, keys.STATE), conditions.state_unmoved(change.base.rev), fields)


def _message_part(table: str, run: str, node: str, activation: str, message: Outgoing, draft: Draft) -> Part:
    small = {
        "node": node,
        "activation": activation,
        "scope": message.scope,
        "sent_at": message.sent_at,
        "thread": message.thread,
    }
    item = {
        **key(run, keys.message_key(message.id)),
        **{name: text(value) for name, value in small.items() if value is not None},
        **encode_fields(draft.place({"text": text_of(message.text, "text")}, _MESSAGE_SIZE)),
    }
    return put("message", table, item, conditions.message_new())
