"""Every node function over tables and a bucket in memory, each put together as its handler in `functions/` does it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from loopstep.gateways.blobs import Blobs
from loopstep.gateways.events import EventBus
from loopstep.gateways.files import Caps, S3Files
from loopstep.gateways.knowledge_bases import KnowledgeBases
from loopstep.gateways.objects import S3Objects
from loopstep.gateways.task_answers import TaskAnswers
from loopstep.knowledge.ask import Sources
from loopstep.knowledge.embedded import Embedded
from loopstep.knowledge.managed import Managed
from loopstep.knowledge.store import DocumentStore
from loopstep.registry.records import AGENT, SKILL
from loopstep.registry.store import RegistryStore
from loopstep.runs.joins import Joins
from loopstep.runs.reader import RunReader
from loopstep.runs.store import RunStore
from loopstep.runs.values import Values
from loopstep.runs.wait_store import WaitStore
from loopstep.runtime.activation import Activator
from loopstep.runtime.agent_work import Worker
from loopstep.runtime.behaviour import Behaviour
from loopstep.runtime.behaviours.agent import Agent
from loopstep.runtime.behaviours.condition import ConditionNode
from loopstep.runtime.behaviours.end import End
from loopstep.runtime.behaviours.fan_out import FanOut
from loopstep.runtime.behaviours.join import Join
from loopstep.runtime.behaviours.knowledge_retrieval import KnowledgeRetrieval
from loopstep.runtime.behaviours.list_files import ListFiles
from loopstep.runtime.behaviours.llm import Llm
from loopstep.runtime.behaviours.loop import Loop
from loopstep.runtime.behaviours.pass_on import PassOn
from loopstep.runtime.behaviours.request_approval import RequestApproval
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.behaviours.set_variable import SetVariable
from loopstep.runtime.behaviours.smart_action import SmartAction
from loopstep.runtime.behaviours.wait import Wait
from loopstep.runtime.close import RunCloser
from loopstep.runtime.going import still_going
from loopstep.runtime.losers import end_losers
from loopstep.runtime.parts import PartCounter, PartStarter
from loopstep.runtime.scopes import Scopes
from loopstep.runtime.settling import Settler
from loopstep.runtime.spec import read_json
from loopstep.runtime.task_function import TaskFunction
from loopstep.runtime.tools.allowance import Means
from loopstep.runtime.waiting import WaitingActivator
from loopstep.runtime.working_directory import WorkingDirectory
from loopstep.testing.clock import Clock
from loopstep.testing.executions import TaskTokens
from loopstep.testing.scripted import ScriptedModels
from loopstep.testing.tables import BUCKET, PLANS, RUNS, MemoryBucket, MemoryTable

ASKING = ("llm", "condition", "agent", "skill", "smart_action")  # kinds that a model answers

Handler = Callable[[dict[str, Any]], Any]


class _Bus:
    """The event bus: takes everything and tells nobody."""

    def put_events(self, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"} for _ in Entries]}


class Parts(NamedTuple):
    """What functions and services share."""

    dynamodb: MemoryTable
    s3: MemoryBucket
    clock: Clock
    random: random.Random
    tokens: TaskTokens
    models: ScriptedModels

    @classmethod
    def fresh(cls) -> Parts:
        """All of it empty, the randomness the same every time."""
        clock = Clock()
        return cls(MemoryTable(), MemoryBucket(), clock, random.Random(0), TaskTokens(), ScriptedModels(clock))  # noqa: S311

    def new_id(self) -> str:
        """128 bits in hex."""
        return f"{self.random.getrandbits(128):032x}"

    def pause(self, attempt: int) -> None:
        """Nobody else is there, so no race is ever lost."""

    def store(self) -> RunStore:
        """The runs."""
        return RunStore(self.dynamodb, RUNS, Values(lambda: self.s3, BUCKET), self.random, self.clock.sleep)

    def seconds(self) -> float:
        """The clock's."""
        return self.clock.seconds

    def answers(self) -> TaskAnswers:
        """Through which Tasks under tokens are ended."""
        return TaskAnswers(lambda: self.tokens)

    def settler(self) -> Settler:
        """What ends waits."""
        return Settler(WaitStore(self.dynamodb, self.store()), self.answers(), self.clock, self.new_id)

    def registry(self) -> RegistryStore:
        """What is registered."""
        return RegistryStore(self.dynamodb, PLANS, lambda: S3Objects(self.s3, BUCKET))

    def documents(self) -> DocumentStore:
        """Documents of sources."""
        return DocumentStore(self.dynamodb, PLANS, self.pause)

    def blobs(self) -> Blobs:
        """Their contents."""
        return Blobs(lambda: self.s3, BUCKET)

    def files(self) -> S3Files:
        """Working directories."""
        return S3Files(lambda: self.s3, BUCKET, Caps())

    def directory(self, run: str) -> WorkingDirectory:
        """The working directory of a run."""
        return WorkingDirectory(self.files(), run)

    def knowledge(self) -> Sources:
        """What asks sources. Knowledge bases of Amazon Bedrock are not there, so a source that has one fails."""
        embedded = Embedded(self.documents(), self.blobs(), time.monotonic, self.new_id, _quiet)
        return Sources(embedded, Managed(KnowledgeBases(_nowhere)), time.monotonic, _quiet)


class Functions:
    """The functions by the name that a compiled machine calls them; each is made when it is first called."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._made: dict[str, Handler] = {}
        self._knowledge = cache(parts.knowledge)

    def handler(self, kind: str) -> Handler:
        """The function of that name. Raises KeyError."""
        if kind not in self._made:
            self._made[kind] = self._make(kind)
        return self._made[kind]

    def _make(self, kind: str) -> Handler:
        parts = self._parts
        if kind == "close_run":
            return self._closer()
        if kind in ("send_message", "request_approval"):
            bus, scopes = EventBus(_Bus, "bus"), Scopes(parts.registry(), parts.store(), False, parts.seconds)
            return self._task(SendMessage(bus, scopes) if kind == "send_message" else RequestApproval(bus, scopes))
        if kind == "fan_out":
            return self._fan_out()
        if kind == "join":
            return self._join()
        return self._activator(self._behaviour(kind), parts.store())

    def _behaviour(self, kind: str) -> Behaviour:
        parts = self._parts
        makers: dict[str, Callable[[], Behaviour]] = {
            "set_variable": SetVariable,
            "wait": Wait,
            "pass": PassOn,
            "loop": Loop,
            "end": End,
            "list_files": lambda: ListFiles(parts.files()),
            "llm": lambda: Llm(parts.models, parts.directory),
            "condition": lambda: ConditionNode(parts.models),
            "agent": lambda: Agent(AGENT, self._worker()),
            "skill": lambda: Agent(SKILL, self._worker()),
            "smart_action": lambda: SmartAction(self._worker()),
            "knowledge_retrieval": lambda: KnowledgeRetrieval(parts.registry(), self._knowledge()),
        }
        return makers[kind]()

    def _worker(self) -> Worker:
        parts = self._parts
        means = Means(parts.models, parts.registry(), parts.directory, self._knowledge)
        return Worker(means, going=still_going(parts.store()))

    def _activator(self, behaviour: Behaviour, store: RunStore) -> Activator:
        return Activator(behaviour, store, self._parts.clock, self._parts.random, self._parts.clock.sleep)

    def _task(self, behaviour: Behaviour) -> TaskFunction:
        parts, store = self._parts, self._parts.store()
        waits = WaitStore(parts.dynamodb, store)
        waiting = WaitingActivator(behaviour, waits, parts.clock, parts.random, parts.clock.sleep)
        return TaskFunction(self._activator(behaviour, store), waiting, parts.answers())

    def _fan_out(self) -> Handler:
        store = self._parts.store()
        activate, begin = self._activator(FanOut(store.values), store), PartStarter(store)
        return lambda event: begin(event) if "part" in read_json(event["spec"]) else activate(event)

    def _join(self) -> Handler:
        parts, store = self._parts, self._parts.store()
        joins = Joins(parts.dynamodb, RUNS, store, parts.pause)
        activate = self._activator(Join(joins, store.values), store)
        losers = end_losers(parts.settler(), parts.clock)
        count = PartCounter(store, joins, parts.clock, parts.random, losers)
        return lambda event: (
            count(event) if not {"arrive", "lost"}.isdisjoint(read_json(event["spec"])) else activate(event)
        )

    def _closer(self) -> Handler:
        parts, store = self._parts, self._parts.store()
        reader = RunReader(parts.dynamodb, RUNS, store, lambda: parts.clock().timestamp())
        closer = RunCloser(store, reader, parts.clock, parts.random, 0, WaitStore(parts.dynamodb, store))
        return closer.__call__


def _quiet(source: str, fault: str) -> None:
    """A source's diagnostics say it."""


def _nowhere(seconds: int) -> Any:
    raise ConnectionError("a case asks no knowledge base")
