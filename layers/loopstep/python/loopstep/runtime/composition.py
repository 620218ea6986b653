"""Node functions put together from their environment: RUNS_TABLE and VALUES_BUCKET."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING, Any

from loopstep.gateways import clients
from loopstep.runs.store import RunStore
from loopstep.runs.values import Values
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviour import Behaviour
from loopstep.runtime.times import system_clock

if TYPE_CHECKING:
    from loopstep.runs.joins import Joins
    from loopstep.runtime.losers import Losers
    from loopstep.runtime.task_function import TaskFunction

RANDOM = random.SystemRandom()  # environments that are copies of one another must not share owners


def run_store() -> RunStore:
    """The runs table and values bucket of the environment."""
    values = Values(clients.s3, os.environ["VALUES_BUCKET"])
    return RunStore(clients.dynamodb(), os.environ["RUNS_TABLE"], values, RANDOM, time.sleep)


def run_joins(store: RunStore) -> Joins:
    """The races of joins in the environment's runs table."""
    from loopstep.runs.joins import Joins  # only two node types need them

    return Joins(clients.dynamodb(), os.environ["RUNS_TABLE"], store, _pause)


def run_losers(store: RunStore) -> Losers:
    """What ends the waits of a decided race's other parts."""
    from loopstep.gateways.task_answers import TaskAnswers
    from loopstep.runs.wait_store import WaitStore
    from loopstep.runtime.losers import end_losers
    from loopstep.runtime.settling import Settler

    waits = WaitStore(clients.dynamodb(), store)
    answers = TaskAnswers(clients.stepfunctions)
    return end_losers(Settler(waits, answers, system_clock, lambda: f"{RANDOM.getrandbits(64):016x}"), system_clock)


def task_function(behaviour: Behaviour) -> TaskFunction:
    """The handler of a node type that may wait for an answer under a task token."""
    from loopstep.gateways.task_answers import TaskAnswers
    from loopstep.runs.wait_store import WaitStore
    from loopstep.runtime.task_function import TaskFunction
    from loopstep.runtime.waiting import WaitingActivator

    store = run_store()
    waits = WaitStore(clients.dynamodb(), store)
    return TaskFunction(
        Activator(behaviour, store, system_clock, RANDOM, time.sleep),
        WaitingActivator(behaviour, waits, system_clock, RANDOM, time.sleep),
        TaskAnswers(clients.stepfunctions),
    )


def _pause(attempt: int) -> None:
    time.sleep(RANDOM.random() * min(0.5, 0.01 * 2**attempt))


class NodeFunction:
    """A Lambda handler: `{"token", "spec"}` → the next token."""

    def __init__(self, behaviour: Behaviour, store: RunStore | None = None) -> None:
        self._activator = Activator(behaviour, store or run_store(), system_clock, RANDOM, time.sleep)

    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer one invocation; Lambda's context is not needed."""
        return self._activator(event)
