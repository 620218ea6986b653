"""Closes runs that their plan did not end: the machines' `run.failed` Task, and executions that the engine ended."""

from __future__ import annotations

import os
from typing import Any

from loopstep.gateways import clients
from loopstep.runs.reader import RunReader
from loopstep.runs.wait_store import WaitStore
from loopstep.runtime.close import RunCloser
from loopstep.runtime.composition import RANDOM, run_store
from loopstep.runtime.times import system_clock

_STORE = run_store()
_READER = RunReader(clients.dynamodb(), os.environ["RUNS_TABLE"], _STORE)
_KEEP_DAYS = int(os.environ.get("RUN_RETENTION_DAYS", "0"))
_CLOSER = RunCloser(_STORE, _READER, system_clock, RANDOM, _KEEP_DAYS, WaitStore(clients.dynamodb(), _STORE))


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """`{"token"}` → `{"code"}`; an execution status event → `{"code"}`, None where there was nothing to close."""
    return _CLOSER(event)
