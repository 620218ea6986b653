"""What is declared `secret`, task tokens and API keys appear in no log, history, listing or error (issue 5).

Every canary holds one text of its own, which is then looked for wherever the stack writes something down or says it.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.local.project import INSTANCE, Project
from loopstep.cli.remote import Refused
from tests.ending import awaited, ended
from tests.house.modules import ROOT

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
input:
  token: {type: string, required: true, secret: true, maxLength: 100}
  pin: {type: integer, required: true, secret: true}
  account: {type: object, properties: {id: {type: string}, iban: {type: string, secret: true}}}
output: {given: {type: string, secret: true}}
state:
  kept: {type: string, secret: true}
graph:
  entry: {nodeId: keep, port: in}
  nodes:
    - id: keep
      type: set_variable
      input: {token: {type: string, required: true, secret: true}}
      setVariable: {assignments: [{state: kept, value: {ref: input.token}}]}
    - id: ask
      type: send_message
      output: {answer: {type: string, required: true, secret: true, maxLength: 80}}
      sendMessage: {scope: {value: desk}, text: Say it, completion: callback, thread: open, timeout: PT120S}
    - id: narrow
      type: pass
      input: {pin: {type: integer, required: true, secret: true, maximum: 5}}
      pass: {}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: broken, type: end, end: {outcome: failed, code: broken}}
  edges:
    - {id: a, source: {nodeId: keep, port: completed}, target: {nodeId: ask, port: in}, when: "plan.input.token != 'x' && plan.input.pin > 9"}
    - {id: b, source: {nodeId: keep, port: completed}, target: {nodeId: narrow, port: in}, bindings: {pin: {expr: plan.input.pin + 6}}}
    - {id: c, source: {nodeId: ask, port: completed}, target: {nodeId: done, port: in}, when: "output.answer != state.kept", bindings: {given: {ref: output.answer}}}
    - {id: d, source: {nodeId: ask, port: completed}, target: {nodeId: broken, port: in}}
    - {id: e, source: {nodeId: ask, port: timed_out}, target: {nodeId: broken, port: in}}
    - {id: f, source: {nodeId: narrow, port: completed}, target: {nodeId: done, port: in}, bindings: {}}
"""  # noqa: E501


class Told:
    """Everything that was heard, and where."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def hear(self, where: str, said: Any) -> Any:
        self.texts[where] = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
        return said

    def refused(self, where: str, act: Any, *arguments: Any) -> None:
        with pytest.raises(Refused) as refused:
            act(*arguments)
        assert 400 <= refused.value.status < 500
        self.hear(where, refused.value.problem)

    def with_any_of(self, canaries: list[str]) -> list[str]:
        return [where for where, text in self.texts.items() if any(each in text for each in canaries)]


@pytest.fixture
def local(state: Any) -> Any:
    if not state["endpoint"]:
        pytest.skip("another deployment's logs and histories are not looked at")
    return state


def client(state: Any, service: str) -> Any:
    import boto3

    return boto3.client(
        service,
        endpoint_url=state["endpoint"],
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def hear_logs(told: Told, local: Any, since: int) -> None:
    logs = client(local, "logs")
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            pages = logs.get_paginator("filter_log_events").paginate(
                logGroupName=group["logGroupName"], startTime=since
            )
            lines = "\n".join(event["message"] for page in pages for event in page["events"])
            told.hear(f"log {group['logGroupName']}", lines)
    for path in (Project(ROOT, _instance()).logs).glob("*.log"):
        told.hear(f"file {path.name}", Path(path).read_text(encoding="utf-8", errors="replace"))


def hear_histories(told: Told, local: Any, plan: str) -> None:
    engine = client(local, "stepfunctions")
    found = 0
    for machine in engine.list_state_machines()["stateMachines"]:
        if f"-{plan[:40]}-" not in machine["name"]:
            continue
        arn = machine["stateMachineArn"]
        told.hear(f"machine {machine['name']}", engine.describe_state_machine(stateMachineArn=arn))
        for each in engine.list_executions(stateMachineArn=arn)["executions"]:
            found += 1
            execution = each["executionArn"]
            told.hear(f"execution {each['name']}", engine.describe_execution(executionArn=execution))
            history = engine.get_execution_history(executionArn=execution, includeExecutionData=True, maxResults=1000)
            told.hear(f"history {each['name']}", history["events"])
    assert found == 2


def task_token(local: Any, run: str) -> str:
    """The token under which the engine waits, as it is stored."""
    pages = client(local, "dynamodb").get_paginator("scan")
    tokens = [
        value["S"]
        for page in pages.paginate(TableName=local["outputs"]["RunsTable"], ConsistentRead=True)
        for item in page["Items"]
        if run in json.dumps(item)
        for name, value in item.items()
        if "token" in name.lower() and "S" in value
    ]
    assert tokens, "no item of the run has a task token"
    return tokens[0]


def _instance() -> str:
    return os.environ.get(INSTANCE, "")


def test_nobody_is_told(api: Any, local: Any, loopstep: Any) -> None:
    tag, told, since = uuid.uuid4().hex[:16], Told(), int(time.time() * 1000) - 60_000
    run_tag = uuid.uuid4().hex
    pin = int(tag[:7], 16) + 3_000_000_000
    plan = f"canary_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{plan}", raw=PLAN.encode())
    runs = f"/plans/{plan}/runs"
    given = {"token": f"canary-{tag}", "pin": pin, "account": {"id": f"open-{run_tag}", "iban": f"iban-{tag}"}}
    told.refused("a text for a number", api.call, "POST", runs, {"input": {**given, "pin": f"canary-{tag}"}})
    told.refused("a long text", api.call, "POST", runs, {"input": {**given, "token": f"canary-{tag}" * 20}})
    told.refused("a body that is none", api.call, "POST", runs, {"input": given, "more": f"canary-{tag}"})
    told.refused("no such plan", api.call, "POST", f"/plans/no_{plan}/runs", {"input": given})

    run = told.hear("started", api.call("POST", runs, {"input": given}))["runId"]
    wait = told.hear("callback", awaited(api, run, "callbacks"))
    token = task_token(local, run)
    answer = f"/callbacks/{wait['id']}"
    told.refused("a long answer", api.call, "POST", answer, {"output": {"answer": f"canary-{tag}" * 20}})
    told.hear("answered", api.call("POST", answer, {"output": {"answer": f"answer-{tag}"}}))
    told.refused("answered twice", api.call, "POST", answer, {"output": {"answer": f"other-{tag}"}})
    whole = ended(api, run)
    assert (whole["status"], whole["output"]) == ("succeeded", {"given": f"answer-{tag}"})
    told.hear("run without its output", {**whole, "output": None})

    failing = api.call("POST", runs, {"input": {**given, "token": "x"}})["runId"]
    assert told.hear("failed run", ended(api, failing))["status"] == "failed"
    for each in (run, failing):
        for path in (f"/runs/{each}/activations", f"/messages?runId={each}", f"/callbacks?runId={each}"):
            told.hear(path, api.call("GET", path))
        shown = loopstep("show", each).stdout
        told.hear(f"shown {each}", shown.replace(f"answer-{tag}", ""))  # who reads one run is told its output
    for path in (
        f"/runs?plan={plan}",
        "/runs",
        f"/plans/{plan}",
        f"/plans/{plan}/versions/1",
        f"/plans/{plan}/versions/1/definition",
    ):
        told.hear(path, api.call("GET", path))
    told.hear("listed", loopstep("runs", "--json").stdout)

    time.sleep(1)  # for the log lines of what was asked last
    hear_logs(told, local, since)
    hear_histories(told, local, plan)
    assert any(where.startswith("log ") and run in text for where, text in told.texts.items()), "the logs are empty"
    assert told.with_any_of([tag, str(pin), local["apiKey"]]) == []
    assert "run without its output" in told.with_any_of([run_tag]), "what is no secret is shown"
    assert not [
        where for where in told.with_any_of([run_tag]) if where.startswith(("log ", "file ", "history ", "execution "))
    ]
    histories = {where for where in told.texts if where.startswith("history ")}  # the engine's own, who made the token
    assert set(told.with_any_of([token])) <= histories


ROUTES = [
    (method.upper(), path)
    for path, operations in json.loads((ROOT / "layers/loopstep/python/loopstep/api/openapi.json").read_text("utf-8"))[
        "paths"
    ].items()
    for method in operations
]


def test_without_a_key_every_route_says_the_same(api: Any, local: Any) -> None:
    """Whatever is asked for, there or not: 403, one body, and nothing is done."""
    plan = f"keyless_{uuid.uuid4().hex[:8]}"
    said: dict[tuple[int, bytes], list[str]] = {}
    ids, keys = itertools.cycle((plan, "..%2f..", "a b'\"<>")), itertools.cycle((None, "none", local["apiKey"] + "x"))
    for method, path in [*ROUTES, *ROUTES, ("GET", "/openapi.json"), ("GET", "/nothing"), ("PUT", "/plans/%00")]:
        time.sleep(1 / 25)  # other tests ask the same gateway, and it counts
        id, key = urllib.parse.quote(next(ids), safe="%"), next(keys)
        address = local["url"] + re.sub(r"\{\w+\}", id, path)
        asked = urllib.request.Request(address, PLAN.encode(), {"x-api-key": key} if key else {}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answered:
                found = (int(answered.status), b"")
        except urllib.error.HTTPError as error:
            found = (error.code, error.read())
        if found[0] != 429:
            said.setdefault(found, []).append(f"{method} {address}")
    assert len(said) == 1 and next(iter(said))[0] == 403, {key: value[:3] for key, value in said.items()}
    with pytest.raises(Refused) as refused:
        api.call("GET", f"/plans/{plan}")
    assert refused.value.status == 404
