"""What must hold afterwards: every run ended as its plan says, and every effect, counted by id, happened once.

All of it is read from the records themselves. Each check returns sentences about what is wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loopstep.runs import keys, regions, waits
from loopstep.runs.items import Item, activation_of, head_of, message_of, state_of
from loopstep.runs.records import COMPLETED, FAILED, TERMINAL, Activation, Head, Message, State
from loopstep.runs.values import Pointer, Stored
from tests.chaos.cases import Case
from tests.chaos.playing import Played

Read = Callable[[str], str]  # the text of an object by its key


@dataclass(slots=True)
class Records:
    """All items of one run, by what they are."""

    head: Head
    state: State
    activations: list[Activation] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    waits: list[waits.Wait] = field(default_factory=list)
    races: dict[str, regions.Standing] = field(default_factory=dict)
    arrivals: dict[str, list[regions.Arrival]] = field(default_factory=dict)
    fences: list[tuple[str, int]] = field(default_factory=list)
    due: list[str] = field(default_factory=list)


def records_of(items: Iterable[Item]) -> Records:
    """Sort a run's items. Raises KeyError where head or state are missing."""
    by_key = {item["sk"]["S"]: item for item in items}
    found = Records(head_of(by_key.pop(keys.HEAD)), state_of(by_key.pop(keys.STATE)))
    for name, item in by_key.items():
        if "due" in item:
            found.due.append(name)
        if name.startswith(keys.ACTIVATION):
            found.activations.append(activation_of(item))
        elif name.startswith(keys.MESSAGE):
            found.messages.append(message_of(item))
        elif name.startswith(keys.FENCE):
            found.fences.append((item["fence"]["S"], int(item["epoch"]["N"])))
        elif name.startswith(waits.WAIT):
            found.waits.append(waits.wait_of(item))
        elif name.startswith(regions.RACE):
            found.races[name.removeprefix(regions.RACE)] = regions.standing_of(item)
        elif name.startswith(regions.ARRIVAL):
            join = name.removeprefix(regions.ARRIVAL).rpartition("#")[0]
            found.arrivals.setdefault(join, []).append(regions.arrival_of(item))
    return found


def problems(played: Played, view: Mapping[str, Any], found: Records, read: Read) -> list[str]:
    """What is wrong with one run; `view` is what the API says of it now."""
    case = played.case
    wrong = [
        *played.complaints,
        *_ending(played, view, found.head),
        *_activations(case, found),
        *_state(found, read),
        *_messages(case, found, read),
        *_races(found),
        *_waits(found),
    ]
    return [f"{case.plan} {played.run}: {each}" for each in wrong]


def _ending(played: Played, view: Mapping[str, Any], head: Head) -> Iterator[str]:
    """One terminal status, the one expected, and the same wherever and whenever it is read."""
    case, seen = played.case, played.seen
    if head.status not in TERMINAL:
        yield f"has not ended ({head.status})"
        return
    code = head.error.code if head.error else None
    if (head.status, code) != (case.status, case.code):
        yield f"ended as {head.status} {code}, not as {case.status} {case.code}"
    elif case.status == "succeeded" and not case.output(view["output"]):
        yield f"has the wrong output {str(view['output'])[:200]}"
    if view["status"] != head.status or view["endedAt"] != head.ended_at:
        yield f"is {view['status']} since {view['endedAt']} for the API, {head.status} since {head.ended_at} on record"
    if seen is not None:
        moved = [name for name in ("status", "output", "error", "endedAt") if seen[name] != view[name]]
        if moved:
            yield f"has changed after its end: {', '.join(moved)}"


def _activations(case: Case, found: Records) -> Iterator[str]:
    """As many of each node as the plan makes, each closed, with attempts numbered one by one."""
    counts = Counter(each.node for each in found.activations)
    for node in case.nodes.keys() | counts.keys():
        fewest, most = case.nodes.get(node, (0, 0))
        if not fewest <= counts[node] <= most:
            yield f"{node} has {counts[node]} activations, not {fewest} to {most}"
    for each in found.activations:
        if each.status not in (COMPLETED, FAILED) and case.status != "cancelled":
            yield f"{each.id} is still {each.status}"
        for epoch in {attempt.epoch for attempt in each.attempts}:
            numbers = [attempt.number for attempt in each.attempts_in(epoch)]
            if numbers != list(range(1, len(numbers) + 1)):
                yield f"{each.id} has the attempts {numbers} in epoch {epoch}"


def _state(found: Records, read: Read) -> Iterator[str]:
    """Every revision was made by one activation, and all writes in their order give the state that stands."""
    writes = sorted((each for each in found.activations if each.rev is not None), key=lambda each: each.rev or 0)
    revisions = [each.rev for each in writes]
    if revisions != list(range(1, found.state.rev + 1)):
        yield f"the state is at revision {found.state.rev}, the activations made {revisions}"
    last: dict[str, Stored] = {}
    for each in writes:
        last |= each.wrote
    lost = [name for name, value in last.items() if _value(found.state.fields.get(name), read) != _value(value, read)]
    if lost:
        yield f"the state has lost what was written to {', '.join(lost)}"


def _messages(case: Case, found: Records, read: Read) -> Iterator[str]:
    """One message for every activation that sent one, and the texts that the plan sends."""
    senders = Counter(message.activation for message in found.messages)
    twice = [activation for activation, count in senders.items() if count > 1]
    if twice:
        yield f"has several messages of {', '.join(twice)}"
    texts = Counter(str(_value(message.text, read)) for message in found.messages)
    if texts != Counter(case.sends):
        yield f"sent {dict(texts)}, not {dict(case.sends)}"
    scopes = {message.scope for message in found.messages} - {case.input.get("team")}
    if scopes:
        yield f"sent to {scopes}"


def _races(found: Records) -> Iterator[str]:
    """One arrival a part, slots without gaps, as many as were counted; fences say what the head says."""
    for join, arrivals in found.arrivals.items():
        parts = Counter(each.part for each in arrivals)
        if max(parts.values()) > 1:
            yield f"{join} has parts that arrived twice: {parts}"
        slots = sorted(each.slot for each in arrivals if each.slot is not None)
        race = found.races.get(join)
        taken = race.taken if race else 0
        if slots != list(range(taken)):
            yield f"{join} counted {taken} arrivals, they took the slots {slots}"
    differing = set(found.fences) - {(found.head.status, found.head.epoch)}
    if differing:
        yield f"its fences say {differing}, the head {found.head.status}"


def _waits(found: Records) -> Iterator[str]:
    """Nobody waits any more, and no task token is left."""
    for wait in found.waits:
        if wait.pending:
            yield f"the {wait.kind} of {wait.activation} is still pending"
        if wait.task_token:
            yield f"the {wait.kind} of {wait.activation} still has its task token"
    if found.due:
        yield f"the sweeper has not done {found.due}"


def published(stored: Iterable[tuple[str, Message]], heard: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every stored message was published at least once, every repetition is the same event, and nothing else came."""
    events: dict[str, Mapping[str, Any]] = {}
    wrong = []
    for detail in heard:
        if events.setdefault(detail["messageId"], detail) != detail:
            wrong.append(f"message {detail['messageId']} was published with two contents")
    expected = {message.id: run for run, message in stored}
    wrong += [f"message {each} of run {expected[each]} was never published" for each in expected.keys() - events.keys()]
    wrong += [
        f"message {each} of run {events[each]['runId']} was published and never stored"
        for each in events.keys() - expected.keys()
    ]
    return wrong


def executions(runs: Mapping[str, int], found: Iterable[tuple[str, str]]) -> list[str]:
    """Every run, given with its epoch, has one execution for each; all have ended, and nothing else was started."""
    names = Counter(name for name, _ in found)
    expected = Counter(keys.execution_name(run, epoch) for run, last in runs.items() for epoch in range(1, last + 1))
    wrong = [f"execution {name} was started {names[name]} times" for name in expected if names[name] != 1]
    wrong += [f"execution {name} belongs to no run" for name in names.keys() - expected.keys()]
    return wrong + [f"execution {name} still runs" for name, status in found if status == "RUNNING"]


def _value(stored: Stored | None, read: Read) -> Any:
    if stored is None:
        return None
    return json.loads(read(stored.key) if isinstance(stored, Pointer) else stored)
