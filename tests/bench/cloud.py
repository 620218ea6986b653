"""The local cloud as the benchmarks use it: found or started, its REST API, and the engine's clients behind it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from boto3.session import Session
from botocore.config import Config

from loopstep.runs.keys import execution_name
from tests.bench.processes import ROOT, SCRIPTS

UP_TIMEOUT = 900.0  # seconds; the first time makes two virtual environments
RUN_TIMEOUT = 120.0
POLL_SECONDS = 0.05
LOOPSTEP = str(SCRIPTS / "loopstep")


@dataclass(frozen=True, slots=True)
class Cloud:
    """A running local cloud: `url` of the REST API with its key, `endpoint` of the emulator."""

    url: str
    key: str

    @property
    def endpoint(self) -> str:
        """Where the emulator answers AWS requests."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def client(self, service: str) -> Any:
        """A boto3 client that talks to this emulator and to nothing else."""
        session = Session(aws_access_key_id="test", aws_secret_access_key="test", region_name="us-east-1")
        make: Any = session.client
        return make(service, endpoint_url=self.endpoint, config=Config(proxies={}, retries={"max_attempts": 1}))

    def call(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> Any:
        """One REST request; the JSON of its answer. Raises RuntimeError for a status of 400 or more."""
        headers = {"x-api-key": self.key, "content-type": kind}
        request = urllib.request.Request(self.url + path, body or None, headers, method=method)
        try:
            with _direct.open(request, timeout=RUN_TIMEOUT) as answer:
                return json.loads(answer.read())
        except HTTPError as refused:
            raise RuntimeError(f"{method} {path}: {refused.code} {refused.read(500)!r}") from None

    def publish(self, name: str, plan: str) -> None:
        """Publish a YAML document under a name; nothing new where it is published already."""
        self.call("PUT", f"/plans/{name}", plan.encode(), "application/yaml")

    def start(self, name: str, given: dict[str, Any]) -> str:
        """Start a run of a published plan; the ARN of its execution. Raises RuntimeError where there is none."""
        run = self.call("POST", f"/plans/{name}/runs", json.dumps({"input": given}).encode())["runId"]
        engine = self.client("stepfunctions")
        for page in engine.get_paginator("list_state_machines").paginate():
            for machine in page["stateMachines"]:
                if f"-{name}-" in machine["name"]:
                    arn = machine["stateMachineArn"].replace(":stateMachine:", ":execution:")
                    execution = f"{arn}:{execution_name(run, 1)}"
                    with contextlib.suppress(engine.exceptions.ExecutionDoesNotExist):
                        engine.describe_execution(executionArn=execution)
                        return execution
        raise RuntimeError(f"no execution of run {run} of {name}")

    def duration(self, execution: str, patience: float = RUN_TIMEOUT) -> float:
        """Wait for an execution's end; milliseconds from its start to its end by the engine's own clock.

        Raises RuntimeError where it does not succeed in time.
        """
        engine = self.client("stepfunctions")
        deadline = time.monotonic() + patience
        while (found := engine.describe_execution(executionArn=execution))["status"] == "RUNNING":
            if time.monotonic() > deadline:
                raise RuntimeError(f"{execution} still runs")
            time.sleep(POLL_SECONDS)
        if found["status"] != "SUCCEEDED":
            raise RuntimeError(f"{execution}: {found['status']} {found.get('error')} {found.get('cause')}")
        taken: float = (found["stopDate"] - found["startDate"]).total_seconds()
        return taken * 1000


_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy on the way to loopback


def running() -> Cloud | None:
    """The local cloud that runs now, None where there is none."""
    done = subprocess.run([LOOPSTEP, "status", "--json"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    try:
        status = json.loads(done.stdout)
    except ValueError:
        return None
    return Cloud(status["url"], status["apiKey"]) if status.get("running") else None


@contextlib.contextmanager
def session() -> Iterator[Cloud]:
    """The running local cloud, or one for the time of the block, stopped again whatever happens."""
    found = running()
    if found is not None:
        yield found
        return
    try:
        subprocess.run([LOOPSTEP, "up"], cwd=ROOT, stdout=sys.stderr, check=True, timeout=UP_TIMEOUT)
        started = running()
        if started is None:
            raise RuntimeError("`loopstep up` succeeded, but nothing runs")
        yield started
    finally:
        subprocess.run([LOOPSTEP, "down"], cwd=ROOT, stdout=sys.stderr, timeout=60)
