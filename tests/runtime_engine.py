"""A walk through an emitted machine with the real functions: Task, Choice, Wait, Fail, retriers and Catches.

Time does not pass, waits end at once; a function that dies is invoked again as the engine's retrier would.
"""

from __future__ import annotations

import json
from typing import Any

import jsonata
from runtime_world import RUN, START, Death

from loopstep.compiler.compile import compile as compile_document
from loopstep.compiler.emit import emit
from loopstep.runtime.failures import Failed, Retry
from loopstep.types.conform import conform_fields


class Engine:
    """Runs one plan in a world; `hook` stands before every AWS call of every function until one dies of it."""

    def __init__(self, world: Any, document: str, hook: Any = None) -> None:
        self._world, self._hook = world, hook
        compiled = compile_document(document, "p")
        assert compiled.plan is not None and compiled.program is not None, compiled.diagnostics
        self._plan, self._machine = compiled.plan, emit(compiled.program, lambda kind: kind)

    def run(self, given: dict[str, Any]) -> str:
        """Start run `run-1` with this input and walk to the end. Returns `SUCCEEDED` or the error of the Fail state."""
        inputs, problems = conform_fields(given, self._plan.input)
        assert not problems
        self._world.start(RUN, input=inputs, state=conform_fields({}, self._plan.state)[0])
        name, data = self._machine["StartAt"], START
        while True:
            state = self._machine["States"][name]
            if state["Type"] == "Fail":
                return str(_evaluate(state["Error"], data))
            data, name = self._step(state, data)
            if name is None:
                return "SUCCEEDED"

    def _step(self, state: dict[str, Any], data: Any) -> tuple[Any, str | None]:
        if state["Type"] == "Choice":
            chosen = [each["Next"] for each in state["Choices"] if _evaluate(each["Condition"], data) is True]
            return data, [*chosen, state["Default"]][0]
        if state["Type"] == "Wait":
            return data, state["Next"]
        arguments = _evaluate(state["Arguments"], data)
        try:
            reply = self._settled(arguments["FunctionName"], arguments["Payload"])
        except (Failed, Retry):
            caught = state["Catch"][-1]
            return _evaluate(caught["Output"], data), caught["Next"]
        assert len(json.dumps(reply)) < 4096
        return reply, state.get("Next")

    def _settled(self, kind: str, payload: Any) -> Any:
        for _ in range(3):
            try:
                function = (
                    self._world.closer(self._hook) if kind == "close_run" else self._world.function(kind, self._hook)
                )
                return function(payload)
            except Retry as again:
                told = again
            except Death:
                self._hook = None
        raise told

    def _function(self, kind: str) -> Any:
        return self._world.closer(self._hook) if kind == "close_run" else self._world.function(kind, self._hook)


def _evaluate(value: Any, data: Any) -> Any:
    """JSON with its JSONata texts replaced by what they give."""
    if isinstance(value, dict):
        return {name: _evaluate(part, data) for name, part in value.items()}
    if not isinstance(value, str) or not value.startswith("{%"):
        return value
    expression = jsonata.Jsonata(value[2:-2])
    expression.assign("states", {"input": data})
    return expression.evaluate(None)
