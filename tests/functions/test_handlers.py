"""The handlers as Lambda loads them: composed from the environment, one log line, no data in it."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from loopstep.services.put_trigger import put_trigger
from loopstep.triggers.records import Wanted

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
ENVIRONMENT = {
    "PLANS_TABLE": "plans",
    "RUNS_TABLE": "runs",
    "VALUES_BUCKET": "values",
    "FUNCTION_ARN": "arn:aws:lambda:us-east-1:123456789012:function:s-{type}:live",
    "MACHINE_ROLE_ARN": "arn:aws:iam::123456789012:role/machines",
    "STACK_NAME": "s",
    "COMPILE_FUNCTION": "s-compile_plan",
    "API_AUTH": "key",
    "ADMIN_CALLER": "root",
    "OTHER_CALLERS": "viewer",
    "IDEMPOTENCY_HOURS": "24",
    "SCHEDULER_ZONES": "true",
    "SCHEDULE_GROUP": "s",
    "SCHEDULE_ROLE_ARN": "arn:aws:iam::123456789012:role/clocks",
    "START_FUNCTION_ARN": "arn:aws:lambda:us-east-1:123456789012:function:s-start_run:live",
    "DEAD_LETTERS_ARN": "arn:aws:sqs:us-east-1:123456789012:dead",
    "DEAD_LETTERS_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/dead",
    "EVENT_BUS": "s",
    "TRIGGER_FUNCTION_ARN": "arn:aws:lambda:us-east-1:123456789012:function:s-trigger:live",
}
CONTEXT = SimpleNamespace(aws_request_id="request 1", get_remaining_time_in_millis=lambda: 30_000)


@pytest.fixture
def load(aws: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    from loopstep.gateways.answer_time import answer_within
    from loopstep.gateways.service_clients import client

    client.cache_clear()
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    def handler(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"{name}_handler", FUNCTIONS / name / "handler.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.out = io.StringIO()
        module.logger.registered_handler.setStream(module.out)
        return module

    yield handler
    client.cache_clear()
    answer_within(float("inf"))


def lines(module: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in module.out.getvalue().splitlines()]


def get(path: str, method: str = "GET", body: str | None = None) -> dict[str, Any]:
    context = {"requestId": "r 1", "identity": {"apiKeyId": "root", "apiKey": "canary-key"}}
    return {"httpMethod": method, "path": path, "body": body, "headers": {}, "requestContext": context}


def test_compile_plan(aws: Any, load: Any) -> None:
    module = load("compile_plan")
    event = {"action": "publish", "name": "greet", "document": aws.document("canary").decode()}
    reply = module.handler(event, CONTEXT)
    assert reply["status"] == 201 and json.loads(json.dumps(reply)) == reply
    assert aws.plans().head("greet").latest == 1
    (line,) = lines(module)
    assert (line["plan"], line["status"], line["service"]) == ("greet", 201, "loopstep")
    assert "canary" not in module.out.getvalue()


def test_start_run(aws: Any, load: Any) -> None:
    aws.store_version("p", input={"a": {"type": "string"}})
    module = load("start_run")
    event = {"plan": "p", "input": {"a": "canary"}}
    first = module.handler(event, CONTEXT)
    assert first.keys() == {"runId", "plan", "version", "status"}
    assert module.handler(event, CONTEXT) == first  # the same invocation again, as Lambda retries it
    assert module.handler(event, SimpleNamespace(aws_request_id="request 2")) != first
    keyed = module.handler({**event, "idempotencyKey": "k"}, CONTEXT)
    assert module.handler({**event, "idempotencyKey": "k"}, SimpleNamespace(aws_request_id="other")) == keyed
    assert len(aws.executions()) == 3
    assert len(lines(module)) == 5 and "canary" not in module.out.getvalue()


@pytest.mark.parametrize(
    "event",
    [{}, {"plan": 1}, {"plan": "nothing"}, {"plan": "p", "input": []}, {"plan": "p", "input": {"b": 1}},
     {"plan": "p", "version": True}, {"plan": "p", "version": 9}],
)  # fmt: skip
def test_start_run_raises_what_it_refuses(aws: Any, load: Any, event: dict[str, Any]) -> None:
    from loopstep.services.refusals import Refused

    aws.store_version("p")
    module = load("start_run")
    with pytest.raises(Refused):
        module.handler(event, CONTEXT)
    assert [line["level"] for line in lines(module)] == ["ERROR"]
    assert aws.executions() == []


def test_start_run_for_a_clock(aws: Any, load: Any) -> None:
    aws.store_version("p", input={"a": {"type": "string"}})
    module, api = load("start_run"), load("api")
    body = {"expression": "cron(0 9 * * ? *)", "input": {"a": "canary"}}
    assert api.handler(get("/plans/p/schedules/s", "PUT", json.dumps(body)), CONTEXT)["statusCode"] == 201
    (clock,) = aws.scheduler.list_schedules(GroupName="s")["Schedules"]
    payload = json.loads(aws.scheduler.get_schedule(GroupName="s", Name=clock["Name"])["Target"]["Input"])
    event = {**payload, "slot": "2026-11-30T09:00:00Z"}
    first = module.handler(event, CONTEXT)
    assert module.handler(event, SimpleNamespace(aws_request_id="other")) == first and len(aws.executions()) == 1
    assert module.handler({**event, "generation": "old"}, CONTEXT) == {"skipped": "superseded"}
    assert "canary" not in module.out.getvalue() + api.out.getvalue()


@pytest.mark.parametrize(
    "changes", [{"slot": "noon"}, {"slot": None}, {"generation": 1}, {"schedule": ""}, {"plan": None}]
)
def test_start_run_refuses_what_no_clock_says(aws: Any, load: Any, changes: dict[str, Any]) -> None:
    from loopstep.services.refusals import Malformed

    aws.store_version("p")
    module, api = load("start_run"), load("api")
    api.handler(get("/plans/p/schedules/s", "PUT", '{"expression": "rate(1 day)"}'), CONTEXT)
    (clock,) = aws.scheduler.list_schedules(GroupName="s")["Schedules"]
    payload = json.loads(aws.scheduler.get_schedule(GroupName="s", Name=clock["Name"])["Target"]["Input"])
    with pytest.raises(Malformed):
        module.handler({**payload, **changes}, CONTEXT)


def test_trigger(aws: Any, load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    aws.store_version("p", input={"a": {"type": "string", "required": True}})
    monkeypatch.setenv("DEAD_LETTERS_URL", aws.sqs.get_queue_url(QueueName="dead")["QueueUrl"])
    wanted = Wanted('{"source":["shop"]}', "{}", '{"a":["ref","event","detail","a"]}', None, True)
    put_trigger(aws.triggering(), "p", "t", wanted)
    module = load("trigger")
    event = {"id": "e", "source": "shop", "detail-type": "paid", "detail": {"a": "canary"}}
    payload = {"plan": "p", "trigger": "t", "event": event}
    first = module.handler(payload, CONTEXT)
    assert module.handler(payload, CONTEXT) == first and len(aws.executions()) == 1
    bad = {**payload, "event": {**event, "id": "f", "detail": {"a": ["canary"]}}}
    assert module.handler(bad, CONTEXT) == {"notStarted": "input.invalid"}
    assert module.handler({**payload, "trigger": "none"}, CONTEXT) == {"notStarted": "switched off"}
    assert len(lines(module)) == 4 and "canary" not in module.out.getvalue()


def test_api(aws: Any, load: Any) -> None:
    aws.store_version("p")
    module = load("api")
    assert module.handler(get("/plans/p"), CONTEXT)["statusCode"] == 200
    started = module.handler(get("/plans/p/runs", "POST", '{"input": {}}'), CONTEXT)
    assert started["statusCode"] == 202
    assert module.handler(get("/nothing"), CONTEXT)["statusCode"] == 404
    assert [(line["path"], line["status"], line.get("caller")) for line in lines(module)] == [
        ("/plans/p", 200, "key root"),
        ("/plans/p/runs", 202, "key root"),
        ("/nothing", 404, None),
    ]
    assert "canary" not in module.out.getvalue()


def test_api_asks_the_compiler_function(aws: Any, load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load("api")
    asked: list[Any] = []

    def call(_: Any, function: str, payload: dict[str, Any]) -> dict[str, Any]:
        asked.append((function, payload["action"]))
        return {"status": 200, "body": {"valid": True, "diagnostics": []}}

    monkeypatch.setattr("loopstep.gateways.functions.Functions.call", call)
    assert module.handler(get("/plans/check", "POST", "x"), CONTEXT)["statusCode"] == 200
    assert asked == [("s-compile_plan", "check")]


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("api", ("loopstep.compiler", "loopstep.source", "yaml", "loopstep.nodes", "boto3")),
        ("start_run", ("loopstep.compiler", "loopstep.source", "yaml", "pydantic", "loopstep.api", "boto3")),
        ("compile_plan", ("pydantic", "loopstep.api", "boto3")),
    ],
)
def test_what_a_cold_start_does_not_import(name: str, absent: tuple[str, ...]) -> None:
    code = f"import sys; sys.path.insert(0, {str(FUNCTIONS / name)!r}); import handler; print(*sys.modules)"
    environment = {**ENVIRONMENT, "AWS_DEFAULT_REGION": "us-east-1", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & set(absent)
