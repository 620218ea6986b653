"""One activation of a node, the wrapper of every node function (ARCHITECTURE §3).

    read ─▶ own record closed? ── yes ─▶ its token, or its failure, again
              │ no
              ▼
    source still open behind a Catch? close it ─▶ bindings ─▶ contract ─▶ preconditions ─▶ config
              ▼
    (acts outside: attempts spent? close · record the attempt) ─▶ act ─▶ edge ─▶ one conditional write ─▶ token

A lost race for the state starts again at the top; a lost race for the record is answered with what stands there.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

from loopstep.runs.errors import ActivationClosed, AttemptTaken, Contended, RegionDecided, RunNotOpen, StateMoved
from loopstep.runs.keys import activation_id
from loopstep.runs.store import RunStore
from loopstep.runtime.answer import answer
from loopstep.runtime.behaviour import Behaviour
from loopstep.runtime.closing import code_of_late
from loopstep.runtime.failures import (
    NODE_CRASHED,
    REGION_DECIDED,
    RUN_CLOSED,
    Failed,
    Retry,
    TimedOut,
)
from loopstep.runtime.observe import Observation
from loopstep.runtime.spec import Spec, Specs
from loopstep.runtime.times import Clock
from loopstep.runtime.token import Token
from loopstep.runtime.turn import Turn

TURNS = 40  # each lost race means that another commit won, so progress is sure; this bounds one invocation
_BASE_SECONDS = 0.01
_CAP_SECONDS = 0.4


class Activator:
    """Runs activations of one node type. Clock, randomness, sleep (seconds) and log stream are handed in."""

    def __init__(
        self,
        behaviour: Behaviour,
        store: RunStore,
        clock: Clock,
        random_source: random.Random,
        sleep: Callable[[float], None],
    ) -> None:
        self._behaviour, self._store, self._clock = behaviour, store, clock
        self._random, self._sleep = random_source, sleep
        self._specs = Specs(behaviour.prepare, behaviour.state_read)

    def __call__(self, event: dict[str, Any], ends: datetime | None = None) -> dict[str, Any]:
        """Return the next token for `{"token", "spec"}`, the same on every repetition; acting has to end by `ends`.

        Raises Failed for a failure that is recorded, Retry where another invocation may help.
        """
        token, spec = Token.from_json(event["token"]), self._specs.read(event["spec"])
        activation = activation_id(spec.node, self._behaviour.own_path(token, spec))
        seen = Observation(level="INFO", run=token.run, node=spec.node, activation=activation, attempt=1)
        try:
            reply = self._settle(event, token, spec, activation, seen, ends)
        except (Failed, Retry, TimedOut) as told:
            seen.note(outcome=type(told).__name__, code=told.code)
            raise
        except Exception as error:
            # Its message could hold data of the run, and an engine's history keeps messages.
            seen.note(level="ERROR", outcome="crashed", error=type(error).__name__, at=_place_of(error))
            seen.count("CrashedActivations")
            raise Retry(NODE_CRASHED, activation) from None
        finally:
            seen.write()
        return reply

    def _turn(
        self,
        event: dict[str, Any],
        owner: str,
        token: Token,
        spec: Spec,
        seen: Observation,
        ends: datetime | None = None,
    ) -> Turn:
        return Turn(self._behaviour, self._store, self._clock, owner, token, spec, seen, ends)

    def _settle(
        self,
        event: dict[str, Any],
        token: Token,
        spec: Spec,
        activation: str,
        seen: Observation,
        ends: datetime | None = None,
    ) -> dict[str, Any]:
        for turn in range(TURNS):
            try:
                owner = f"{self._random.getrandbits(64):016x}"
                return self._turn(event, owner, token, spec, seen, ends).run()
            except ActivationClosed as closed:
                seen.note(outcome="found closed")
                return answer(self._behaviour, token, spec, closed.found)
            except RegionDecided:
                raise Failed(REGION_DECIDED, activation) from None
            except RunNotOpen as found:
                raise Failed(code_of_late(found) or RUN_CLOSED, activation) from None
            except (StateMoved, AttemptTaken):
                self._sleep(self._random.random() * min(_CAP_SECONDS, _BASE_SECONDS * 2**turn))
        raise Contended(activation)


def _place_of(error: BaseException) -> str:
    """File and line where an exception was raised, for the log."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}" if trace else ""
