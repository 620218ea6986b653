"""Keys with roles on the deployed local cloud: every route answers as the table says; what is repeated is done once."""

from __future__ import annotations

import concurrent.futures
import json
import re
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from loopstep.access.roles import ROLES
from loopstep.api.access import needed
from loopstep.api.callers import fingerprint
from loopstep.cli.remote import Refused, Remote
from tests.house.modules import ROOT

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
graph:
  entry: {nodeId: ask, port: in}
  nodes:
    - {id: ask, type: request_approval, requestApproval: {scope: {value: desk}, summary: Go?, timeout: PT120S}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: no, type: end, end: {outcome: failed, code: refused}}
  edges:
    - {id: a, source: {nodeId: ask, port: approved}, target: {nodeId: done, port: in}}
    - {id: b, source: {nodeId: ask, port: rejected}, target: {nodeId: no, port: in}}
    - {id: c, source: {nodeId: ask, port: timed_out}, target: {nodeId: no, port: in}}
"""
OPENAPI = json.loads((ROOT / "layers/loopstep/python/loopstep/api/openapi.json").read_text("utf-8"))
ROUTES = [(method.upper(), path) for path, item in OPENAPI["paths"].items() for method in item]


@pytest.fixture(scope="module")
def keys(api: Any, state: Any) -> Iterator[dict[str, str]]:
    """The values of a key for each role, made as an operator makes them."""
    if not state["endpoint"]:
        pytest.skip("another deployment's gateway is left alone")
    import boto3

    access = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    gateway = boto3.client("apigateway", endpoint_url=state["endpoint"], **access)
    made: dict[str, Any] = {}
    for role in ROLES:
        made[role] = gateway.create_api_key(name=f"{role}-{uuid.uuid4().hex[:8]}", enabled=True)
        gateway.create_usage_plan_key(
            usagePlanId=state["outputs"]["UsagePlanId"], keyId=made[role]["id"], keyType="API_KEY"
        )
        api.call("PUT", f"/keys/{fingerprint(made[role]['value'])}", {"name": f"a {role}", "roles": [role]})
    yield {role: key["value"] for role, key in made.items()}
    for key in made.values():
        api.call("DELETE", f"/keys/{fingerprint(key['value'])}")
        gateway.delete_api_key(apiKey=key["id"])


def ask(
    state: Any, key: str, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, Any, Any]:
    """Status, body and headers; once more where the gateway counts too many."""
    for _ in range(40):
        sent = {"x-api-key": key, **{name.replace("_", "-"): value for name, value in headers.items()}}
        request = urllib.request.Request(state["url"] + path, body, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null"), answer.headers
        except urllib.error.HTTPError as error:
            if error.code != 429:
                return error.code, json.loads(error.read() or b"null"), error.headers
        time.sleep(0.25)
    raise AssertionError("the gateway was too busy")


def test_every_route_and_every_role(state: Any, keys: Any) -> None:
    """Who may is told what there is; who may not is told the same of everything. No body fits, so nothing is done."""
    wrong = []
    for method, path in ROUTES:
        rule = re.sub(r"\{(\w+)\}", r"<\1>", path)
        roles = needed(method, rule)
        assert roles is not None, "what is described asks for a key"
        said = set()
        for role, key in keys.items():
            address = re.sub(r"\{\w+\}", "nobody", path)
            status, body, _ = ask(state, key, method, address, None if method == "GET" else b"[")
            denied = status == 403 and body["code"] == "access.denied"
            may = role == "admin" or not roles or role in roles
            if denied == may:
                wrong.append((method, path, role, status, body))
            if denied:
                said.add(json.dumps(body))
        assert len(said) <= 1
    assert wrong == []


def test_who_one_is(state: Any, keys: Any, loopstep: Any) -> None:
    status, me, _ = ask(state, keys["approver"], "GET", "/me")
    assert (status, me["name"], me["roles"]) == (200, "a approver", ["approver"])
    assert keys["approver"] not in json.dumps(me)
    listed = loopstep("keys", "list", "--json").data["items"]
    assert me["id"] in [each["id"] for each in listed]


def test_records_say_who(api: Any, state: Any, keys: Any) -> None:
    plan = f"who_{uuid.uuid4().hex[:8]}"
    author, operator, approver = (Remote(state["url"], keys[role]) for role in ("author", "operator", "approver"))
    author.call("PUT", f"/plans/{plan}", raw=PLAN.encode())
    assert api.call("GET", f"/plans/{plan}/versions/1")["publishedBy"]["name"] == "a author"
    run = operator.call("POST", f"/plans/{plan}/runs", {})["runId"]
    with pytest.raises(Refused) as refused:
        approver.call("POST", f"/runs/{run}/cancel")
    assert (refused.value.status, refused.value.problem["needs"]) == (403, ["operator"])
    waits = []
    while not waits:
        waits = api.call("GET", f"/approvals?runId={run}&status=pending")["items"]
    decided = approver.call("POST", f"/approvals/{waits[0]['id']}", {"decision": "approved", "by": "ada"})
    assert (decided["decidedBy"], decided["claimed"], decided["answeredBy"]["name"]) == ("ada", True, "a approver")
    assert api.call("GET", f"/runs/{run}")["startedBy"]["name"] == "a operator"


def test_one_request_many_times(api: Any, state: Any) -> None:
    """Twelve at once: one decides; the others wait for its answer, and get it."""
    plan = f"once_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{plan}", raw=PLAN.encode())
    run = api.call("POST", f"/plans/{plan}/runs", {})["runId"]
    waits = []
    while not waits:
        waits = api.call("GET", f"/approvals?runId={run}&status=pending")["items"]
    path, key = f"/approvals/{waits[0]['id']}", uuid.uuid4().hex
    body = json.dumps({"decision": "approved", "by": "ada"}).encode()

    def decide(_: int) -> tuple[int, str, bool]:
        while True:
            status, said, headers = ask(state, state["apiKey"], "POST", path, body, Idempotency_Key=key)
            if said.get("code") != "idempotency.in_progress":
                return status, json.dumps(said, sort_keys=True), "Idempotent-Replayed" in headers
            time.sleep(0.1)

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(decide, range(12)))
    assert {(status, said) for status, said, _ in answers} == {(200, answers[0][1])}
    assert [again for _, _, again in answers].count(False) == 1
    other = json.dumps({"decision": "rejected", "by": "ada"}).encode()
    status, said, _ = ask(state, state["apiKey"], "POST", path, other, Idempotency_Key=key)
    assert (status, said["code"]) == (409, "idempotency.conflict")
    status, said, _ = ask(state, state["apiKey"], "POST", path, body)
    assert (status, said["code"]) == (409, "approval.decided")
