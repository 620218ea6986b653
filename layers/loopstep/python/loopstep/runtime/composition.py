"""Node functions put together from their environment: RUNS_TABLE and VALUES_BUCKET."""

from __future__ import annotations

import os
import random
import time
from functools import cache
from typing import TYPE_CHECKING, Any

from loopstep.gateways import clients
from loopstep.runs.store import RunStore
from loopstep.runs.values import Values
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviour import Behaviour
from loopstep.runtime.deadline import invocation_end
from loopstep.runtime.times import system_clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopstep.gateways.files import Files
    from loopstep.gateways.models import Models
    from loopstep.knowledge.port import Knowledge
    from loopstep.registry.store import RegistryStore
    from loopstep.runs.joins import Joins
    from loopstep.runtime.agent_work import Worker
    from loopstep.runtime.losers import Losers
    from loopstep.runtime.scopes import Scopes
    from loopstep.runtime.task_function import TaskFunction
    from loopstep.runtime.working_directory import WorkingDirectory

RANDOM = random.SystemRandom()  # environments that are copies of one another must not share owners


def run_store() -> RunStore:
    """The runs table and values bucket of the environment."""
    values = Values(clients.s3, os.environ["VALUES_BUCKET"])
    return RunStore(clients.dynamodb(), os.environ["RUNS_TABLE"], values, RANDOM, time.sleep)


def registry() -> RegistryStore:
    """What is registered, in the environment's PLANS_TABLE and bucket."""
    from loopstep.gateways.objects import S3Objects  # only nodes that act by what is registered need it
    from loopstep.registry.store import RegistryStore

    bucket = os.environ["VALUES_BUCKET"]
    return RegistryStore(clients.dynamodb(), os.environ["PLANS_TABLE"], lambda: S3Objects(clients.s3(), bucket))


def scopes() -> Scopes | None:
    """What says whether and how much may be sent to a scope; None where the environment knows no PLANS_TABLE."""
    if "PLANS_TABLE" not in os.environ:
        return None
    from loopstep.runtime.scopes import Scopes

    demanded = os.environ.get("SCOPES_MUST_BE_REGISTERED") == "true"
    return Scopes(registry(), run_store(), demanded, time.monotonic)


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


def run_files() -> Files:
    """The working directories of runs, in the values bucket of the environment."""
    from loopstep.gateways.files import S3Files, caps_of_environment  # only nodes that read or write files need them

    return S3Files(clients.s3, os.environ["VALUES_BUCKET"], caps_of_environment())


def directories() -> Callable[[str], WorkingDirectory]:
    """What gives the working directory of a run."""
    from loopstep.runtime.working_directory import WorkingDirectory

    files = run_files()
    return lambda run: WorkingDirectory(files, run)


def knowledge() -> Knowledge:
    """Knowledge sources: documents in the environment's PLANS_TABLE and bucket, and Bedrock Knowledge Bases."""
    from loopstep.gateways.blobs import Blobs  # only nodes that look for something need all this
    from loopstep.gateways.knowledge_bases import KnowledgeBases
    from loopstep.knowledge.ask import Sources
    from loopstep.knowledge.embedded import Embedded
    from loopstep.knowledge.managed import Managed
    from loopstep.knowledge.store import DocumentStore
    from loopstep.runtime.observe import Observation

    def note(source: str, fault: str) -> None:
        Observation(level="ERROR", source=source, error=fault).write()

    documents = DocumentStore(clients.dynamodb(), os.environ["PLANS_TABLE"], _pause)
    blobs = Blobs(clients.s3, os.environ["VALUES_BUCKET"])
    embedded = Embedded(documents, blobs, time.monotonic, lambda: f"{RANDOM.getrandbits(64):016x}", note)
    return Sources(embedded, Managed(KnowledgeBases(clients.knowledge_bases)), time.monotonic, note)


def models() -> Models:
    """The models of the environment: MODEL_ID names the stack's own, MODEL_STAND_IN what a local engine may say."""
    from loopstep.gateways.bedrock import BedrockModels

    refuse = os.environ.get("MODEL_STAND_IN") == "refuse"
    return BedrockModels(clients.bedrock, os.environ.get("MODEL_ID", ""), RANDOM, time.sleep, refuse_stand_in=refuse)


def worker() -> Worker:
    """What has the jobs of agents, skills and smart actions done; AGENT_TOKENS bounds each."""
    from loopstep.runtime.agent_work import Worker  # only nodes that may use tools need all this
    from loopstep.runtime.going import still_going
    from loopstep.runtime.tools.allowance import Means
    from loopstep.runtime.tools.limits import TOKENS

    means = Means(models(), registry(), directories(), cache(knowledge))
    return Worker(means, int(os.environ.get("AGENT_TOKENS") or TOKENS), still_going(run_store()))


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
        """Answer one invocation; Lambda's context says how long it may take."""
        if context is None:
            return self._activator(event)
        left = context.get_remaining_time_in_millis() / 1000
        return self._activator(event, invocation_end(system_clock(), left))
