"""The compiler function answers with a status and a body; no request makes it raise."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from loopstep.services import compiler_face
from loopstep.services.compiler_face import CompilerFace, Reply


def ask(aws: Any, **event: Any) -> Reply:
    return CompilerFace(aws.publisher()).answer(event)


def test_check(aws: Any) -> None:
    fine = ask(aws, action="check", document=aws.document().decode())
    assert (fine.status, fine.body) == (200, {"valid": True, "diagnostics": []})
    wrong = ask(aws, action="check", document=aws.document().decode().replace("port: completed", "port: none"))
    assert wrong.status == 200 and wrong.body["valid"] is False
    assert [each["code"] for each in wrong.body["diagnostics"] if each["severity"] == "error"]
    assert aws.plans().head("plan") is None


def test_publish(aws: Any) -> None:
    first = ask(aws, action="publish", name="greet", document=aws.document().decode())
    assert (first.status, first.body["version"], first.body["unchanged"]) == (201, 1, False)
    again = ask(
        aws,
        action="publish",
        name="greet",
        document=base64.b64encode(aws.document()).decode(),
        encoding="base64",
    )
    assert (again.status, again.body["version"], again.body["unchanged"]) == (200, 1, True)
    assert again.body["name"] == "greet"  # the path's name holds, whatever the document says


@pytest.mark.parametrize(
    ("event", "status", "code"),
    [
        ({}, 400, "request.invalid"),
        ({"action": "check"}, 400, "request.invalid"),
        ({"action": "check", "document": 1}, 400, "request.invalid"),
        ({"action": "nothing", "document": ""}, 400, "request.invalid"),
        ({"action": "publish", "document": ""}, 400, "request.invalid"),
        ({"action": "publish", "name": "no name", "document": ""}, 400, "request.invalid"),
        ({"action": "publish", "name": 1, "document": ""}, 400, "request.invalid"),
        ({"action": "check", "document": "%", "encoding": "base64"}, 400, "request.malformed"),
        ({"action": "check", "document": "\ud800"}, 400, "request.malformed"),
        ({"action": "publish", "name": "p", "document": "a" * (1024 * 1024 + 1)}, 413, "document.too_large"),
        ({"action": "publish", "name": "p", "document": "a: [" * 400}, 422, "plan.invalid"),
    ],
)
def test_refusals(aws: Any, event: dict[str, Any], status: int, code: str) -> None:
    reply = ask(aws, **event)
    assert (reply.status, reply.code, reply.body["code"]) == (status, code, code)
    assert reply.body["detail"]


def test_diagnostics_that_a_reply_cannot_carry_are_counted(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler_face, "MAX_DIAGNOSTICS", 1)
    document = aws.document().decode().replace("port: completed", "port: none").replace("scope:", "scop:")
    reply = ask(aws, action="publish", name="p", document=document)
    assert reply.status == 422
    assert len(reply.body["diagnostics"]) == 1 and reply.body["omittedDiagnostics"] >= 1
