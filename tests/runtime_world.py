"""Node functions against moto: a run, functions to invoke, clients that die or lose replies, a clock to turn."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import yaml
from moto import mock_aws

from loopstep.gateways.events import EventBus
from loopstep.gateways.files import Caps, S3Files
from loopstep.gateways.models import Reply, Request, Usage, assistant
from loopstep.runs.joins import Joins
from loopstep.runs.reader import RunReader
from loopstep.runs.records import Created, NewRun
from loopstep.runs.schema import table_definition
from loopstep.runs.store import RunStore
from loopstep.runs.values import Values
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviours.condition import ConditionNode
from loopstep.runtime.behaviours.end import End
from loopstep.runtime.behaviours.fan_out import FanOut
from loopstep.runtime.behaviours.join import Join
from loopstep.runtime.behaviours.list_files import ListFiles
from loopstep.runtime.behaviours.llm import Llm
from loopstep.runtime.behaviours.loop import Loop
from loopstep.runtime.behaviours.pass_on import PassOn
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.behaviours.set_variable import SetVariable
from loopstep.runtime.behaviours.wait import Wait
from loopstep.runtime.close import RunCloser
from loopstep.runtime.parts import PartCounter, PartStarter
from loopstep.runtime.spec import read_json
from loopstep.runtime.working_directory import WorkingDirectory

RUN = "run-1"
START = {"run": RUN, "epoch": 1, "path": "", "node": "", "from": "", "port": "", "edge": ""}


class Death(BaseException):
    """The process of a function ends."""


class Events:
    """The bus: keeps what is published; `refuse` is how many of the next events it does not take."""

    def __init__(self) -> None:
        self.published: list[dict[str, Any]] = []
        self.refuse = 0

    def put_events(self, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        if self.refuse:
            self.refuse -= 1
            return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException"}]}
        self.published += Entries
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}


class ScriptedModels:
    """The port to models: says what it is told to, in order; texts, replies, exceptions, functions of the request."""

    def __init__(self) -> None:
        self.script: list[Any] = []
        self.asked: list[tuple[Request, float]] = []

    def says(self, *script: Any) -> None:
        self.script += script

    def converse(self, request: Request, seconds: float) -> Reply:
        self.asked.append((request, seconds))
        said = self.script.pop(0) if self.script else "ok"
        if callable(said) and not isinstance(said, type):
            said = said(request)
        if isinstance(said, BaseException):
            raise said
        return said if isinstance(said, Reply) else text_reply(said, request.model or "stack-model")


def text_reply(text: str, model: str = "m", stop: str = "end_turn") -> Reply:
    """A reply that is no more than a text."""
    return Reply(text, (), assistant(text), Usage(1, 11, 7), stop, model)


class Wrapped:
    """A client in front of another; `hook(operation, arguments, call)` makes the call, or does not."""

    def __init__(self, client: Any, hook: Any) -> None:
        self._client, self._hook = client, hook

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._client, name)
        if not callable(act) or name.startswith("_"):
            return act
        return lambda **arguments: self._hook(name, arguments, lambda: act(**arguments))


class Dying:
    """Dies at call number `at` (from 0) over all clients: before it, or after it was done."""

    def __init__(self, at: int, after: bool) -> None:
        self.at, self.after, self.calls = at, after, 0

    def __call__(self, name: str, arguments: Any, call: Any) -> Any:
        here = self.calls == self.at
        self.calls += 1
        if here and not self.after:
            raise Death(name)
        reply = call()
        if here:
            raise Death(name)
        return reply


def repeating(name: str, arguments: Any, call: Any) -> Any:
    """Every write's reply is lost once, and the SDK's own repetition is what the caller hears."""
    if name in ("transact_write_items", "put_item", "update_item", "put_object"):
        call()
    return call()


class World:
    """One stack in moto with one clock. Threads race between calls, never within one, as on AWS."""

    def __init__(self) -> None:
        lock = threading.RLock()

        def one_by_one(name: str, arguments: Any, call: Any) -> Any:
            with lock:
                return call()

        self.dynamodb: Any = Wrapped(boto3.client("dynamodb", region_name="us-east-1"), one_by_one)
        self.s3: Any = Wrapped(boto3.client("s3", region_name="us-east-1"), one_by_one)
        self.slept: list[float] = []
        self._seed = 0
        self._reset()

    def _reset(self) -> None:
        self.events, self.models = Events(), ScriptedModels()
        self.now = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)

    def clear(self) -> None:
        """Empty table, bucket and bus, and turn the clock back."""
        self.dynamodb.delete_table(TableName="runs")
        self.dynamodb.create_table(**_definition())
        for each in self.s3.list_objects_v2(Bucket="values").get("Contents", []):
            self.s3.delete_object(Bucket="values", Key=each["Key"])
        self._reset()

    def clock(self) -> datetime:
        return self.now

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def random(self) -> random.Random:
        self._seed += 1
        return random.Random(self._seed)

    def store(self, hook: Any = None) -> RunStore:
        dynamodb, s3 = self._clients(hook)
        return RunStore(dynamodb, "runs", Values(lambda: s3, "values"), self.random(), self.slept.append)

    def reader(self) -> RunReader:
        return RunReader(self.dynamodb, "runs", self.store(), lambda: self.now.timestamp())

    def start(self, run: str = RUN, **fields: Any) -> Created:
        new = {"plan": "p", "version": 3, "machine": "arn:m", "input": {}, "state": {}, "owner": "creator"}
        return self.store().create_run(NewRun(run=run, created_at="2026-03-01T11:59:00.000Z", **(new | fields)))

    def joins(self, hook: Any = None, store: RunStore | None = None) -> Joins:
        dynamodb = self._clients(hook)[0]
        return Joins(dynamodb, "runs", store or self.store(hook), lambda attempt: self.slept.append(attempt))

    def function(self, kind: str, hook: Any = None) -> Any:
        """A node function in a process of its own."""
        events: Any = Wrapped(self.events, hook) if hook else self.events
        if kind in ("fan_out", "join"):
            return self._of_region(kind, hook)
        behaviours = {
            "set_variable": SetVariable,
            "send_message": lambda: SendMessage(EventBus(lambda: events, "bus")),
            "wait": Wait,
            "pass": PassOn,
            "loop": Loop,
            "end": End,
            "list_files": lambda: ListFiles(self._files(hook)),
            "llm": lambda: Llm(self._models(hook), lambda run: WorkingDirectory(self._files(hook), run)),
            "condition": lambda: ConditionNode(self._models(hook)),
        }
        return Activator(behaviours[kind](), self.store(hook), self.clock, self.random(), self.slept.append)

    def _models(self, hook: Any) -> Any:
        """Behind a hook that sees calls of the model as it sees those of AWS."""
        if hook is None:
            return self.models
        models = self.models

        class Hooked:
            def converse(self, request: Request, seconds: float) -> Reply:
                return hook("converse", {"request": request}, lambda: models.converse(request, seconds))

        return Hooked()

    def _of_region(self, kind: str, hook: Any) -> Any:
        """As the handlers of `functions/fan_out` and `functions/join` choose among their Tasks."""
        store = self.store(hook)
        joins = self.joins(hook, store)
        behaviour = FanOut(store.values) if kind == "fan_out" else Join(joins, store.values)
        activate = Activator(behaviour, store, self.clock, self.random(), self.slept.append)
        begin, count = PartStarter(store), PartCounter(store, joins, self.clock, self.random())

        def handle(event: dict[str, Any]) -> Any:
            keys = read_json(event["spec"]).keys()
            if "part" in keys:
                return begin(event)
            return activate(event) if keys.isdisjoint(("arrive", "lost")) else count(event)

        return handle

    def closer(self, hook: Any = None, keep_days: int = 0) -> RunCloser:
        store = self.store(hook)
        reader = RunReader(self._clients(hook)[0], "runs", store, lambda: self.now.timestamp())
        return RunCloser(store, reader, self.clock, self.random(), keep_days)

    def invoke(self, kind: str, spec: dict[str, Any], token: dict[str, Any] | None = None, hook: Any = None) -> Any:
        return self.function(kind, hook)(event(spec, token))

    def left(self, node: str, edge: str, path: str = "") -> Any:
        """The token of a `pass` node that was reached at this path and is left by this edge."""
        return self.invoke("pass", {"id": node, "out": {"completed": [[edge]]}}, START | {"path": path})

    def state(self, run: str = RUN) -> dict[str, Any]:
        return self.reader().get_state(run)

    def run(self, run: str = RUN) -> dict[str, Any]:
        return self.reader().get_run(run).to_json()

    def activation(self, activation: str, run: str = RUN) -> dict[str, Any]:
        return self.reader().get_activation(run, activation).to_json()

    def activations(self, run: str = RUN) -> list[dict[str, Any]]:
        return [each.to_json() for each in self.reader().list_activations(run).items]

    def messages(self, run: str = RUN) -> list[dict[str, Any]]:
        return [each.to_json() for each in self.reader().list_messages(run).items]

    def items(self) -> list[dict[str, Any]]:
        return sorted(self.dynamodb.scan(TableName="runs")["Items"], key=lambda item: item["sk"]["S"])

    def _files(self, hook: Any) -> S3Files:
        return S3Files(lambda: self._clients(hook)[1], "values", Caps())

    def _clients(self, hook: Any) -> tuple[Any, Any]:
        if hook is None:
            return self.dynamodb, self.s3
        return Wrapped(self.dynamodb, hook), Wrapped(self.s3, hook)


def event(spec: dict[str, Any], token: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a Task hands to a node function; a bare spec is reached from the entry."""
    return {"token": START if token is None else token, "spec": json.dumps(spec, ensure_ascii=False)}


def token(node: str, edge: str, port: str = "completed", path: str = "", left: str | None = None) -> dict[str, Any]:
    """A token that left `node`."""
    origin = path if left is None else left
    return START | {"node": node, "edge": edge, "port": port, "path": path, "from": origin}


@contextmanager
def empty() -> Iterator[World]:
    """A world with a table `runs` and a bucket `values`, both empty."""
    with mock_aws():
        boto3.client("dynamodb", region_name="us-east-1").create_table(**_definition())
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="values")
        yield World()


@cache
def _definition() -> dict[str, Any]:
    """The table as the template has it; without a template as `runs.schema` has it."""
    place = Path(__file__).parents[1] / "template.yaml"
    if not place.exists():
        return table_definition("runs")
    properties = yaml.load(place.read_text(encoding="utf-8"), _Template)["Resources"]["RunsTable"]["Properties"]
    wanted = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
    return {"TableName": "runs", **{name: properties[name] for name in wanted}}


class _Template(yaml.SafeLoader):
    """Reads CloudFormation's short functions as their arguments."""


def _argument(loader: Any, suffix: str, node: Any) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True)


_Template.add_multi_constructor("!", _argument)
