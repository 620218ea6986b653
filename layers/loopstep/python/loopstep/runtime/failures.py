"""Why a node fails: the codes of LANGUAGE §9, and the exceptions that tell the engine (ARCHITECTURE §3).

An engine sees the class name and the message. Messages carry a code and an activation id only, never data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

INPUT_CONTRACT = "input.contract"
OUTPUT_CONTRACT = "output.contract"
STATE_CONTRACT = "state.contract"
NO_VALUE = "binding.no_value"
PRECONDITION_MISSING = "precondition.missing"
PRECONDITION_TYPE = "precondition.type"
RANGE = "expr.range"
NONE_MATCHED = "edge.none_matched"
NODE_TIMEOUT = "node.timeout"
NODE_CRASHED = "node.crashed"
WAIT_INVALID = "wait.invalid"
SCOPE_UNKNOWN = "scope.unknown"
SCOPE_LIMIT = "scope.limit"
VALUE_TOO_LARGE = "value.too_large"
SOURCE_UNAVAILABLE = "source.unavailable"
LLM_UNSTRUCTURED = "llm.unstructured"
CONDITION_UNDECIDED = "condition.undecided"
MODEL_UNAVAILABLE = "model.unavailable"
MODEL_REFUSED = "model.refused"
AGENT_LIMIT = "agent.limit"
RUN_TIMEOUT = "run.timeout"
RUN_CANCELLED = "run.cancelled"
JOIN_NO_WINNER = "join.no_winner"
TOO_MANY = "fan_out.too_many"
REGION_DECIDED = "join.decided"  # never a run's own code: the answer to a part that walks on after its join's decision
RUN_CLOSED = "run.closed"  # never a run's own code: the answer to an execution that walks on after its run's end

RESERVED = ("States.", "Loopstep.")  # what codes of the engine, and of ours for it, begin with

# What a node or a run fails with; no answer from outside brings one of these.
CODES = frozenset(
    {
        *(INPUT_CONTRACT, OUTPUT_CONTRACT, STATE_CONTRACT, NO_VALUE, PRECONDITION_MISSING, PRECONDITION_TYPE, RANGE),
        *(NONE_MATCHED, NODE_TIMEOUT, NODE_CRASHED, WAIT_INVALID, SCOPE_UNKNOWN, SCOPE_LIMIT, VALUE_TOO_LARGE),
        *(SOURCE_UNAVAILABLE, LLM_UNSTRUCTURED, CONDITION_UNDECIDED, MODEL_UNAVAILABLE, MODEL_REFUSED, AGENT_LIMIT),
        *(RUN_TIMEOUT, RUN_CANCELLED, JOIN_NO_WINNER, TOO_MANY, REGION_DECIDED, RUN_CLOSED),
    }
)

# A failure of these codes may pass when tried again; bad data, an unknown scope, an answer never do.
RETRYABLE = frozenset({NODE_TIMEOUT, NODE_CRASHED, MODEL_UNAVAILABLE, SOURCE_UNAVAILABLE})

_MESSAGE_LIMIT = 2000  # characters of a failure's sentence in a record


class NodeFailure(Exception):
    """A behaviour's way to fail its node: a code, and a sentence that may name data, since it stays in the record.

    `usage` is what the attempt used of models, as the API shows it.
    """

    def __init__(self, code: str, message: str, usage: dict[str, Any] | None = None) -> None:
        super().__init__(code)
        self.code, self.usage = code, usage
        self.message = message if len(message) <= _MESSAGE_LIMIT else message[: _MESSAGE_LIMIT - 1] + "…"

    @property
    def retryable(self) -> bool:
        """Whether another attempt may succeed."""
        return self.code in RETRYABLE


class PlannedFailure(NodeFailure):
    """A failed end inside a region: what the plan says, so the activation leaves through no port (LANGUAGE §7)."""


class _Told(Exception):
    """An outcome told to the engine by the class's name."""

    def __init__(self, code: str, activation: str) -> None:
        super().__init__(f"{code} {activation}")
        self.code = code
        self.activation = activation


class Failed(_Told):
    """`Loopstep.Failed`: the record is closed as failed; a retrier with MaxAttempts 0 leads to the Catch."""


class TimedOut(_Told):
    """`Loopstep.TimedOut`: a wait for an answer is over and its record closed."""


class Retry(_Told):
    """`Loopstep.Retry`: the activation is open and worth another invocation; caught by `States.TaskFailed` retriers."""


Failed.__name__ = "Loopstep.Failed"
TimedOut.__name__ = "Loopstep.TimedOut"
Retry.__name__ = "Loopstep.Retry"


def sentences(problems: Iterable[Any]) -> str:
    """One text of the problems that `types.conform` reports."""
    return "; ".join(f"{each.path or '/'}: {each.message}" for each in problems)
