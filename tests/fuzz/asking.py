"""Requests of the API from what a fuzz target draws: every route over a stack in moto, and what must hold of an answer.

The stack is an empty one again after every `FRESH` requests: what is put in makes later ones slower.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Sequence
from typing import Any

from loopstep.api.openapi import FILE
from tests import moto_stack
from tests.api.conftest import Answer, Api
from tests.fuzz import seeds

FRESH = 1000
ROUTES = [
    (method.upper(), path)
    for path, operations in json.loads(FILE.read_text(encoding="utf-8"))["paths"].items()
    for method in operations
]
PROBLEM = {"type", "title", "status", "code", "detail"}
RUN = "{run}"  # stands for the id of a run that is there
IDS = ("p", "q", "1", RUN, "0", "nobody", "0" * 32, "..", "%2e%2e", "a%2Fb", "é", "team/ops")
BODIES = (
    '{"input": {"x": "a"}, "version": 1, "hold": true}',
    '{"output": {"a": 1}}',
    '{"error": {"code": "no", "message": "not now"}}',
    '{"decision": "approved", "by": "a"}',
    '{"expression": "cron(0 2 * * ? *)", "timeZone": "Europe/Berlin", "input": {"x": "a"}}',
    '{"name": "Papers", "kind": "DOCUMENT"}',
    '{"documents": [{"id": "d.md", "form": "markdown", "text": "# A\\n\\nb"}]}',
    '{"name": "gone", "instructions": "Nothing.", "tools": ["list_files"]}',
    '{"files": [{"path": "a/b.txt", "size": 3}]}',
    "pattern: {source: [shop]}\ninput: {x: {ref: event.detail.x}}\n",
    *seeds.PLANS[:2],
    *seeds.CANVASES[:1],
    seeds.SKILL,
)
THERE = (
    ("PUT", "/sources/q", '{"kind": "DOCUMENT"}'),
    ("PUT", "/sources/q/documents/d.md", "# A\n\nb"),
    ("PUT", "/sources/faq", '{"kind": "DOCUMENT"}'),
    ("PUT", "/skills/p", seeds.SKILL),
    ("PUT", "/agents/p", '{"name": "p", "instructions": "Say it."}'),
    ("PUT", "/scopes/p", '{"name": "p"}'),
    ("PUT", "/plans/p/schedules/p", '{"expression": "rate(1 day)"}'),
    ("PUT", "/plans/p/triggers/p", "pattern: {source: [shop]}\n"),
)
QUERIES = ("limit", "next", "status", "plan", "runId", "scope", "node", "format", "title", "count", "wait")
QUERY_VALUES = ("1", "0", "-1", "101", "p", "pending", "running", "svg", "1e3", "null")
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_SESSION_TOKEN": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}
NOT_THESE = ("AWS_ENDPOINT_URL", "AWS_PROFILE")
HEADERS = ("Content_Type", "Idempotency_Key", "Accept")
HEADER_VALUES = ("application/json", "text/markdown", "text/csv", "a key", "*/*")


class Asked:
    """An API that is asked whatever comes."""

    def __init__(self) -> None:
        self._left, self._stack = 0, contextlib.ExitStack()

    def close(self) -> None:
        """Undo what stands for AWS."""
        self._stack.close()

    def __call__(
        self,
        route: tuple[str, str],
        ids: Sequence[str],
        body: str | None,
        query: dict[str, str],
        headers: dict[str, str],
    ) -> None:
        """Ask, and judge the answer."""
        if not self._left:
            self._begin()
        self._left -= 1
        method, path = route
        left = iter(self._run if each == RUN else each for each in ids)
        path = re.sub(r"\{\w+\}", lambda _: next(left), path)
        more: dict[str, Any] = headers
        answer = self._api(method, path, raw=body, query=query or None, **more)
        judge(answer, (method, path, body, query, headers))

    def _begin(self) -> None:
        self._stack.close()
        self._stack = contextlib.ExitStack()
        aws = self._stack.enter_context(moto_stack.empty())
        aws.sqs = _Hurried(aws.sqs)
        self._api = Api(aws)
        aws.store_version(input={"x": {"type": "string"}, "token": {"type": "string", "secret": True}})
        for method, path, body in THERE:
            self._api(method, path, raw=body)
        self._run = str(self._api("POST", "/plans/p/runs", {"hold": True}).body["runId"])
        self._left = FRESH


def judge(answer: Answer, request: Any) -> None:
    """Below 500, a refusal as a problem."""
    assert answer.status < 500, (request, answer)
    if answer.status >= 400:
        assert answer.body.keys() >= PROBLEM and answer.body["status"] == answer.status, (request, answer)
        assert answer.headers["Content-Type"] == "application/problem+json", (request, answer)


class _Hurried:
    """A queue that does not wait for messages which nobody sends."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def receive_message(self, **arguments: Any) -> Any:
        return self._client.receive_message(**arguments | {"WaitTimeSeconds": 0})


def credentials() -> None:
    """Of nobody: where no fixture gives them."""
    os.environ.update(CREDENTIALS)
    for name in NOT_THESE:
        os.environ.pop(name, None)
