"""Dead letters: look at them, try them again, take them out. Their data is never shown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from loopstep.gateways.dead_letters import Letter
from loopstep.runs.records import Head
from loopstep.services.deliver_event import deliver
from loopstep.services.fire_schedule import Call, fire
from loopstep.services.refusals import Conflicting, Unknown
from loopstep.services.scheduling import Scheduling
from loopstep.services.triggering import Triggering

EVENT, SCHEDULE, OTHER = "event", "schedule", "other"


class Mail(NamedTuple):
    """What dead letters are looked at and tried again with."""

    triggering: Triggering
    scheduling: Scheduling


def list_letters(mail: Mail) -> dict[str, Any]:
    """`{items, next}`, the oldest first, those that can be seen now."""
    return {"items": [shown(each) for each in mail.triggering.letters.look()], "next": None}


def redrive_letter(mail: Mail, id: str) -> dict[str, Any]:
    """`{id, runId, skipped}`: it is out of the queue. Raises what starting raises; it then stays where it is.

    Raises Unknown `dead_letter.unknown`, Conflicting `dead_letter.foreign` for what no trigger or schedule started.
    """
    letters, letter = mail.triggering.letters, _take(mail, id)
    try:
        done = _again(mail, letter)
    except BaseException:
        letters.put_back(letter)
        raise
    letters.remove(letter)
    started = isinstance(done, Head)
    return {"id": id, "runId": done.run if isinstance(done, Head) else None, "skipped": None if started else done}


def remove_letter(mail: Mail, id: str) -> None:
    """Take it out. Raises Unknown `dead_letter.unknown`."""
    mail.triggering.letters.remove(_take(mail, id))


def shown(letter: Letter) -> dict[str, Any]:
    """Why and of what, without what is in it."""
    data = letter.data if isinstance(letter.data, dict) else {}
    event = data.get("event") if isinstance(data.get("event"), dict) else {}
    own = data.get("kind") == EVENT
    return {
        "id": letter.id,
        "kind": _kind(data),
        "plan": _text(data.get("plan")),
        "trigger": _text(data.get("trigger")),
        "schedule": _text(data.get("schedule")),
        "code": _text(data.get("code")) if own else None,
        "detail": _text(data.get("detail")) if own else letter.error or None,
        "errors": data.get("errors", []) if own else [],
        "eventId": _text(event.get("id")) if event else None,
        "source": _text(event.get("source")) if event else None,
        "detailType": _text(event.get("detail-type")) if event else None,
        "sentAt": datetime.fromtimestamp(letter.sent_at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _take(mail: Mail, id: str) -> Letter:
    letter = mail.triggering.letters.take(id)
    if letter is None:
        raise Unknown("dead_letter.unknown", f"There is no dead letter {id} that can be seen now.")
    return letter


def _again(mail: Mail, letter: Letter) -> Head | str:
    data = letter.data if isinstance(letter.data, dict) else {}
    kind = _kind(data)
    if kind == EVENT:
        return deliver(mail.triggering, data["plan"], data["trigger"], data.get("event"))
    if kind == SCHEDULE:
        return fire(mail.scheduling, Call(*(data[name] for name in Call._fields)))
    raise Conflicting("dead_letter.foreign", "No trigger and no schedule sent it; it can only be removed.")


def _kind(data: dict[str, Any]) -> str:
    def has(*names: str) -> bool:
        return all(isinstance(data.get(name), str) for name in names)

    if has("plan", "trigger") and "event" in data:
        return EVENT
    return SCHEDULE if has(*Call._fields) else OTHER


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
