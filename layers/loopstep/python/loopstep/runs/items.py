"""Records to DynamoDB items and back; values stay JSON text (ARCHITECTURE §4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from loopstep.access.actor import of_text
from loopstep.runs.records import Activation, Attempt, Failure, Head, Message, RunError, State, WaitRef
from loopstep.runs.values import AttributeValue, Stored, decode, encode

Item = Mapping[str, AttributeValue]

STATE_FIELD = "f_"  # attribute of a state field: this and its name
WROTE_FIELD = "w_"  # attribute of a field that a set_variable wrote
_KEY_SIZE = 200  # what run id and sort key take, at most about


def text(value: str) -> AttributeValue:
    """A string attribute."""
    return {"S": value}


def number(value: int) -> AttributeValue:
    """A number attribute."""
    return {"N": str(value)}


def compact(value: Any) -> str:
    """Compact JSON text of our own small records."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def item_size(item: Item) -> int:
    """Return the size of an item in bytes as DynamoDB counts it, rounded up a little."""
    return _KEY_SIZE + sum(len(name.encode()) + _size(value) for name, value in item.items())


def _size(attribute: AttributeValue) -> int:
    ((kind, value),) = attribute.items()
    if kind == "S":
        return len(value.encode())
    if kind == "M":
        return 3 + item_size(value) - _KEY_SIZE
    if kind == "L":
        return 3 + sum(_size(each) + 1 for each in value)
    return 24


def head_of(item: Item) -> Head:
    """The head of a run."""
    error = _json(item, "error")
    return Head(
        run=item["run"]["S"],
        plan=item["plan"]["S"],
        version=int(item["version"]["N"]),
        status=item["status"]["S"],
        epoch=int(item["epoch"]["N"]),
        started_at=item["started_at"]["S"],
        input=decode(item["input"]),
        ended_at=_text(item, "ended_at"),
        output=_stored(item, "output"),
        error=_run_error(error) if error else None,
        machine=_text(item, "machine") or "",
        digest=_text(item, "digest") or "",
        fences="fences" in item,
        size=item_size(item),
        timeout=int(item["timeout"]["N"]) if "timeout" in item else 0,
        redriven_at=_text(item, "redriven_at"),
        renewing="renewing" in item,
        depth=int(item["depth"]["N"]) if "depth" in item else 0,
        started_by=of_text(_text(item, "asked_by")),
        redriven_by=of_text(_text(item, "redrive_asked_by")),
        cancelled_by=of_text(_text(item, "cancelled_by")),
    )


def _run_error(data: dict[str, Any]) -> RunError:
    return RunError(data["code"], data["message"], data.get("nodeId"), data.get("activation"))


def run_error_text(error: RunError) -> str:
    """The JSON text that `head_of` reads."""
    data = {"code": error.code, "message": error.message, "nodeId": error.node, "activation": error.activation}
    return compact({key: value for key, value in data.items() if value is not None})


def state_of(item: Item) -> State:
    """A run's state."""
    fields = {name[2:]: decode(value) for name, value in item.items() if name.startswith(STATE_FIELD)}
    return State(int(item["rev"]["N"]), fields)


def activation_of(item: Item) -> Activation:
    """An activation's record."""
    error = _json(item, "error")
    return Activation(
        node=item["node"]["S"],
        path=item["path"]["S"],
        status=item["act_status"]["S"],
        epoch=int(item["epoch"]["N"]),
        started_at=item["began_at"]["S"],
        ended_at=_text(item, "ended_at"),
        attempts=tuple(_attempt(each["S"]) for each in item["attempts"]["L"]) if "attempts" in item else (),
        input=_stored(item, "input"),
        output=_stored(item, "output"),
        error=Failure(error["code"], error["message"]) if error else None,
        port=_text(item, "port"),
        edge=_text(item, "edge"),
        seen=_json(item, "seen"),
        read=_json(item, "read"),
        source=_text(item, "source"),
        arrived_by=_text(item, "arrived_by") or "",
        until=_text(item, "until"),
        items=_stored(item, "items"),
        item_count=int(item["item_count"]["N"]) if "item_count" in item else None,
        wrote={name[2:]: decode(value) for name, value in item.items() if name.startswith(WROTE_FIELD)},
        rev=int(item["rev"]["N"]) if "rev" in item else None,
        owner=_text(item, "owner") or "",
        region=_text(item, "region"),
        wait=_wait(item["asks"]["S"]) if "asks" in item else None,
    )


def wait_text(wait: WaitRef) -> str:
    """The text that `activation_of` reads."""
    return f"{wait.kind}#{wait.id}"


def _wait(source: str) -> WaitRef:
    kind, _, identity = source.partition("#")
    return WaitRef(kind, identity)


def attempt_text(attempt: Attempt) -> str:
    """The JSON text of one attempt, an element of the `attempts` list."""
    data = {
        "number": attempt.number,
        "epoch": attempt.epoch,
        "startedAt": attempt.started_at,
        "owner": attempt.owner,
        "timeout": attempt.timeout,
        "endedAt": attempt.ended_at,
        "code": attempt.code,
        "usage": attempt.usage,
    }
    return compact({key: value for key, value in data.items() if value not in (None, 0)})


def _attempt(source: str) -> Attempt:
    data = json.loads(source)
    return Attempt(
        data["number"],
        data["epoch"],
        data["startedAt"],
        data["owner"],
        data.get("timeout", 0),
        data.get("endedAt"),
        data.get("code"),
        data.get("usage"),
    )


def message_of(item: Item) -> Message:
    """A message."""
    return Message(
        id=item["sk"]["S"].partition("#")[2],
        node=item["node"]["S"],
        activation=item["activation"]["S"],
        scope=item["scope"]["S"],
        text=decode(item["text"]),
        sent_at=item["sent_at"]["S"],
        thread=_text(item, "thread"),
    )


def encode_fields(fields: Mapping[str, Stored], prefix: str = "") -> dict[str, AttributeValue]:
    """Attributes of stored values, each name behind the prefix."""
    return {prefix + name: encode(value) for name, value in fields.items()}


def _text(item: Item, name: str) -> str | None:
    return item[name]["S"] if name in item else None


def _stored(item: Item, name: str) -> Stored | None:
    return decode(item[name]) if name in item else None


def _json(item: Item, name: str) -> Any:
    return json.loads(item[name]["S"]) if name in item else None
