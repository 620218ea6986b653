"""`end`: gives the run its outcome (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.runs.records import FAILED, SUCCEEDED, RunEnd, RunError
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import INPUT_CONTRACT, OUTPUT_CONTRACT, NodeFailure, PlannedFailure, sentences
from loopstep.runtime.spec import Spec
from loopstep.runtime.token import Token, deeper
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema


class _Config(NamedTuple):
    code: str | None  # of a failed end
    output: dict[str, Schema] | None  # the plan's contract, where the end declares an input of its own
    copy: int  # which one of the places that share a failed end, 0 for the one where it stands


class End(Behaviour):
    """Closes the run in the same transaction as its own record: with its input as output, or with its code.

    Inside a fan_out's region a failed end fails its branch instead, as an unhandled failure with that code.
    """

    def prepare(self, data: dict[str, Any]) -> _Config:
        failed = data.get("outcome") == "failed"
        output = data.get("output")
        return _Config(
            data["code"] if failed else None,
            None if output is None else {name: Schema.from_json(schema) for name, schema in output.items()},
            data.get("copy", 0),
        )

    def own_path(self, token: Token, spec: Spec) -> str:
        """Parts that share a failed end must not share its record, so its path tells the places apart."""
        config: _Config = spec.config
        return deeper(token.path, -config.copy) if config.copy else token.path

    def checks_input(self, token: Token, spec: Spec) -> bool:
        return spec.config.code is None or (token.edge or spec.enter) in spec.arrivals

    def contract_code(self, spec: Spec) -> str:
        config: _Config = spec.config
        return OUTPUT_CONTRACT if config.code is None and config.output is None else INPUT_CONTRACT

    def act(self, situation: Situation, ready: Any) -> Effect:
        config: _Config = situation.spec.config
        if config.code is None:
            output = _conforming(situation.input, config.output)
            return Effect(None, end=RunEnd(SUCCEEDED, situation.now, output=output))
        message = f"the plan ended at {situation.spec.node}"
        if situation.spec.fenced:
            raise PlannedFailure(config.code, message)
        error = RunError(config.code, message, situation.spec.node, situation.activation)
        return Effect(None, end=RunEnd(FAILED, situation.now, error=error))


def _conforming(values: dict[str, Any], contract: dict[str, Schema] | None) -> dict[str, Any]:
    if contract is None:
        return values
    output, problems = conform_fields(values, contract)
    if problems:
        raise NodeFailure(OUTPUT_CONTRACT, sentences(problems))
    return output
