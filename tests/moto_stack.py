"""A stack in moto: both tables by their own definitions, the bucket, Step Functions without an interpreter."""

from __future__ import annotations

import itertools
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from moto import mock_aws

from loopstep.gateways.files import Caps, S3Files
from loopstep.gateways.objects import S3Objects
from loopstep.gateways.step_functions import StepFunctions
from loopstep.plans.schema import table_definition as plans_table
from loopstep.plans.store import PlanStore
from loopstep.registry.store import RegistryStore
from loopstep.runs.schema import table_definition as runs_table

REGION = "us-east-1"
ROLE = "arn:aws:iam::123456789012:role/machines"
PASS = '{"StartAt":"a","States":{"a":{"Type":"Pass","End":true}}}'
FUNCTION_ARN = "arn:aws:lambda:us-east-1:123456789012:function:s-{type}:live"


class Serial:
    """A client whose calls happen one after the other, as each is atomic on AWS; threads race between calls only."""

    def __init__(self, client: Any) -> None:
        self._client, self._lock = client, threading.Lock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found) or name == "get_paginator":
            return found

        def call(*args: Any, **arguments: Any) -> Any:
            with self._lock:
                return found(*args, **arguments)

        return call


class Crash(BaseException):
    """The process died: nothing may catch it."""


class Crashing:
    """Clients that share a count of their calls and die at one of them, before it or after it is done."""

    def __init__(self, at: int = 0, after: bool = False) -> None:
        self.at, self.after, self.calls = at, after, list[str]()

    def wrap(self, client: Any) -> Any:
        """The client with its calls counted."""
        return _Counted(client, self)

    def call(self, name: str, act: Any) -> Any:
        """Do one call, or die."""
        self.calls.append(name)
        dies = len(self.calls) == self.at
        if dies and not self.after:
            raise Crash(name)
        try:
            return act()
        finally:
            if dies:
                raise Crash(name)  # whatever came of the call, nobody hears of it


class _Counted:
    def __init__(self, client: Any, crashing: Crashing) -> None:
        self._client, self._crashing = client, crashing

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found):
            return found
        return lambda *args, **arguments: self._crashing.call(name, lambda: found(*args, **arguments))


class Stack:
    """Clients that a test may wrap before it asks for stores; times and ids that count up; sleeps that only add up."""

    def __init__(self) -> None:
        self.dynamodb: Any = Serial(boto3.client("dynamodb", region_name=REGION))
        self.s3: Any = boto3.client("s3", region_name=REGION, config=Config(signature_version="s3v4"))  # as services do
        self.stepfunctions: Any = boto3.client("stepfunctions", region_name=REGION)
        self.scheduler: Any = boto3.client("scheduler", region_name=REGION)
        self.events: Any = boto3.client("events", region_name=REGION)
        self.sqs: Any = boto3.client("sqs", region_name=REGION)
        self.slept: list[float] = []
        self.seconds = 1_800_000_000.0  # of the clock that answers are kept by
        self.crashing = Crashing()
        self.caps = Caps()
        self._ticks = itertools.count(1)

    def crash(self, at: int = 0, after: bool = False) -> Stack:
        """The same stack seen by a process that dies at its n-th call (0: never, only counts)."""
        other = Stack.__new__(Stack)
        other.__dict__.update(self.__dict__)
        other.crashing = Crashing(at, after)
        for name in ("dynamodb", "s3", "stepfunctions", "scheduler", "events"):
            setattr(other, name, other.crashing.wrap(getattr(self, name)))
        return other

    def now(self) -> str:
        tick = next(self._ticks)
        return f"2026-01-01T00:{tick // 60 % 60:02d}:{tick % 60:02d}.000Z"

    def new_id(self) -> str:
        return f"{next(self._ticks):032x}"

    def document(self, *parts: str) -> bytes:
        """`document` of this module, for tests that have the fixture only."""
        return document(*parts)

    def plans(self) -> PlanStore:
        return PlanStore(self.dynamodb, "plans", S3Objects(self.s3, "values"))

    def registry(self) -> RegistryStore:
        return RegistryStore(self.dynamodb, "plans", lambda: S3Objects(self.s3, "values"))

    def librarian(self) -> Any:
        from loopstep.gateways.blobs import Blobs
        from loopstep.knowledge.store import DocumentStore
        from loopstep.services.put_documents import Librarian

        documents, blobs = DocumentStore(self.dynamodb, "plans"), Blobs(lambda: self.s3, "values")
        return Librarian(self.registry(), documents, blobs, self.now, self.new_id, lambda attempt: None)

    def publisher(self, function_arn: str = FUNCTION_ARN) -> Any:
        from loopstep.services.publish_plan import Publisher

        return Publisher(
            plans=self.plans(),
            engine=StepFunctions(self.stepfunctions),
            stack="a-stack-with-a-long-name",
            role=ROLE,
            function_arn=lambda kind: function_arn.replace("{type}", kind),
            now=self.now,
            new_owner=self.new_id,
            pause=lambda attempt: None,
            registry=self.registry(),
            documents=self.librarian().documents,
        )

    def running(self) -> Any:
        from loopstep.gateways.task_answers import TaskAnswers
        from loopstep.runs.reader import RunReader
        from loopstep.runs.store import RunStore
        from loopstep.runs.values import Values
        from loopstep.runs.wait_reader import WaitReader
        from loopstep.runs.wait_store import WaitStore
        from loopstep.runtime.settling import Settler
        from loopstep.runtime.times import moment
        from loopstep.services.running import Running
        from loopstep.services.shown_values import ShownValues

        values = ShownValues(lambda: self.s3, "values", lambda key: f"https://link/{key}")
        plain = RunStore(
            self.dynamodb, "runs", Values(lambda: self.s3, "values"), random.Random(2), lambda seconds: None
        )
        waits = WaitStore(self.dynamodb, plain)
        settler = Settler(waits, TaskAnswers(lambda: self.stepfunctions), lambda: moment(self.now()), self.new_id)
        runs = RunStore(self.dynamodb, "runs", values, random.Random(1), lambda seconds: None)
        return Running(
            plans=self.plans(),
            runs=runs,
            reader=RunReader(self.dynamodb, "runs", runs),
            values=values,
            engine=StepFunctions(self.stepfunctions),
            now=self.now,
            new_id=self.new_id,
            clock=lambda: sum(self.slept),
            sleep=self.slept.append,
            waits=WaitReader(self.dynamodb, "runs", runs),
            settler=settler,
            files=S3Files(lambda: self.s3, "values", self.caps),
        )

    def scheduling(self, running: Any = None, zones: bool = True) -> Any:
        """Clocks in the group `s` of moto's scheduler."""
        from loopstep.gateways.scheduler import Scheduler
        from loopstep.schedules.store import ScheduleStore
        from loopstep.services.scheduling import Scheduling

        function = FUNCTION_ARN.replace("{type}", "start_run")
        clocks = Scheduler(self.scheduler, "s", ROLE, function, "arn:aws:sqs:us-east-1:123456789012:dead")
        return Scheduling(running or self.running(), ScheduleStore(self.dynamodb, "plans"), clocks, zones)

    def triggering(self, running: Any = None) -> Any:
        """Rules on the bus `s` of moto, and the queue `dead`."""
        from loopstep.gateways.dead_letters import DeadLetters
        from loopstep.gateways.event_rules import EventRules
        from loopstep.services.triggering import Triggering
        from loopstep.triggers.store import TriggerStore

        rules = EventRules(self.events, "s", FUNCTION_ARN.replace("{type}", "trigger"))
        letters = DeadLetters(self.sqs, self.sqs.get_queue_url(QueueName="dead")["QueueUrl"])
        return Triggering(running or self.running(), TriggerStore(self.dynamodb, "plans"), rules, letters)

    def mail(self, running: Any = None) -> Any:
        from loopstep.services.dead_letters import Mail

        running = running or self.running()
        return Mail(self.triggering(running), self.scheduling(running))

    def access(self, mode: str = "key", others: tuple[str, ...] = ("viewer",)) -> Any:
        """The caller `root` may do everything, others that are not registered have the roles given."""
        from loopstep.access.store import CallerStore
        from loopstep.services.access import Access

        callers = CallerStore(self.dynamodb, "plans")
        return Access(callers, mode, "root", others, self.now, self.new_id, lambda: sum(self.slept))

    def repeating(self) -> Any:
        from loopstep.gateways.blobs import Blobs
        from loopstep.runs.replies import ReplyStore
        from loopstep.services.repeat_request import Repeating

        blobs = Blobs(lambda: self.s3, "values")
        replies = ReplyStore(self.dynamodb, "runs", blobs, lambda: self.seconds, 3600)
        return Repeating(replies, self.new_id)

    def store_version(self, name: str = "p", fences: bool = False, **texts: Any) -> Any:
        """A next version of a plan, not compiled: `input`, `state`, `secrets`, … as JSON data."""
        from loopstep.plans.records import TEXTS, Draft, digest

        arn = self.stepfunctions.create_state_machine(name=f"m-{name}", definition=PASS, roleArn=ROLE)
        nothing = {"secrets": {"input": [], "output": [], "state": [], "nodes": {}}, "diagnostics": []}
        every = {text: json.dumps(texts.get(text, nothing.get(text, {}))) for text in TEXTS}
        plans = self.plans()
        draft = Draft(
            name, "", "", arn["stateMachineArn"], fences, every, digest(every["document"]), digest(every["definition"])
        )
        return plans.add_version(draft, plans.head(name), self.new_id(), self.now())

    def executions(self) -> list[dict[str, Any]]:
        """What the engine was asked to run, by name."""
        found = []
        for machine in self.stepfunctions.list_state_machines()["stateMachines"]:
            for each in self.stepfunctions.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]:
                found.append(self.stepfunctions.describe_execution(executionArn=each["executionArn"]))
        return sorted(found, key=lambda each: each["name"])


@contextmanager
def empty() -> Iterator[Stack]:
    """A stack with empty tables and an empty bucket named `plans`, `runs`, `values`."""
    with mock_aws():
        stack = Stack()
        stack.dynamodb.create_table(**plans_table("plans"))
        stack.dynamodb.create_table(**runs_table("runs"))
        stack.s3.create_bucket(Bucket="values")
        stack.scheduler.create_schedule_group(Name="s")
        stack.events.create_event_bus(Name="s")
        stack.sqs.create_queue(QueueName="dead")
        yield stack


def document(text: str = "hello", fields: str = "{}") -> bytes:
    """A plan of two nodes that sends one message; `text` is what it says, `fields` its input."""
    return f"""apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {{name: other_name, title: 问候, description: Says it}}
input: {fields}
graph:
  entry: {{nodeId: say, port: in, input: {{}}}}
  nodes:
    - id: say
      type: send_message
      sendMessage: {{scope: {{value: ops}}, text: "{text}"}}
    - id: done
      type: end
      end: {{outcome: succeeded}}
  edges:
    - id: said
      source: {{nodeId: say, port: completed}}
      target: {{nodeId: done, port: in}}
      bindings: {{}}
""".encode()
