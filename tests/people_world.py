"""Waits for people in a world of moto: Tasks under tokens, an engine that hears of them, and those who answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError
from runtime_world import RUN, START, Wrapped

from loopstep.gateways.events import EventBus
from loopstep.gateways.task_answers import TaskAnswers
from loopstep.runs.wait_reader import WaitReader
from loopstep.runs.wait_store import WaitStore
from loopstep.runs.waits import ENDED, WAIT, wait_of
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviours.request_approval import RequestApproval
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.losers import end_losers
from loopstep.runtime.parts import PartCounter
from loopstep.runtime.settling import Settler
from loopstep.runtime.task_function import TaskFunction
from loopstep.runtime.times import timestamp
from loopstep.runtime.waiting import WaitingActivator
from loopstep.services.running import Running
from loopstep.services.sweep_waits import sweep_waits

ASK = {
    "id": "ask",
    "scope": "desk",
    "summary": ["Approve ", {"e": ["ref", "input", "what"]}, "?"],
    "input": {"what": "string!"},
    "in": {"": {"what": ["lit", "the trip"]}},
    "out": {
        "approved": [["yes"]],
        "rejected": [["no"]],
        "timed_out": [["late"]],
        "failed": [["broken"]],
    },
    "wait": 60,
}
CALL = {
    "id": "call",
    "scope": "agents",
    "text": ["Score this"],
    "completion": "callback",
    "output": {"score": {"type": "integer", "required": True, "maximum": 10}, "note": "string"},
    "out": {"completed": [["done"]], "timed_out": [["late"]], "failed": [["broken"]]},
    "wait": 60,
}


class StepFunctions:
    """The engine behind task tokens: it waits under those that it gave out, and hears of each once."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.heard: dict[str, Any] = {}
        self.refuse = 0  # how many of the next answers are not taken

    def wait_under(self, token: str) -> None:
        self.open.add(token)

    def send_task_success(self, taskToken: str, output: str) -> None:
        self._hear(taskToken, json.loads(output))

    def send_task_failure(self, taskToken: str, error: str, cause: str) -> None:
        assert taskToken not in cause
        self._hear(taskToken, f"{error} {cause.partition(' ')[0]}")

    def time_out(self, token: str) -> None:
        """The Task's TimeoutSeconds is over."""
        self.open.discard(token)

    def _hear(self, token: str, outcome: Any) -> None:
        if self.refuse:
            self.refuse -= 1
            raise _error("ThrottlingException")
        if token not in self.open:
            raise _error("TaskDoesNotExist")
        self.open.discard(token)
        self.heard[token] = outcome


def _error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "SendTask")


@dataclass
class People:
    """A run that waits. `hook` stands before every AWS call of what is made with it."""

    world: Any
    engine: StepFunctions = field(default_factory=StepFunctions)
    _ids: int = 0

    def ask(
        self,
        spec: dict[str, Any] | None = None,
        token: dict[str, Any] | None = None,
        task: str = "T1",
        hook: Any = None,
    ) -> None:
        """The engine enters (or enters again) the Task under this task token."""
        spec = ASK if spec is None else spec
        self.engine.wait_under(task)
        event = {"token": START if token is None else token, "spec": json.dumps(spec), "taskToken": task}
        self.function("text" if "text" in spec else "summary", hook)(event)

    def function(self, kind: str, hook: Any = None) -> TaskFunction:
        world = self.world
        events = Wrapped(world.events, hook) if hook else world.events
        bus = EventBus(lambda: events, "bus")
        behaviour = SendMessage(bus) if kind == "text" else RequestApproval(bus)
        waits = self.waits(hook)
        return TaskFunction(
            Activator(behaviour, waits.store, world.clock, world.random(), world.slept.append),
            WaitingActivator(behaviour, waits, world.clock, world.random(), world.slept.append),
            self.answers(hook),
        )

    def waits(self, hook: Any = None) -> WaitStore:
        dynamodb = Wrapped(self.world.dynamodb, hook) if hook else self.world.dynamodb
        return WaitStore(dynamodb, self.world.store(hook), lambda: self.world.now.timestamp())

    def answers(self, hook: Any = None) -> TaskAnswers:
        engine = Wrapped(self.engine, hook) if hook else self.engine
        return TaskAnswers(lambda: engine)

    def settler(self, hook: Any = None) -> Settler:
        return Settler(self.waits(hook), self.answers(hook), self.world.clock, self.new_id)

    def counter(self, hook: Any = None) -> PartCounter:
        """The join's Task of arrivals and losses."""
        store = self.world.store(hook)
        losers = end_losers(self.settler(hook), self.world.clock)
        return PartCounter(store, self.world.joins(hook, store), self.world.clock, self.world.random(), losers)

    def running(self, hook: Any = None) -> Running:
        """What the services work with."""
        store = self.world.store(hook)
        plans: Any = SimpleNamespace(version=lambda plan, version: None)
        engine: Any = SimpleNamespace(stop=lambda *arguments: None)
        files: Any = None  # nobody who answers has to do with files
        return Running(
            plans=plans,
            runs=store,
            reader=self.world.reader(),
            values=store.values,
            engine=engine,
            now=lambda: timestamp(self.world.now),
            new_id=self.new_id,
            clock=lambda: 0.0,
            sleep=self.world.slept.append,
            waits=WaitReader(self.world.dynamodb, "runs", store, lambda: self.world.now.timestamp()),
            settler=self.settler(hook),
            files=files,
        )

    def new_id(self) -> str:
        self._ids += 1
        return f"owner{self._ids}"

    def sweep(self, hook: Any = None) -> int:
        return sweep_waits(self.running(hook), lambda: False)

    def all(self) -> list[Any]:
        """Every wait of the table."""
        return [wait_of(item) for item in self.world.items() if item["sk"]["S"].startswith(WAIT)]

    def one(self) -> Any:
        """The only wait."""
        (found,) = self.all()
        return found

    def settled(self) -> bool:
        """Whether nothing is left to do: no task token and nothing due."""
        return all(not each.task_token and each.due_at is None for each in self.all() if each.status != "pending")


def outcome(people: People) -> tuple[str, str, str | None, Any]:
    """How the only wait ended: its status, the activation's status and port, what the engine heard under its token."""
    wait = people.one()
    record = people.world.activation(wait.activation)
    return wait.status, record["status"], record["port"], dict(people.engine.heard)


__all__ = ["ASK", "CALL", "ENDED", "RUN", "START", "People", "outcome"]
