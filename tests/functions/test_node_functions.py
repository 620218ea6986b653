"""The Lambda handlers: put together from their environment, and cheap to import (ARCHITECTURE §3)."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from runtime_world import RUN, event, token

ROOT = Path(__file__).parents[2]
NODES = (
    "set_variable",
    "send_message",
    "request_approval",
    "wait",
    "pass",
    "loop",
    "list_files",
    "knowledge_retrieval",
    "llm",
    "condition",
    "end",
)
ASKING = ("agent", "skill", "smart_action")  # nodes that ask models and may use tools
ENVIRONMENT = {
    "RUNS_TABLE": "runs",
    "VALUES_BUCKET": "values",
    "PLANS_TABLE": "plans",
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
    from loopstep.plans.schema import table_definition

    world.dynamodb.create_table(**table_definition("plans"))

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


class Converse:
    """A client of Bedrock's models: what it is asked, and for how long it would wait."""

    def __init__(self, text: str) -> None:
        self.text, self.asked, self.seconds = text, list[dict[str, Any]](), 0

    def __call__(self, read_timeout: int) -> Converse:
        self.seconds = read_timeout
        return self

    def converse(self, **asked: Any) -> Any:
        self.asked.append(asked)
        return {"output": {"message": {"content": [{"text": self.text}]}}, "stopReason": "end_turn", "usage": {}}


CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 20_000)
ASK = {
    "llm": {"id": "m", "prompt": ["Hi"], "output": {"a": "string!"}, "out": {"completed": [["e"]]}},
    "condition": {"id": "m", "conditions": [["a"]], "out": {"branch_0": [["e"]], "otherwise": [["e"]]}},
}


@pytest.mark.parametrize("name", ASK)
def test_who_asks_a_model(world: Any, load: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    from loopstep.gateways import clients

    client = Converse("0")
    monkeypatch.setattr(clients, "bedrock", client)
    monkeypatch.setenv("MODEL_ID", "stacks-own")
    world.start()
    handler = load(name)
    assert handler(event(ASK[name]), CONTEXT)["edge"] == "e"
    assert [each["modelId"] for each in client.asked] == ["stacks-own"]
    assert 1 <= client.seconds <= 15  # what is left of the invocation, without the time of its last write
    assert world.activation("m#")["tries"][0]["usage"]["model"] == "stacks-own"


@pytest.mark.parametrize("stand_in", ["accept", "refuse", ""])
def test_the_stand_in(world: Any, load: Any, monkeypatch: pytest.MonkeyPatch, stand_in: str) -> None:
    from loopstep.gateways import bedrock, clients

    monkeypatch.setattr(bedrock, "_FIRST_PAUSE", 0.0)
    monkeypatch.setattr(clients, "bedrock", Converse(f"{bedrock.STAND_IN} x] reply"))
    monkeypatch.setenv("MODEL_ID", "m")
    monkeypatch.setenv("MODEL_STAND_IN", stand_in)
    world.start()
    handler = load("llm")
    if stand_in == "refuse":
        with pytest.raises(Exception, match=r"model\.unavailable m#"):
            handler(event(ASK["llm"]), CONTEXT)
    else:
        assert handler(event(ASK["llm"]), CONTEXT)["edge"] == "e"


def test_close_run(world: Any, load: Any) -> None:
    world.start()
    handler = load("close_run")
    assert handler({"token": token("n", "", "failed")}, None) == {"code": "node.crashed"}
    assert handler({"detail": {"name": f"{RUN}-1", "status": "FAILED"}}, None) == {"code": None}


@pytest.mark.parametrize("name", [*NODES, *ASKING, "close_run"])
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
