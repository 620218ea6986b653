"""A walk through an emitted machine with the real functions: all states that `emit` writes, retriers, Catches, regions.

Time does not pass, waits end at once; a function that dies is invoked again as the engine's retrier would. Parts of a
region take turns state by state: in their order, or as a seeded `order` picks them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Iterator
from functools import cache
from itertools import islice
from typing import Any

import jsonata
from runtime_world import RUN, START, Death

from loopstep.compiler.compile import compile as compile_document
from loopstep.compiler.emit import emit
from loopstep.runtime.failures import Failed, Retry, TimedOut
from loopstep.types.conform import conform_fields

Walk = Generator[None, None, Any]  # one turn of a region's part each time; returns the output
_TOLD = (Failed, TimedOut, Retry)
_LOST = "Runtime.HandlerError"  # what an engine that loses class names says of every exception


class Stopped(Exception):
    """A state failed and no Catch took it; the argument is the error's name."""


class Engine:
    """Runs one plan in a world; `hook` stands before every AWS call of every function until one dies of it.

    `stops`: a failed part of a region stops its siblings at once, as on AWS; else they walk on to their ends, as
    on the local cloud. `named` False: errors lose their names, as there. `order` picks whose turn it is.
    """

    def __init__(
        self,
        world: Any,
        document: str,
        hook: Any = None,
        *,
        order: random.Random | None = None,
        stops: bool = True,
        named: bool = True,
    ) -> None:
        self._world, self._hook = world, hook
        self._order, self._stops, self._named = order, stops, named
        self._warm: dict[str, Any] = {}
        self.entered: list[str] = []
        compiled = compile_document(document, "p")
        assert compiled.plan is not None and compiled.program is not None, compiled.diagnostics
        self._plan, self._fences = compiled.plan, bool(compiled.program.fan_outs)
        self.definition = emit(compiled.program, lambda kind: kind)

    def run(self, given: dict[str, Any]) -> str:
        """Start run `run-1` with this input and walk to the end. Returns `SUCCEEDED` or the error it failed with."""
        self.start(given)
        return self.execute()

    def start(self, given: dict[str, Any]) -> None:
        """Start run `run-1` with this input, without an execution."""
        inputs, problems = conform_fields(given, self._plan.input)
        assert not problems
        state = conform_fields({}, self._plan.state)[0]
        self._world.start(RUN, input=inputs, state=state, fences=self._fences, version=1)

    def execute(self, epoch: int = 1) -> str:
        """Walk one execution of run `run-1`, the first or one more over the same records."""
        try:
            for _ in self._machine(self.definition, START | {"epoch": epoch}, {}):
                pass
        except Stopped as stopped:
            return str(stopped)
        return "SUCCEEDED"

    # -- states --------------------------------------------------------------------------------------------------

    def _machine(self, machine: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        name = machine["StartAt"]
        while name is not None:
            state = machine["States"][name]
            self.entered.append(name)
            yield
            try:
                data, name = yield from getattr(self, "_" + state["Type"].lower())(state, data, context)
            except Stopped as stopped:
                data, name = self._caught(state, data, str(stopped))
        return data

    def _caught(self, state: dict[str, Any], data: Any, error: str) -> tuple[Any, str]:
        for catch in state.get("Catch", ()):
            if _matches(catch["ErrorEquals"], error):
                output = _evaluate(catch["Output"], {"input": data}) if "Output" in catch else data
                assert "Output" in catch or catch["ResultPath"] is None
                return output, catch["Next"]
        raise Stopped(error)

    def _task(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        arguments = _evaluate(state["Arguments"], {"input": data})
        reply = self._settled(state, arguments["FunctionName"], arguments["Payload"])
        assert len(json.dumps(reply)) < 4096
        return _evaluate(state["Output"], {"input": data, "result": {"Payload": reply}}), state.get("Next")
        yield

    def _pass(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        return _evaluate(state["Output"], {"input": data, "context": context}), state.get("Next")
        yield

    def _choice(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        for each in state["Choices"]:
            answer = _evaluate(each["Condition"], {"input": data})
            assert isinstance(answer, bool), each
            if answer:
                return data, each["Next"]
        return data, state["Default"]
        yield

    def _wait(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        return data, state.get("Next")
        yield

    def _fail(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        raise Stopped(str(_evaluate(state["Error"], {"input": data})))
        yield

    # -- regions -------------------------------------------------------------------------------------------------

    def _parallel(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        branches = (self._machine(branch, data, context) for branch in state["Branches"])
        yield from self._together(branches, len(state["Branches"]))
        assert state["ResultPath"] is None
        return data, state.get("Next")

    def _map(self, state: dict[str, Any], data: Any, context: dict[str, Any]) -> Walk:
        items, select = self._items(state, data)
        walks = (self._item(state, select, data, index, item) for index, item in enumerate(items))
        tolerated = state.get("ToleratedFailureCount", 0)
        results = yield from self._together(walks, state["MaxConcurrency"], tolerated)
        assert len(results) + tolerated >= len(items)
        if "Output" in state:
            data = _evaluate(state["Output"], {"input": data, "result": results})
        return data, state.get("Next")

    def _items(self, state: dict[str, Any], data: Any) -> tuple[list[Any], Callable[..., Any]]:
        if "Items" in state:
            return list(_evaluate(state["Items"], {"input": data})), _evaluate
        place = _paths(state["ItemReader"]["Parameters"], data, {})
        assert place["Bucket"] == "values_bucket"
        return json.loads(self._world.s3.get_object(Bucket="values", Key=place["Key"])["Body"].read()), _paths

    def _item(self, state: dict[str, Any], select: Callable[..., Any], data: Any, index: int, item: Any) -> Walk:
        context = {"Map": {"Item": {"Index": index, "Value": item}}}
        if select is _paths:
            data = _paths(state["ItemSelector"], data, context)
        else:
            data = _evaluate(state["ItemSelector"], {"input": data, "context": context})
        return self._machine(state["ItemProcessor"], data, context)

    def _together(self, walks: Iterator[Walk], limit: int, tolerated: int = 0) -> Walk:
        """The outputs of several walks by number; at most `limit` are on their way at once."""
        results: dict[int, Any] = {}
        failures: list[Stopped] = []
        numbered = enumerate(walks)
        active = list(islice(numbered, limit))
        while active:
            turn = self._order.randrange(len(active)) if self._order else 0
            index, walk = active[turn]
            try:
                next(walk)
                yield
                continue
            except StopIteration as done:
                results[index] = done.value
            except Stopped as stopped:
                failures.append(stopped)
                if len(failures) > tolerated and self._stops:
                    raise
            active.pop(turn)
            if len(failures) <= tolerated:
                active += islice(numbered, 1)
        if len(failures) > tolerated:
            raise failures[0]
        return [results[index] for index in sorted(results)]

    # -- functions -----------------------------------------------------------------------------------------------

    def _settled(self, state: dict[str, Any], kind: str, payload: Any) -> Any:
        """The function's reply, after as many tries as the state's retriers allow. Raises Stopped."""
        tries: dict[int, int] = {}
        while True:
            try:
                return self._function(kind)(json.loads(json.dumps(payload)))
            except Death:
                self._hook, self._warm, error = None, {}, "Runtime.ExitError"
            except _TOLD as told:
                error = type(told).__name__
            error = error if self._named else _LOST
            for number, retrier in enumerate(state.get("Retry", ())):
                if _matches(retrier["ErrorEquals"], error):
                    tries[number] = tries.get(number, 0) + 1
                    if tries[number] > retrier["MaxAttempts"]:
                        raise Stopped(error)
                    break
            else:
                raise Stopped(error)

    def _function(self, kind: str) -> Any:
        if kind not in self._warm:
            make = self._world.closer if kind == "close_run" else lambda hook: self._world.function(kind, hook)
            self._warm[kind] = make(self._hook)
        return self._warm[kind]


def _matches(names: list[str], error: str) -> bool:
    of_task = error != "States.Timeout"
    return error in names or "States.ALL" in names or (of_task and "States.TaskFailed" in names)


def _evaluate(value: Any, states: dict[str, Any]) -> Any:
    """JSON with its JSONata texts replaced by what they give."""
    if isinstance(value, dict):
        return {name: _evaluate(part, states) for name, part in value.items()}
    if not isinstance(value, str) or not value.startswith("{%"):
        return value
    expression = value[2:-2].strip()
    if expression == "$states.input":
        return states["input"]
    if expression == "$states.result.Payload":
        return states["result"]["Payload"]
    parsed = _parsed(expression)
    parsed.assign("states", states)
    return parsed.evaluate(None)


@cache
def _parsed(expression: str) -> Any:
    return jsonata.Jsonata(expression)


def _paths(fields: dict[str, Any], data: Any, context: dict[str, Any]) -> dict[str, Any]:
    """JSONPath parameters: `$.field` of the input, `$$.a.b` of the context."""
    found = {}
    for name, value in fields.items():
        if name.endswith(".$"):
            root = context if value.startswith("$$.") else data
            for part in value.lstrip("$").lstrip(".").split("."):
                root = root[part]
            value = root
        found[name.removesuffix(".$")] = value
    return found
