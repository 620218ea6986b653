"""Whatever is asked of the API is answered below 500, a refusal as a problem (issue 5)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.api.openapi import FILE
from tests.api.conftest import Api
from tests.fuzz import inputs
from tests.fuzz.test_fuzz import SETTINGS

ROUTES = [
    (method.upper(), path)
    for path, operations in json.loads(FILE.read_text(encoding="utf-8"))["paths"].items()
    for method in operations
]
PROBLEM = {"type", "title", "status", "code", "detail"}

IDS = st.sampled_from(["p", "q", "1", "0", "nobody", "0" * 32, "..", "%2e%2e", "a%2Fb", "é", "team/ops"]) | st.text(
    max_size=8
)
STARTS = [
    '{"input": {"x": "a"}, "version": 1, "hold": true}',
    '{"output": {"a": 1}}',
    '{"decision": "approved", "by": "a"}',
]
BODIES = (
    st.none()
    | inputs.bitten([*STARTS, *inputs.PLANS[:1], *inputs.CANVASES[:1], inputs.SKILL])
    | inputs.JSON.map(lambda value: json.dumps(value))
    | inputs.words(8)
)
QUERIES = st.dictionaries(
    st.sampled_from(["limit", "next", "status", "plan", "runId", "scope", "node", "format", "title", "count"]),
    st.sampled_from(["1", "0", "-1", "101", "p", "pending", "running", "svg", "1e3", "null"]) | inputs.words(3),
    max_size=2,
)
HEADERS = st.dictionaries(
    st.sampled_from(["Content_Type", "Idempotency_Key", "Accept"]),
    st.sampled_from(["application/json", "text/markdown", "text/csv", "a key", "*/*"]) | inputs.words(2),
    max_size=2,
)


@pytest.fixture
def api(aws: Any) -> Api:
    made = Api(aws)
    aws.store_version(input={"x": {"type": "string"}, "token": {"type": "string", "secret": True}})
    made("PUT", "/sources/q", {"kind": "DOCUMENT"})
    return made


def test_whatever_is_asked(api: Api) -> None:
    @SETTINGS
    @given(st.sampled_from(ROUTES), st.lists(IDS, min_size=3, max_size=3), BODIES, QUERIES, HEADERS)
    def whatever(
        route: tuple[str, str], ids: list[str], body: str | None, query: dict[str, str], headers: dict[str, str]
    ) -> None:
        method, path = route
        left = iter(ids)
        path = re.sub(r"\{\w+\}", lambda _: next(left), path)
        answer = api(method, path, raw=body, query=query or None, **headers)
        assert answer.status < 500, (method, path, body, query, answer)
        if answer.status >= 400:
            assert answer.body.keys() >= PROBLEM and answer.body["status"] == answer.status
            assert answer.headers["Content-Type"] == "application/problem+json"

    whatever()
