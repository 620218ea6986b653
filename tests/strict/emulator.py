"""A strict emulator of its own on a free loopback port, for as long as the block lasts."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
import uuid
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "layers" / "loopstep" / "python" / "loopstep" / "cli" / "local" / "strict.py"
PYTHON = ROOT / ".local" / "emulator" / "bin" / "python"
SOURCE = Path(__file__).with_name("functions.py")
ROLE = "arn:aws:iam::000000000000:role/strict"
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
STARTS, STOPS, HANGS = 60.0, 15.0, 120.0  # seconds at most; nothing is concluded from them


@dataclass(frozen=True, slots=True)
class Result:
    """How an execution ended."""

    status: str
    output: Any
    error: str | None
    cause: str | None
    arn: str


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running one."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, service: str) -> Any:
        """A client that does not retry: each answer is seen."""
        return _client(service, self.endpoint)

    def function(self, name: str, **more: Any) -> str:
        """The ARN of the function of these tests, newly made under `name`."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("functions.py", more.pop("source", None) or SOURCE.read_text())
        fields = {"Runtime": "python3.13", "Role": ROLE, "Handler": "functions.handler", "Timeout": 30, **more}
        made = self.client("lambda").create_function(FunctionName=name, Code={"ZipFile": packed.getvalue()}, **fields)
        return str(made["FunctionArn"])

    def machine(self, definition: Any) -> str:
        """The ARN of a new state machine."""
        text = definition if isinstance(definition, str) else json.dumps(definition, ensure_ascii=False)
        name = f"m-{uuid.uuid4().hex[:12]}"
        made = self.client("stepfunctions").create_state_machine(name=name, definition=text, roleArn=ROLE)
        return str(made["stateMachineArn"])

    def start(self, definition: Any, data: Any = None, name: str | None = None) -> str:
        """The ARN of a started execution."""
        named = {"name": name} if name else {}
        text = json.dumps({} if data is None else data, ensure_ascii=False)
        arn = self.machine(definition)
        started = self.client("stepfunctions").start_execution(stateMachineArn=arn, input=text, **named)
        return str(started["executionArn"])

    def result(self, arn: str) -> Result:
        """Wait for the end of an execution."""
        describe = self.client("stepfunctions").describe_execution
        found = until(lambda: ended(describe(executionArn=arn)))
        output = json.loads(found["output"]) if found.get("output") else None
        return Result(found["status"], output, found.get("error"), found.get("cause"), arn)

    def run(self, definition: Any, data: Any = None) -> Result:
        """Start and wait for the end."""
        return self.result(self.start(definition, data))

    def history(self, arn: str) -> list[dict[str, Any]]:
        """All events."""
        pages = self.client("stepfunctions").get_paginator("get_execution_history")
        found = pages.paginate(executionArn=arn, PaginationConfig={"PageSize": 1000})
        return [event for page in found for event in page["events"]]

    def entered(self, arn: str) -> list[str]:
        """The names of the states entered, in order."""
        events = self.history(arn)
        return [event["stateEnteredEventDetails"]["name"] for event in events if "stateEnteredEventDetails" in event]

    def waiting(self, arn: str, state: str) -> None:
        """Wait until a state has been entered."""
        until(lambda: state in self.entered(arn))

    @contextlib.contextmanager
    def scaled(self, scale: float) -> Iterator[None]:
        """Waits and retry delays take that part of their time."""
        self._configure(scale)
        try:
            yield
        finally:
            self._configure(1)

    def _configure(self, scale: float) -> None:
        body = json.dumps({"stepfunctions._SFN_WAIT_SCALE": scale}).encode()
        request = urllib.request.Request(
            f"{self.endpoint}/_ministack/config", body, {"Content-Type": "application/json"}
        )
        _opener().open(request, timeout=10).close()


def until(look: Callable[[], Any]) -> Any:
    """What `look` finds, as soon as it finds something. An AssertionError instead of a test that hangs."""
    end = time.monotonic() + HANGS
    while not (found := look()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
    return found


def ended(execution: dict[str, Any]) -> dict[str, Any] | None:
    """A described execution, None while it runs."""
    return None if execution["status"] == "RUNNING" else execution


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


@cache
def _client(service: str, endpoint: str) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(
        retries={"total_max_attempts": 1}, read_timeout=120, inject_host_prefix=False, max_pool_connections=50
    )
    session: Any = boto3.session.Session(
        KEYS["AWS_ACCESS_KEY_ID"], KEYS["AWS_SECRET_ACCESS_KEY"], region_name="us-east-1"
    )
    return session.client(service, endpoint_url=endpoint, config=config)


@contextlib.contextmanager
def strict(scratch: Path) -> Iterator[Emulator]:
    """Start, wait until it answers, and always stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = scratch / "strict.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(PYTHON), str(LAUNCHER), "ministack"],
            env=_environment(scratch, port),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=scratch,
        )
    try:
        _ready(port, process, log)
        yield Emulator(port, process)
    finally:
        _stop(process)


def _environment(scratch: Path, port: int) -> dict[str, str]:
    own = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return {**own, **KEYS}


def _ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + STARTS
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), _opener().open(f"http://127.0.0.1:{port}/_ministack/ready", timeout=2):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the strict emulator did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOPS)
