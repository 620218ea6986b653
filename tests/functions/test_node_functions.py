"""The Lambda handlers: put together from their environment, and cheap to import (ARCHITECTURE §3)."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from runtime_world import RUN, event, token

ROOT = Path(__file__).parents[2]
NODES = ("set_variable", "send_message", "request_approval", "wait", "pass", "loop", "end")
ENVIRONMENT = {
    "RUNS_TABLE": "runs",
    "VALUES_BUCKET": "values",
    "EVENT_BUS": "default",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
}
UNWANTED = (
    "boto3",
    "pydantic",
    "yaml",
    "jinja2",
    "rich",
    "click",
    "aws_lambda_powertools",
    "loopstep.compiler",
    "loopstep.source",
    "loopstep.diagnostics",
    "loopstep.nodes",
    "loopstep.services",
    "loopstep.convert",
    "loopstep.expressions.parse",
    "loopstep.expressions.check",
)


@pytest.fixture
def load(world: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads a function's handler as Lambda does."""
    from loopstep.gateways import clients

    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    for client in (clients.dynamodb, clients.s3, clients.events, clients.stepfunctions, clients._session):
        client.cache_clear()

    def loaded(name: str) -> Any:
        spec = importlib.util.spec_from_file_location(f"handler_of_{name}", ROOT / "functions" / name / "handler.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.handler

    return loaded


def test_a_plan_of_every_node(world: Any, load: Any) -> None:
    world.start(input={"who": "Ada"}, state={"greeting": ""})
    greeting = {"greeting": {"type": "string"}}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("pass", {"id": "a", "out": {"completed": [["e1"]]}}),
        (
            "set_variable",
            {"id": "b", "set": [[["greeting"], "Hello"]], "state": greeting, "out": {"completed": [["e2"]]}},
        ),
        ("send_message", {"id": "c", "scope": "ops", "text": [{"e": ["ref", "state", "greeting"]}, "!"]}),
        ("wait", {"id": "d", "duration": "PT1S", "out": {"completed": [["e4"]]}}),
        ("loop", {"id": "e", "loop": {"max": 1}, "next": ["again"], "out": {"body": [["again"]]}}),
        ("loop", {"id": "e", "loop": {"max": 1}, "next": ["again"], "out": {"completed": [["e5"]]}}),
        (
            "end",
            {"id": "f", "input": greeting, "in": {"e5": {"greeting": ["ref", "state", "greeting"]}}},
        ),
    ]
    at: Any = None
    for kind, spec in steps:
        at = load(kind)(event(spec, at), None)
    assert at == token("f", "", "")
    assert world.run()["output"] == {"greeting": "Hello"}
    assert [each["text"] for each in world.messages()] == ["Hello!"]


def test_close_run(world: Any, load: Any) -> None:
    world.start()
    handler = load("close_run")
    assert handler({"token": token("n", "", "failed")}, None) == {"code": "node.crashed"}
    assert handler({"detail": {"name": f"{RUN}-1", "status": "FAILED"}}, None) == {"code": None}


@pytest.mark.parametrize("name", [*NODES, "close_run"])
def test_a_function_imports_only_what_it_uses(name: str) -> None:
    code = (
        "import sys, json, runpy; runpy.run_path('handler.py'); "
        f"print(json.dumps([each for each in {UNWANTED!r} if each in sys.modules]))"
    )
    layer = str(ROOT / "layers" / "loopstep" / "python")
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": layer}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "functions" / name,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == []
