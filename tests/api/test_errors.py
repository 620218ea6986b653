"""Every error is a problem (RFC 9457) with a stable code, and tells nothing of the inside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from loopstep.gateways.answer_time import TimeIsUp
from loopstep.gateways.functions import FunctionFailed
from loopstep.runs.errors import Contended

PROBLEM = {"type", "title", "status", "code", "detail"}


@pytest.mark.parametrize("path", ["/", "/nothing", "/plans/p/nothing", "/runs/a/b/c", "/plans//runs"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_unknown_routes(api: Any, method: str, path: str) -> None:
    answer = api(method, path)
    assert (answer.status, answer.body["code"]) == (404, "route.unknown")
    assert answer.body.keys() == PROBLEM
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("DELETE", "/plans/p", "GET, PUT"), ("PUT", "/runs/r", "GET"), ("GET", "/runs/r/cancel", "POST")],
)
def test_methods_that_a_route_does_not_take(api: Any, method: str, path: str, allowed: str) -> None:
    answer = api(method, path)
    assert (answer.status, answer.body["code"], answer.headers["Allow"]) == (405, "route.method", allowed)


def in_trouble(status: int) -> ClientError:
    answer: Any = {"Error": {"Code": "Whatever", "Message": "canary"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "Query")


def throttled() -> ClientError:
    return ClientError({"Error": {"Code": "ThrottlingException", "Message": "canary"}}, "Query")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (RuntimeError("canary"), 500, "internal"),
        (ClientError({"Error": {"Code": "AccessDeniedException", "Message": "canary"}}, "Query"), 500, "internal"),
        (in_trouble(400), 500, "internal"),
        (in_trouble(500), 503, "service.busy"),
        (throttled(), 503, "service.busy"),
        (ReadTimeoutError(endpoint_url="canary"), 503, "service.busy"),
        (EndpointConnectionError(endpoint_url="canary"), 503, "service.busy"),
        (ConnectionClosedError(endpoint_url="canary"), 503, "service.busy"),
        (TimeIsUp(service="canary"), 503, "service.busy"),
        (Contended("canary"), 503, "service.busy"),
    ],
)
def test_faults_of_ours_tell_nothing(
    api: Any, error: Exception, status: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr("loopstep.services.read_run.get_run", fails)
    answer = api("GET", "/runs/" + "0" * 32)
    assert (answer.status, answer.body["code"]) == (status, code)
    assert answer.body.keys() == PROBLEM
    assert "canary" not in json.dumps(answer.body) + api.log.getvalue()
    if code == "internal":
        assert type(error).__name__ in api.log.getvalue()


def test_a_compiler_that_fails(api: Any) -> None:
    api.reply = FunctionFailed("compile: canary")
    answer = api("PUT", "/plans/p", raw="x")
    assert (answer.status, answer.body["code"]) == (502, "compiler.failed")
    assert "canary" not in json.dumps(answer.body)


def test_no_origin_may_call_unless_one_is_named(api: Any) -> None:
    answer = api("GET", "/plans", Origin="https://elsewhere.example")
    assert not any(name.lower().startswith("access-control") for name in answer.headers)


def test_the_named_origin_may_call(api: Any) -> None:
    open_api = type(api)(api.stack, origin="https://console.example")
    preflight = open_api("OPTIONS", "/plans", Origin="https://console.example")
    assert preflight.status == 204
    assert preflight.headers["Access-Control-Allow-Origin"] == "https://console.example"
    assert "Idempotency-Key" in preflight.headers["Access-Control-Allow-Headers"]
    other = open_api("GET", "/nothing", Origin="https://elsewhere.example")
    assert "Access-Control-Allow-Origin" not in other.headers


def test_openapi_is_served_and_up_to_date(api: Any) -> None:
    from loopstep.api.generate import openapi_text
    from loopstep.api.openapi import FILE

    assert FILE.read_text(encoding="utf-8") == openapi_text(), "run `python -m loopstep.api.generate`"
    served = api("GET", "/openapi.json")
    assert served.status == 200 and served.body == json.loads(openapi_text())
    assert served.body["openapi"].startswith("3.1")
