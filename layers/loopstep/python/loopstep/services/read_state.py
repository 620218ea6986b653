"""Read a run's state as it was at any of its revisions. Nothing here changes anything."""

from __future__ import annotations

import json
from typing import Any

from loopstep.runs.records import Activation, Head
from loopstep.runs.values import Stored
from loopstep.runtime.token import numbers
from loopstep.services.refusals import Unknown
from loopstep.services.running import Running
from loopstep.services.showing import Item, secrets_of_version, shown
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema
from loopstep.types.text import json_text

_FIELD = "state."


def get_state(running: Running, run: str, revision: int | None = None) -> Item:
    """The state at a revision, the newest without one: `{runId, revision, latest, state, change, omitted?}`.

    0 is the state with its declared defaults; each commit of a set_variable makes the next. `change` says whose made
    this one, `{activationId, nodeId, path, at, fields}`; null for 0, and where a redrive made it anew.
    Raises Unknown `run.unknown`, `state.revision_unknown`.
    """
    head = running.head(run)
    changes = running.reader.changes(run)
    latest = (changes[-1].rev or 0) if changes else 0
    wanted = latest if revision is None else revision
    if wanted > latest:
        detail = f"The newest revision of the run's state is {latest}."
        raise Unknown("state.revision_unknown", detail, latest=latest)
    stored = _defaults(running, head)
    last: Activation | None = None
    for change in changes:
        if (change.rev or 0) <= wanted:
            stored |= {_FIELD + name: value for name, value in change.wrote.items()}
            last = change
    values = dict(zip(stored, running.values.read_all(stored.values()), strict=True))
    secrets = secrets_of_version(running, head.plan, head.version)["state"]
    hidden = {name: [path[1:] for path in secrets if _FIELD + path[0] == name] for name in stored}
    item = shown(running, values, dict(stored), hidden)
    return {
        "runId": run,
        "revision": wanted,
        "latest": latest,
        "state": {name.removeprefix(_FIELD): item.pop(name) for name in stored},
        "change": _change(last) if last is not None and last.rev == wanted else None,
        **item,
    }


def _defaults(running: Running, head: Head) -> dict[str, Stored]:
    """What the version declares, as a run begins with it."""
    found = running.plans.version(head.plan, head.version)
    declared = json.loads(running.plans.text(found, "state")) if found is not None else {}
    fields = {name: Schema.from_json(schema) for name, schema in declared.items()}
    return {_FIELD + name: json_text(value) for name, value in conform_fields({}, fields)[0].items()}


def _change(record: Activation) -> dict[str, Any]:
    return {
        "activationId": record.id,
        "nodeId": record.node,
        "path": numbers(record.path),
        "at": record.ended_at,
        "fields": sorted(record.wrote),
    }
