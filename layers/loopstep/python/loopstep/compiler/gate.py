"""The strict gate: what every emitted definition must satisfy (ARCHITECTURE §2, "Rules of emission").

cfn-lint looks into no state machine of a SAM template and the local engine accepts faulty ones, so a fault here would
be met by a run. The gate knows only what `emit` may write; a field it does not know is a fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from loopstep.compiler.jsonata_subset import parses
from loopstep.compiler.limits import MAX_DEFINITION_BYTES, MAX_STATE_BYTES

State = dict[str, Any]

_ALWAYS = {"Type", "Comment", "QueryLanguage"}
_ONWARD = {"Next", "End"}
_JSONATA = {
    "Task": _ALWAYS | _ONWARD | {"Resource", "Arguments", "Output", "TimeoutSeconds", "Retry", "Catch"},
    "Choice": _ALWAYS | {"Choices", "Default"},
    "Pass": _ALWAYS | _ONWARD | {"Output"},
    "Fail": _ALWAYS | {"Error", "Cause"},
    "Map": _ALWAYS | _ONWARD | {"Items", "MaxConcurrency", "ItemSelector", "ItemProcessor", "Output", "Catch"},
}
_JSONPATH = {
    "Wait": _ALWAYS | _ONWARD | {"TimestampPath"},
    "Parallel": _ALWAYS | _ONWARD | {"Branches", "ResultPath", "Catch"},
    "Map": _ALWAYS | _ONWARD | {
        "Label", "ItemReader", "ItemSelector", "MaxConcurrency", "ToleratedFailureCount", "ItemProcessor",
        "ResultWriter", "ResultPath", "Catch",
    },
}  # fmt: skip
_REQUIRED = {
    "Task": {"Resource", "Arguments"},
    "Choice": {"Choices", "Default"},
    "Wait": {"TimestampPath"},
    "Fail": {"Error"},
    "Parallel": {"Branches", "ResultPath"},
    "Map": {"ItemProcessor", "MaxConcurrency"},
    "Pass": set[str](),
}
_TERMINAL = {"Fail"}
_NO_ONWARD = {"Choice", "Fail"}
_RESOURCES = {"arn:aws:states:::lambda:invoke", "arn:aws:states:::lambda:invoke.waitForTaskToken"}
_RETRY = {"ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds", "JitterStrategy"}
_CATCH = {"JSONata": {"ErrorEquals", "Output", "Next"}, "JSONPath": {"ErrorEquals", "ResultPath", "Next"}}
_MAX_NAME = 80  # AWS: StateEnteredEventDetails
_MAX_SECONDS = 99_999_999  # AWS: TimeoutSeconds, IntervalSeconds
_MAX_DELAY = 31_622_400


class GateFault(NamedTuple):
    """`code` is a limit.* diagnostic, or "definition.invalid": a fault of the compiler, not of the plan."""

    code: str
    state: str
    message: str


def gate(definition: State) -> list[GateFault]:
    """Everything that is wrong with a definition; empty for one that may be published."""
    faults = [GateFault("definition.invalid", name, message) for name, message in _machine(definition)]
    size = len(_encoded(definition))
    if size > MAX_DEFINITION_BYTES:
        faults.append(GateFault("limit.definition_size", "", f"the state machine has {size:,} bytes"))
    faults.extend(
        GateFault("limit.state_size", name, f"the state has {size:,} bytes")
        for name, state in _all_states(definition)
        if state.get("Type") == "Task" and (size := len(_encoded(state))) > MAX_STATE_BYTES
    )
    return faults


def _all_states(machine: State) -> Iterator[tuple[str, State]]:
    """Every state by name, those inside regions too."""
    for name, state in machine.get("States", {}).items():
        yield name, state
        for inner in [*state.get("Branches", ()), *([state["ItemProcessor"]] if "ItemProcessor" in state else ())]:
            yield from _all_states(inner)


def _encoded(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _machine(definition: State) -> Iterator[tuple[str, str]]:
    unknown = definition.keys() - {"Comment", "StartAt", "TimeoutSeconds", "States"}
    if unknown:
        yield "", f"unknown fields {sorted(unknown)}"
    timeout = definition.get("TimeoutSeconds")
    if not isinstance(timeout, int) or not 1 <= timeout <= _MAX_SECONDS:
        yield "", f"TimeoutSeconds is {timeout!r}"
    seen: set[str] = set()
    yield from _scope(definition, seen)


def _scope(machine: State, seen: set[str]) -> Iterator[tuple[str, str]]:
    """One set of states: names, targets, reachability; `seen` holds the names of the whole definition."""
    states: dict[str, State] = machine.get("States", {})
    start = machine.get("StartAt", "")
    if start not in states:
        yield "", f"StartAt {start!r} is no state"
    for name, state in states.items():
        if name in seen:
            yield name, "a state of this name exists already"
        seen.add(name)
        if not 1 <= len(name) <= _MAX_NAME:
            yield name, f"the name has {len(name)} characters"
        for message in _state(state):
            yield name, message
        for target in _targets(state):
            if target not in states:
                yield name, f"leads to {target!r}, which is no state here"
        for inner in [*state.get("Branches", ()), *([state["ItemProcessor"]] if "ItemProcessor" in state else ())]:
            yield from _scope(inner, seen)
    for name in states.keys() - _reached(start, states):
        yield name, "cannot be reached"


def _targets(state: State) -> list[str]:
    found = [state[key] for key in ("Next", "Default") if key in state]
    return found + [part.get("Next", "") for key in ("Choices", "Catch") for part in state.get(key, ())]


def _reached(start: str, states: dict[str, State]) -> set[str]:
    reached: set[str] = set()
    open_ = [start]
    while open_:
        name = open_.pop()
        if name in states and name not in reached:
            reached.add(name)
            open_.extend(_targets(states[name]))
    return reached


def _state(state: State) -> Iterator[str]:
    kind = state.get("Type", "")
    language = state.get("QueryLanguage", "JSONPath")
    allowed = (_JSONATA if language == "JSONata" else _JSONPATH).get(kind)
    if allowed is None:
        yield f"{kind!r} is no type of a {language} state"
        return
    if unknown := state.keys() - allowed:
        yield f"unknown fields {sorted(unknown)}"
    if missing := _REQUIRED[kind] - state.keys():
        yield f"lacks {sorted(missing)}"
    if kind not in _NO_ONWARD and ("Next" in state) == (state.get("End") is True):
        yield "needs one of Next and End"
    if kind == "Task" and state.get("Resource") not in _RESOURCES:
        yield f"unknown resource {state.get('Resource')!r}"
    if kind == "Choice":
        yield from _choices(state)
    yield from _retriers(state.get("Retry", ()))
    yield from _catchers(state.get("Catch", ()), language)
    for text in _texts({key: part for key, part in state.items() if key not in ("Branches", "ItemProcessor")}):
        yield from _expression(text, language)
    timeout = state.get("TimeoutSeconds", 1)
    if not isinstance(timeout, int) or not 1 <= timeout <= _MAX_SECONDS:
        yield f"TimeoutSeconds is {timeout!r}"


def _choices(state: State) -> Iterator[str]:
    if not state.get("Choices"):
        yield "has no choices"
    for rule in state.get("Choices", ()):
        if rule.keys() - {"Condition", "Next", "Output"}:
            yield f"a rule has unknown fields: {sorted(rule)}"
        if not _is_expression(rule.get("Condition", "")):
            yield f"a rule's condition is no expression: {rule.get('Condition')!r}"


def _retriers(retriers: Any) -> Iterator[str]:
    for retrier in retriers:
        yield from _errors(retrier, retriers)
        if unknown := retrier.keys() - _RETRY:
            yield f"a retrier has unknown fields {sorted(unknown)}"
        interval, delay = retrier.get("IntervalSeconds", 1), retrier.get("MaxDelaySeconds")
        if not isinstance(interval, int) or not 1 <= interval <= _MAX_SECONDS:
            yield f"IntervalSeconds is {interval!r}"
        if delay is not None and not interval < delay < _MAX_DELAY:
            yield f"MaxDelaySeconds {delay!r} is not above IntervalSeconds {interval!r}"
        if not 0 <= retrier.get("MaxAttempts", 3) <= _MAX_SECONDS or retrier.get("BackoffRate", 1.0) < 1.0:
            yield "MaxAttempts or BackoffRate out of range"


def _catchers(catchers: Any, language: str) -> Iterator[str]:
    for catcher in catchers:
        yield from _errors(catcher, catchers)
        if unknown := catcher.keys() - _CATCH[language]:
            yield f"a catcher has unknown fields {sorted(unknown)}"


def _errors(part: State, parts: Any) -> Iterator[str]:
    errors = part.get("ErrorEquals")
    if not errors:
        yield "ErrorEquals is empty"
    elif "States.ALL" in errors and (len(errors) > 1 or part is not parts[-1]):
        yield "States.ALL must stand alone and last"


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for part in data.values():
            yield from _texts(part)
    elif isinstance(data, list):
        for part in data:
            yield from _texts(part)


def _is_expression(text: str) -> bool:
    return text.startswith("{%") and text.endswith("%}")


def _expression(text: str, language: str) -> Iterator[str]:
    if text.startswith("{%") != text.endswith("%}"):
        yield f"half an expression: {text[:60]!r}"
    elif not _is_expression(text):
        return
    elif language != "JSONata":
        yield f"an expression in a {language} state: {text[:60]!r}"
    elif not parses(text[2:-2]):
        yield f"JSONata that does not parse: {text[:60]!r}"
