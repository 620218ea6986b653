"""A walk through a compiled state machine, as Step Functions walks it: states, retriers, Catches, regions, time.

A walk is a generator. It yields when it may go on: 0 for at once, else the clock's `seconds` until which it waits, or
NEVER where it waits for an answer alone. Parts of a region take turns state by state, in their order or as `order`
picks them, so a run comes out the same every time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Protocol

from loopstep.testing.clock import Clock
from loopstep.testing.payload import evaluated, selected

Walk = Generator[float, None, Any]  # returns the output
State = dict[str, Any]

NOW, NEVER = 0.0, float("inf")
TIMEOUT = "States.Timeout"
WAITING = ".waitForTaskToken"


class Stopped(Exception):
    """A state failed and no Catch took it; the argument is the error's name."""


class Function(Protocol):
    """What a Task invokes. Raises Stopped with the error's name."""

    def __call__(self, kind: str, payload: dict[str, Any]) -> Walk:
        """A walk that returns the reply."""
        ...


class Tokens(Protocol):
    """The Tasks that wait for answers."""

    def open(self) -> str: ...

    def close(self, token: str) -> None: ...

    def told(self, token: str) -> tuple[Any, str] | None:
        """The output and "", or None and an error's name; None while nobody has answered."""
        ...


class Engine(NamedTuple):
    """What machines run with. `read` gives an object of the bucket. `stops`: a failed part of a region stops its
    siblings at once, as on AWS; else they walk on to their ends, as on the local cloud.
    """

    clock: Clock
    invoke: Function
    tokens: Tokens
    read: Callable[[str], bytes]
    entered: Callable[[str], None] = lambda name: None
    order: random.Random | None = None
    stops: bool = True

    # -- states --------------------------------------------------------------------------------------------------

    def walk(self, machine: State, data: Any, context: Mapping[str, Any]) -> Walk:
        """Walk a machine, or a part of one, from its start. Raises Stopped."""
        name = machine["StartAt"]
        while name is not None:
            state = machine["States"][name]
            self.entered(name)
            yield NOW
            try:
                data, name = yield from getattr(self, "_" + state["Type"].lower())(state, data, context)
            except Stopped as stopped:
                data, name = _caught(state, data, str(stopped))
        return data

    def _task(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        tries: dict[int, int] = {}
        while True:
            try:
                output = yield from self._attempt(state, data, context)
                return output, state.get("Next")
            except Stopped as stopped:
                yield from self._until(self.clock.seconds + _pause(state, str(stopped), tries))

    def _attempt(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        waits = state["Resource"].endswith(WAITING)
        token = self.tokens.open() if waits else ""
        states = {"input": data, "context": {**context, "Task": {"Token": token}}}
        arguments = evaluated(state["Arguments"], states)
        ends = self.clock.seconds + state["TimeoutSeconds"] if "TimeoutSeconds" in state else NEVER
        try:
            payload = json.loads(json.dumps(arguments["Payload"]))
            reply = yield from self._in_time(self.invoke(arguments["FunctionName"], payload), ends)
            output = (yield from self._answer(token, ends)) if waits else reply
        finally:
            if waits:
                self.tokens.close(token)
        if "Output" not in state:
            return output if waits else {"Payload": output}
        return evaluated(state["Output"], {**states, "result": output if waits else {"Payload": output}})

    def _in_time(self, walk: Walk, ends: float) -> Walk:
        while True:
            try:
                until = next(walk)
            except StopIteration as done:
                return done.value
            if self.clock.seconds >= ends:
                walk.close()
                raise Stopped(TIMEOUT)
            yield min(until, ends)

    def _answer(self, token: str, ends: float) -> Walk:
        while (told := self.tokens.told(token)) is None:
            if self.clock.seconds >= ends:
                raise Stopped(TIMEOUT)
            yield ends
        output, error = told
        if error:
            raise Stopped(error)
        return output

    def _until(self, seconds: float) -> Walk:
        while self.clock.seconds < seconds:
            yield seconds

    def _pass(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        output = evaluated(state["Output"], {"input": data, "context": context}) if "Output" in state else data
        return output, state.get("Next")
        yield

    def _choice(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        for each in state["Choices"]:
            if evaluated(each["Condition"], {"input": data, "context": context}) is True:
                return data, each["Next"]
        return data, state["Default"]
        yield

    def _wait(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        until = data[state["TimestampPath"].removeprefix("$.")]
        yield from self._until(self.clock.at(datetime.fromisoformat(until.replace("Z", "+00:00"))))
        return data, state.get("Next")

    def _fail(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        raise Stopped(str(evaluated(state["Error"], {"input": data})))
        yield

    # -- regions -------------------------------------------------------------------------------------------------

    def _parallel(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        branches = (self.walk(branch, data, context) for branch in state["Branches"])
        yield from self._together(branches, len(state["Branches"]))
        return data, state.get("Next")

    def _map(self, state: State, data: Any, context: Mapping[str, Any]) -> Walk:
        items, inline = self._items(state, data), "Items" in state
        walks = (self._item(state, inline, data, index, item) for index, item in enumerate(items))
        results = yield from self._together(walks, state["MaxConcurrency"], state.get("ToleratedFailureCount", 0))
        if "Output" in state:
            data = evaluated(state["Output"], {"input": data, "result": results})
        return data, state.get("Next")

    def _items(self, state: State, data: Any) -> list[Any]:
        if "Items" in state:
            return list(evaluated(state["Items"], {"input": data}))
        found: list[Any] = json.loads(self.read(selected(state["ItemReader"]["Parameters"], data, {})["Key"]))
        return found

    def _item(self, state: State, inline: bool, data: Any, index: int, item: Any) -> Walk:
        context = {"Map": {"Item": {"Index": index, "Value": item}}}
        if inline:
            data = evaluated(state["ItemSelector"], {"input": data, "context": context})
        else:
            data = selected(state["ItemSelector"], data, context)
        return self.walk(state["ItemProcessor"], data, context)

    def _together(self, walks: Iterator[Walk], limit: int, tolerated: int = 0) -> Walk:
        """The outputs of several walks by number; at most `limit` (0: all) are on their way at once."""
        results: dict[int, Any] = {}
        failures: list[Stopped] = []
        numbered = enumerate(walks)
        active = list(islice(numbered, limit or None))
        until = dict.fromkeys((index for index, _ in active), NOW)
        while active:
            for index, walk in list(active) if self.order is None else [self.order.choice(active)]:
                try:
                    until[index] = next(walk)
                    continue
                except StopIteration as done:
                    results[index] = done.value
                except Stopped as stopped:
                    failures.append(stopped)
                    if len(failures) > tolerated and self.stops:
                        for _, other in active:
                            other.close()
                        raise
                active.remove((index, walk))
                del until[index]
                if len(failures) <= tolerated:
                    more = list(islice(numbered, 1))
                    active += more
                    until.update((number, NOW) for number, _ in more)
            if active:
                yield min(until.values())
        if len(failures) > tolerated:
            raise failures[0]
        return [results[index] for index in sorted(results)]


def _caught(state: State, data: Any, error: str) -> tuple[Any, str]:
    for catch in state.get("Catch", ()):
        if _matches(catch["ErrorEquals"], error):
            output = evaluated(catch["Output"], {"input": data}) if "Output" in catch else data
            return output, catch["Next"]
    raise Stopped(error)


def _pause(state: State, error: str, tries: dict[int, int]) -> float:
    """The seconds before the next try of a Task that failed so. Raises Stopped where its retriers allow none."""
    for number, retrier in enumerate(state.get("Retry", ())):
        if _matches(retrier["ErrorEquals"], error):
            tries[number] = tries.get(number, 0) + 1
            if tries[number] > retrier["MaxAttempts"]:
                break
            pause = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2.0) ** (tries[number] - 1)
            return float(min(pause, retrier.get("MaxDelaySeconds", pause)))
    raise Stopped(error)


def _matches(names: list[str], error: str) -> bool:
    return error in names or "States.ALL" in names or (error != TIMEOUT and "States.TaskFailed" in names)
