"""Ids that nobody has and ids that nobody can have: every route says no, tells nothing of the inside, does nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from loopstep.api.openapi import FILE

ROUTES = [
    (method.upper(), path)
    for path, operations in json.loads(FILE.read_text(encoding="utf-8"))["paths"].items()
    for method in operations
    if "{" in path
]
MAKING = {"/plans/{name}", "/skills/{id}", "/agents/{id}", "/sources/{id}", "/scopes/{path}"}  # what a PUT makes
UNKNOWN = ["nobody", "0" * 32]
MALFORMED = ["a%00b", "..", "x" * 5000, "\x1b[31m", "a\nb", "é\u2028", "$.x", "{% 1 %}", "a'; --", "<script>", "\ud800"]
BODY = json.dumps(
    {"input": {}, "decision": "approved", "by": "a", "bytes": 1, "documents": [{"id": "a.md", "text": "x"}]}
)


def contents(stack: Any) -> list[Any]:
    found = [stack.dynamodb.scan(TableName=name)["Items"] for name in ("plans", "runs")]
    return [*found, stack.s3.list_objects_v2(Bucket="values").get("Contents", [])]


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda value: str(value))
def test_nothing_acts(api: Any, method: str, path: str) -> None:
    api.stack.store_version()
    before = contents(api.stack)
    answers = []
    for id in [*([] if method == "PUT" and path in MAKING else UNKNOWN), *MALFORMED]:
        answer = api(method, re.sub(r"\{\w+\}", lambda _, id=id: id, path), raw=BODY)
        answers.append((id, answer.status, answer.body))
        if (method, path) == ("GET", "/scopes/{path}") or "/files" in path or answer.status == 200:
            assert answer.status in (400, 404, 422), (id, answer)
        assert 400 <= answer.status < 500 and answer.status not in (403, 409), (id, answer)
        said = {key: value for key, value in answer.body.items() if key != "errors"}
        assert not re.search(r"Traceback|botocore|loopstep/|DynamoDB|arn:", json.dumps(said)), answer
    assert contents(api.stack) == before, answers
