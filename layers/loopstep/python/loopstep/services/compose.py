"""Puts together what services work with, from a function's environment and a source of clients."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

from loopstep.gateways.blobs import Blobs
from loopstep.gateways.clock import now
from loopstep.gateways.files import S3Files, caps_of_environment
from loopstep.gateways.objects import S3Objects
from loopstep.gateways.step_functions import StepFunctions
from loopstep.gateways.task_answers import TaskAnswers
from loopstep.knowledge.store import DocumentStore
from loopstep.plans.store import PlanStore
from loopstep.registry.store import RegistryStore
from loopstep.runs.reader import RunReader
from loopstep.runs.replies import ReplyStore
from loopstep.runs.store import RunStore
from loopstep.runs.values import Values
from loopstep.runs.wait_reader import WaitReader
from loopstep.runs.wait_store import WaitStore
from loopstep.runtime.settling import Settler
from loopstep.runtime.times import system_clock
from loopstep.services.put_documents import Librarian
from loopstep.services.repeat_request import Repeating
from loopstep.services.running import Running
from loopstep.services.shown_values import ShownValues

LINK_SECONDS = 300

Client = Callable[[str], Any]


def compose_running(environment: Mapping[str, str], client: Client) -> Running:
    """Running from PLANS_TABLE, RUNS_TABLE and VALUES_BUCKET."""
    dynamodb, s3 = client("dynamodb"), client("s3")
    objects = S3Objects(s3, environment["VALUES_BUCKET"])
    table = environment["RUNS_TABLE"]
    values = ShownValues(lambda: s3, environment["VALUES_BUCKET"], lambda key: objects.url(key, LINK_SECONDS))
    runs = RunStore(dynamodb, table, values)
    return Running(
        plans=PlanStore(dynamodb, environment["PLANS_TABLE"], objects),
        runs=runs,
        reader=RunReader(dynamodb, table, runs),
        values=values,
        engine=StepFunctions(client("stepfunctions")),
        now=now,
        new_id=new_id,
        clock=time.monotonic,
        sleep=time.sleep,
        waits=WaitReader(dynamodb, table, runs),
        settler=compose_settler(dynamodb, table, s3, environment["VALUES_BUCKET"], client),
        files=S3Files(lambda: s3, environment["VALUES_BUCKET"], caps_of_environment()),
        keep_days=int(environment.get("RUN_RETENTION_DAYS", "0")),
    )


def compose_registry(environment: Mapping[str, str], client: Client) -> RegistryStore:
    """The registry from PLANS_TABLE and VALUES_BUCKET."""
    bucket = environment["VALUES_BUCKET"]
    return RegistryStore(client("dynamodb"), environment["PLANS_TABLE"], lambda: S3Objects(client("s3"), bucket))


def compose_settler(dynamodb: Any, table: str, s3: Any, bucket: str, client: Client) -> Settler:
    """What ends waits: it evaluates with values as they are, however large."""
    waits = WaitStore(dynamodb, RunStore(dynamodb, table, Values(lambda: s3, bucket)))
    return Settler(waits, TaskAnswers(lambda: client("stepfunctions")), system_clock, new_id)


def new_id() -> str:
    """128 random bits in hex."""
    return secrets.token_hex(16)


def short_pause(attempt: int) -> None:
    """Sleep before try `attempt` + 1: full jitter, up to half a second."""
    time.sleep(random.random() * min(0.02 * 2**attempt, 0.5))


def compose_librarian(environment: Mapping[str, str], client: Client) -> Librarian:
    """What documents of sources are kept with, from PLANS_TABLE and VALUES_BUCKET."""
    return Librarian(
        registry=compose_registry(environment, client),
        documents=DocumentStore(client("dynamodb"), environment["PLANS_TABLE"], short_pause),
        blobs=Blobs(lambda: client("s3"), environment["VALUES_BUCKET"]),
        now=now,
        new_owner=new_id,
        pause=short_pause,
    )


def compose_repeating(environment: Mapping[str, str], client: Client) -> Repeating:
    """What answers are kept with, from RUNS_TABLE, VALUES_BUCKET and IDEMPOTENCY_HOURS."""
    blobs = Blobs(lambda: client("s3"), environment["VALUES_BUCKET"])
    seconds = int(environment["IDEMPOTENCY_HOURS"]) * 3600
    return Repeating(ReplyStore(client("dynamodb"), environment["RUNS_TABLE"], blobs, time.time, seconds), new_id)
