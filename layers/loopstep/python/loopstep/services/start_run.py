"""Start a run of a plan (LANGUAGE §9).

The record comes first, then the execution under a name that the run's id gives. So an interruption in between leaves a
run without an execution, which the repeated call (or the sweeper) starts, and never an execution without a run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from loopstep.access.actor import Actor
from loopstep.plans.records import PlanVersion
from loopstep.runs.errors import RunExists, RunNotFound, RunNotOpen
from loopstep.runs.records import CANCELLED, CREATED, RUNNING, Head, NewRun
from loopstep.services.read_plan import find_version
from loopstep.services.refusals import Conflicting, Unfit, unknown_run
from loopstep.services.repeat_request import other_request
from loopstep.services.running import Running
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema


@dataclass(frozen=True, slots=True)
class StartRequest:
    """`input` is JSON data as it came; without `version` the newest runs; `key` is the caller's Idempotency-Key."""

    plan: str
    input: Any = None
    version: int | None = None
    hold: bool = False
    key: str | None = None
    depth: int = 0  # how many runs led to this one through events
    by: Actor | None = None


def start_run(running: Running, request: StartRequest) -> Head:
    """The run's head: `running`, or `created` where it is held. The same key and content give the same run again.

    Raises as `start_or_find`.
    """
    return start_or_find(running, request)[0]


def start_or_find(running: Running, request: StartRequest) -> tuple[Head, bool]:
    """The run's head, and whether an earlier request with the same key had started it.

    Raises Unknown `plan.unknown`, `plan.version_unknown`; Unfit `input.invalid` with `errors`, before anything is
    written; Conflicting `idempotency.conflict`; Unavailable `engine.machine_missing`.
    """
    run = run_id_of(request.plan, request.key) if request.key is not None else running.new_id()
    digest = _digest(request) if request.key is not None else ""
    head = _earlier(running, run) if request.key is not None else None
    found = head is not None
    if head is None:
        head = _create(running, request, run, digest)
    elif head.digest != digest:
        raise other_request()
    if head.status == RUNNING:
        running.launch(head)
    return head, found


def start_once(running: Running, request: StartRequest) -> Head:
    """The same for a key that names an occasion, not a content: what was started with another input stands."""
    try:
        return start_run(running, request)
    except Conflicting as refused:
        if refused.code != "idempotency.conflict" or request.key is None:
            raise
        return running.head(run_id_of(request.plan, request.key))


def start_held_run(running: Running, run: str) -> Head:
    """Start a run that was held back. Starting it again changes nothing: a start that has happened stays happened.

    Raises Unknown `run.unknown`, Conflicting `run.ended` for a run that was cancelled.
    """
    try:
        head = running.runs.begin_run(run, running.now())
    except RunNotFound:
        raise unknown_run(run) from None
    except RunNotOpen as ended:
        if ended.status == CANCELLED:
            raise Conflicting("run.ended", "The run has been cancelled.", runStatus=ended.status) from None
        return running.head(run)
    running.launch(head)
    return head


def run_id_of(plan: str, key: str) -> str:
    """The id of the one run that a plan can have under an Idempotency-Key: 128 bits in hex."""
    return sha256(f"{plan}\0{key}".encode()).hexdigest()[:32]


def _earlier(running: Running, run: str) -> Head | None:
    try:
        return running.reader.get_head(run)
    except RunNotFound:
        return None


def _create(running: Running, request: StartRequest, run: str, digest: str) -> Head:
    version = find_version(running.plans, request.plan, request.version)
    new = NewRun(
        run=run,
        plan=version.name,
        version=version.number,
        machine=version.machine,
        input=valid_input(running, version, request.input),
        state=conform_fields({}, _fields(running, version, "state"))[0],
        created_at=running.now(),
        owner=running.new_id(),
        digest=digest,
        status=CREATED if request.hold else RUNNING,
        fences=version.fences,
        timeout=version.timeout,
        depth=request.depth,
        by=request.by,
    )
    try:
        return running.runs.create_run(new).head
    except RunExists:
        raise other_request() from None


def valid_input(running: Running, version: PlanVersion, given: Any) -> dict[str, Any]:
    """The input as the version's contract wants it. Raises Unfit `input.invalid` with `errors`."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise _invalid([{"path": "", "code": "type", "message": "The input must be an object."}])
    values, problems = conform_fields(given, _fields(running, version, "input"))
    if problems:
        raise _invalid([{"path": each.path, "code": each.code, "message": each.message} for each in problems])
    return values


def _fields(running: Running, version: PlanVersion, name: str) -> dict[str, Schema]:
    declared = json.loads(running.plans.text(version, name))
    return {field: Schema.from_json(schema) for field, schema in declared.items()}


def _digest(request: StartRequest) -> str:
    content = {"input": request.input or {}, "version": request.version, "hold": request.hold}
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _invalid(errors: list[dict[str, str]]) -> Unfit:
    return Unfit("input.invalid", "The input does not satisfy the plan's contract.", errors=errors)
