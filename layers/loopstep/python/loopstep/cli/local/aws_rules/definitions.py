"""What CreateStateMachine, UpdateStateMachine and ValidateStateMachineDefinition find in a definition. Pure.

Fields and rules: "State machine structure" and the pages of the states; codes and words are those of AWS.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .fields import CATCHER, MACHINE, RETRIER, RULE, fields_of, is_error_names

MAX_NAME = 80  # characters of a state's name
MAX_LABEL = 40  # characters; Map workflow state, Label
Parses = Callable[[str], str | None]  # a JSONata expression → what is wrong with it


@dataclass(frozen=True, slots=True)
class Problem:
    """One diagnostic; `location` is a path like /States/A/Next, "" for the machine as a whole."""

    code: str
    message: str
    location: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" at {self.location}" if self.location else "")


def problems(text: str, parses: Parses) -> list[Problem]:
    """Everything that AWS refuses in a definition; empty for one that it takes."""
    try:
        machine = json.loads(text)
    except ValueError as fault:
        return [Problem("INVALID_JSON_DESCRIPTION", str(fault))]
    if not isinstance(machine, dict):
        return [_schema("Definition must be an object", "")]
    names: set[str] = set()
    language = machine.get("QueryLanguage", "JSONPath")
    found = [*_fields(machine, MACHINE, ""), *_positive(machine, "TimeoutSeconds", "")]
    if language not in ("JSONPath", "JSONata"):
        found.append(_schema(f"Value is not acceptable: {language}", "/QueryLanguage"))
    return [*found, *_machine(machine, language, "", names), *_expressions(machine, parses, "")]


def _schema(message: str, location: str) -> Problem:
    return Problem("SCHEMA_VALIDATION_FAILED", message, location)


def _fields(value: dict[str, Any], known: frozenset[str], at: str) -> Iterator[Problem]:
    for name in value:
        if name not in known:
            yield _schema(f'Field "{name}" is not supported', f"{at}/{name}")


def _positive(value: dict[str, Any], field: str, at: str, least: int = 1) -> Iterator[Problem]:
    """An integer from `least`; expressions and absent fields pass."""
    number = value.get(field, least)
    if isinstance(number, str) and number.startswith("{%"):
        return
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= 99_999_999:
        yield _schema(f"Expected an integer from {least} to 99999999", f"{at}/{field}")


def _machine(machine: dict[str, Any], language: str, at: str, names: set[str]) -> Iterator[Problem]:
    """A machine, a branch or an item processor."""
    states = machine.get("States")
    if not isinstance(states, dict) or not states:
        yield _schema("These required fields are missing: [States]", at)
        return
    for name, state in states.items():
        here = f"{at}/States/{name}"
        if len(name) > MAX_NAME:
            yield _schema(f"State name exceeds {MAX_NAME} characters", here)
        if name in names:
            yield Problem("DUPLICATE_STATE_NAME", f"Duplicate State name: {name}", here)
        names.add(name)
        if isinstance(state, dict):
            yield from _state(state, language, here, names)
        else:
            yield _schema("Expected an object", here)
    yield from _transitions(machine, {k: v for k, v in states.items() if isinstance(v, dict)}, at)


def _transitions(machine: dict[str, Any], states: dict[str, Any], at: str) -> Iterator[Problem]:
    start = machine.get("StartAt")
    if not isinstance(start, str):
        yield _schema("These required fields are missing: [StartAt]", at)
    elif start not in states:
        yield Problem("MISSING_TRANSITION_TARGET", f"Missing 'StartAt' target: {start}", f"{at}/StartAt")
    for name, state in states.items():
        for target, place in _targets(state):
            if target not in states:
                where = f"{at}/States/{name}/{place}"
                yield Problem("MISSING_TRANSITION_TARGET", f"Missing 'Next' target: {target}", where)
    if not any(state.get("End") is True or state.get("Type") in ("Succeed", "Fail") for state in states.values()):
        yield Problem("MISSING_END_STATE", "Workflow has no terminal state", at)
        return
    reached = _reached(start, states)
    for name in states:
        if name not in reached:
            message = f'State "{name}" is not reachable.'
            yield Problem("MISSING_TRANSITION_TARGET", message, f"{at}/States/{name}")


def _reached(start: Any, states: dict[str, Any]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in states and name not in reached:
            reached.add(name)
            waiting += [target for target, _place in _targets(states[name])]
    return reached


def _targets(state: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """Where a state can lead to, and the field that says so."""
    for field in ("Next", "Default"):
        if isinstance(state.get(field), str):
            yield state[field], field
    for field in ("Choices", "Catch"):
        for index, rule in enumerate(_objects(state.get(field))):
            if isinstance(rule.get("Next"), str):
                yield rule["Next"], f"{field}[{index}]/Next"


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _state(state: dict[str, Any], outer: str, at: str, names: set[str]) -> Iterator[Problem]:
    kind, language = state.get("Type"), state.get("QueryLanguage", outer)
    known = fields_of(kind, language)
    if known is None:
        yield _schema(f"Value is not acceptable: {kind}", f"{at}/Type")
        return
    if outer == "JSONata" and language != "JSONata":
        yield _schema("'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine", at)
    yield from _fields(state, known.allowed, at)
    missing = sorted(field for field in known.required if field not in state)
    if missing:
        yield _schema(f"These required fields are missing: [{', '.join(missing)}]", at)
    for group in known.one_of:
        if len([field for field in group if field in state]) != 1:
            yield _schema(f"Exactly one of these fields is required: {sorted(group)}", at)
    if known.goes_on and (isinstance(state.get("Next"), str) + (state.get("End") is True)) != 1:
        yield _schema("Exactly one of the fields Next and End is required", at)
    yield from _numbers(state, at)
    yield from _errors(state, language, at)
    yield from _rules(state, language, at)
    yield from _inside(state, outer, at, names)


def _numbers(state: dict[str, Any], at: str) -> Iterator[Problem]:
    for field, least in (("TimeoutSeconds", 1), ("HeartbeatSeconds", 1), ("MaxConcurrency", 0)):
        yield from _positive(state, field, at, least)
    beat, limit = state.get("HeartbeatSeconds"), state.get("TimeoutSeconds")
    if isinstance(beat, int) and isinstance(limit, int) and beat >= limit:
        yield _schema("HeartbeatSeconds must be smaller than TimeoutSeconds", f"{at}/HeartbeatSeconds")
    if state.get("Type") == "Wait" and isinstance(state.get("Seconds"), (int, float)):
        yield from _positive(state, "Seconds", at, 0)
    label = state.get("Label", "x")
    if not isinstance(label, str) or not 0 < len(label) <= MAX_LABEL:
        yield _schema(f"Label must have 1 to {MAX_LABEL} characters", f"{at}/Label")
    resource = state.get("Resource", "arn:")
    if not isinstance(resource, str) or not resource.startswith("arn:"):
        yield _schema("Value is not a valid resource ARN", f"{at}/Resource")


def _errors(state: dict[str, Any], language: str, at: str) -> Iterator[Problem]:
    for field, known in (("Retry", RETRIER), ("Catch", CATCHER[language])):
        listed = state.get(field, [])
        if not isinstance(listed, list) or len(_objects(listed)) != len(listed):
            yield _schema("Expected an array of objects", f"{at}/{field}")
            continue
        for index, entry in enumerate(listed):
            here = f"{at}/{field}[{index}]"
            yield from _fields(entry, known, here)
            names = entry.get("ErrorEquals")
            if not is_error_names(names):
                yield _schema("ErrorEquals must be a non-empty array of strings", here)
            elif "States.ALL" in names and (len(names) > 1 or index < len(listed) - 1):
                yield _schema("States.ALL must appear alone and in the last entry", here)
            yield from _entry(field, entry, here)


def _entry(field: str, entry: dict[str, Any], at: str) -> Iterator[Problem]:
    if field == "Catch":
        if not isinstance(entry.get("Next"), str):
            yield _schema("These required fields are missing: [Next]", at)
        return
    for name, least in (("IntervalSeconds", 1), ("MaxAttempts", 0), ("MaxDelaySeconds", 1)):
        yield from _positive(entry, name, at, least)
    if entry.get("MaxDelaySeconds", 99_999_999) <= entry.get("IntervalSeconds", 1):
        yield _schema("MaxDelaySeconds must be greater than IntervalSeconds", f"{at}/MaxDelaySeconds")
    rate = entry.get("BackoffRate", 2.0)
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or rate < 1:
        yield _schema("BackoffRate must be a number from 1.0", f"{at}/BackoffRate")
    if entry.get("JitterStrategy", "NONE") not in ("NONE", "FULL"):
        yield _schema("Value is not acceptable", f"{at}/JitterStrategy")


def _rules(state: dict[str, Any], language: str, at: str) -> Iterator[Problem]:
    """The rules of a Choice."""
    if state.get("Type") != "Choice":
        return
    rules = _objects(state.get("Choices"))
    if not rules:
        yield _schema("Choices must be a non-empty array of rules", f"{at}/Choices")
    for index, rule in enumerate(rules):
        here = f"{at}/Choices[{index}]"
        if not isinstance(rule.get("Next"), str):
            yield _schema("These required fields are missing: [Next]", here)
        if language == "JSONata":
            yield from _fields(rule, RULE, here)
            if "Condition" not in rule:
                yield _schema("These required fields are missing: [Condition]", here)
        elif len(rule.keys() & {"And", "Or", "Not", "Variable"}) != 1 or "Condition" in rule:
            yield _schema("A rule has exactly one of And, Or, Not and Variable", here)


def _inside(state: dict[str, Any], outer: str, at: str, names: set[str]) -> Iterator[Problem]:
    """The machines in a state."""
    for index, branch in enumerate(_objects(state.get("Branches"))):
        here = f"{at}/Branches[{index}]"
        yield from _fields(branch, MACHINE - {"TimeoutSeconds", "Version"}, here)
        yield from _machine(branch, outer, here, names)
    for field in ("ItemProcessor", "Iterator"):
        processor = state.get(field)
        if isinstance(processor, dict):
            here = f"{at}/{field}"
            yield from _fields(processor, frozenset({"StartAt", "States", "Comment", "ProcessorConfig"}), here)
            yield from _processor(processor.get("ProcessorConfig", {}), f"{here}/ProcessorConfig")
            yield from _machine(processor, outer, here, names)


def _processor(config: Any, at: str) -> Iterator[Problem]:
    mode = config.get("Mode", "INLINE") if isinstance(config, dict) else None
    if mode not in ("INLINE", "DISTRIBUTED"):
        yield _schema("Value is not acceptable", f"{at}/Mode")
    elif mode == "DISTRIBUTED" and config.get("ExecutionType") not in ("STANDARD", "EXPRESS"):
        yield _schema("ExecutionType must be STANDARD or EXPRESS", f"{at}/ExecutionType")


def _expressions(value: Any, parses: Parses, at: str) -> Iterator[Problem]:
    """Every text that is an expression must parse."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _expressions(item, parses, f"{at}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _expressions(item, parses, f"{at}[{index}]")
    elif isinstance(value, str) and value.startswith("{%") and value.endswith("%}"):
        fault = parses(value[2:-2].strip())
        if fault is not None:
            yield Problem("INVALID_JSONATA_EXPRESSION", fault, at)
