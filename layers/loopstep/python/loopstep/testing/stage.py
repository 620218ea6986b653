"""A stack in this process: plans are published and runs started, answered and read by the services of the product."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from loopstep.compiler.pins import Registry
from loopstep.gateways.objects import S3Objects
from loopstep.knowledge.reading import CSV, HTML, JSON_LINES, MARKDOWN, TEXT
from loopstep.plans.store import PlanStore
from loopstep.registry.records import SOURCE
from loopstep.runs.reader import RunReader
from loopstep.runs.store import RunStore
from loopstep.runs.wait_reader import WaitReader
from loopstep.runtime.spec import read_json
from loopstep.runtime.times import timestamp
from loopstep.services.publish_plan import Publisher, publish_plan
from loopstep.services.put_documents import Draft, Librarian, put_documents
from loopstep.services.register import Registrar, register
from loopstep.services.running import Running
from loopstep.services.shown_values import ShownValues
from loopstep.services.stack_registry import StackRegistry
from loopstep.testing.cases import Entry
from loopstep.testing.executions import Executions
from loopstep.testing.functions import ASKING, Functions, Parts
from loopstep.testing.machine import Engine, Stopped, Walk
from loopstep.testing.sleeping import Invocation
from loopstep.testing.tables import BUCKET, PLANS, RUNS
from loopstep.types.text import json_text

_FORMS = {"md": MARKDOWN, "markdown": MARKDOWN, "html": HTML, "htm": HTML, "csv": CSV, "jsonl": JSON_LINES}


class _Whole(ShownValues):
    """Values that are never left out of an answer."""

    def read_all(self, stored: Any) -> list[Any]:
        return super(ShownValues, self).read_all(stored)


class Stage:
    """The stack. `executions` drives what runs; time passes only where the caller says so."""

    def __init__(self) -> None:
        self.parts = Parts.fresh()
        self._functions = Functions(self.parts)
        self.executions = Executions(self._engine, self.parts.clock, self._ended)
        self._plans = PlanStore(self.parts.dynamodb, PLANS, S3Objects(self.parts.s3, BUCKET))
        self.running = self._compose()

    def put(self, entry: Entry) -> None:
        """Register something, a source with its documents. Raises Unfit with `errors` or `diagnostics`."""
        parts = self.parts
        registrar = Registrar(parts.registry(), self._now, parts.new_id, parts.pause, parts.documents())
        register(registrar, entry.kind, entry.id, json_text(entry.content).encode())
        if entry.kind == SOURCE and entry.documents:
            librarian = Librarian(
                parts.registry(), parts.documents(), parts.blobs(), self._now, parts.new_id, parts.pause
            )
            drafts = [Draft(id, id, form_of(id), text.encode()) for id, text in entry.documents.items()]
            put_documents(librarian, entry.id, drafts)

    def registry(self) -> Registry:
        """What is registered, for one compile."""
        return StackRegistry(self.parts.registry())

    def publish(self, name: str, document: bytes) -> None:
        """Publish a plan. Raises Unfit `plan.invalid` with diagnostics."""
        publisher = Publisher(
            plans=self._plans,
            engine=self.executions,
            stack="cases",
            role="",
            function_arn=lambda kind: kind,
            now=self._now,
            new_owner=self.parts.new_id,
            pause=self.parts.pause,
            registry=self.parts.registry(),
            documents=self.parts.documents(),
        )
        publish_plan(publisher, name, document)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """What functions log is nobody's for the time of the block."""
        with redirect_stdout(io.StringIO()):
            yield

    def _compose(self) -> Running:
        parts = self.parts
        values = _Whole(lambda: parts.s3, BUCKET, lambda key: f"memory:{key}")
        runs = RunStore(parts.dynamodb, RUNS, values, parts.random, parts.clock.sleep)
        epoch = lambda: parts.clock().timestamp()  # noqa: E731
        return Running(
            plans=self._plans,
            runs=runs,
            reader=RunReader(parts.dynamodb, RUNS, runs, epoch),
            values=values,
            engine=self.executions,
            now=self._now,
            new_id=parts.new_id,
            clock=parts.seconds,
            sleep=parts.clock.sleep,
            waits=WaitReader(parts.dynamodb, RUNS, runs, epoch),
            settler=parts.settler(),
            files=parts.files(),
        )

    def _now(self) -> str:
        return timestamp(self.parts.clock())

    def _engine(self) -> Engine:
        return Engine(self.parts.clock, self._invoke, self.parts.tokens, lambda key: self.parts.s3.objects[key])

    def _invoke(self, kind: str, payload: dict[str, Any]) -> Walk:
        self.parts.clock.tick()
        if kind in ASKING and self.parts.models.may_sleep:
            reply = yield from Invocation(lambda: self._act(kind, payload)).walk()
        else:
            reply = self._act(kind, payload)
        return reply

    def _act(self, kind: str, payload: dict[str, Any]) -> Any:
        self.parts.models.asks(node_of(payload) if kind in ASKING else "")
        try:
            return self._functions.handler(kind)(payload)
        except Exception as fault:
            raise Stopped(type(fault).__name__) from fault

    def _ended(self, detail: dict[str, Any]) -> None:
        self._functions.handler("close_run")({"detail": detail})


def form_of(document: str) -> str:
    """The form of a source's document by the ending of its id."""
    return _FORMS.get(document.rpartition(".")[2].lower(), TEXT)


def node_of(payload: dict[str, Any]) -> str:
    """The id of the node that a Task invokes a function for."""
    return str(read_json(payload["spec"])["id"])
