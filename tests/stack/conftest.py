"""Plans run end to end on the deployed local cloud, through the command and the REST API.

`make test` starts a cloud and names it in LOOPSTEP_INSTANCE; then a missing one is an error. By hand, `loopstep up`
comes first: without it these tests are skipped. LOOPSTEP_TEST_URL and LOOPSTEP_TEST_API_KEY name a deployment anywhere
else, which those tests use that need nothing but its API (`make test-deployed`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.local.project import INSTANCE, Project
from loopstep.cli.remote import Remote
from tests.model_server import MODEL, ModelServer

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
DEPLOYED = "LOOPSTEP_TEST_URL"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.stack)


@pytest.fixture(scope="session")
def state() -> cloud.State:
    """Where the local cloud is."""
    if url := os.environ.get(DEPLOYED):
        key = os.environ["LOOPSTEP_TEST_API_KEY"]
        return cloud.State(pid=0, port=0, endpoint="", url=url, apiKey=key, outputs={}, strict=True)
    instance = os.environ.get(INSTANCE, "")
    found = cloud.read(Project(ROOT, instance))
    if found is None and instance:
        raise AssertionError(f"the local cloud {instance!r} does not run")
    if found is None:
        pytest.skip("no local cloud; `loopstep up` starts one")
    return found


@pytest.fixture(scope="session")
def api(state: cloud.State) -> Remote:
    return Remote(state["url"], state["apiKey"])


@pytest.fixture(scope="session")
def models(state: cloud.State) -> ModelServer:
    """The scripted model that the local cloud asks: `make test` starts one, else `loopstep up --model-url URL`."""
    url = os.environ.get(MODEL) or state.get("model")
    if not url:
        pytest.skip("no scripted model; start tests/model_server.py, and `loopstep up --model-url` with its address")
    return ModelServer(url)


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    stdout: str
    stderr: str

    @property
    def data(self) -> Any:
        """The one JSON document that --json prints."""
        return json.loads(self.stdout)


class Command:
    """The `loopstep` command in a process of its own."""

    def __init__(self, state: cloud.State) -> None:
        self._environment = {**os.environ, "LOOPSTEP_URL": state["url"], "LOOPSTEP_API_KEY": state["apiKey"]}

    def __call__(self, *arguments: str, stdin: str = "") -> Done:
        command = [str(Path(sys.executable).with_name("loopstep")), *arguments]
        done = subprocess.run(
            command, input=stdin, capture_output=True, encoding="utf-8", env=self._environment, timeout=120
        )
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def loopstep(state: cloud.State) -> Command:
    return Command(state)
