"""Every plan in `plans/` with its runs: drop a document and a JSON file of the same name in, get a test.

The JSON file: `{"runs": [{"input", "status", "output"?, "errorCode"?, "activations"?: {node: count}, "messages"?:
[{"scope", "text"}], "state"?}]}`. "{run}" in a scope stands for a text of its own for each run.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from pathlib import Path

import pytest

from loopstep.cli.remote import Remote
from tests.ending import ended

PLANS = sorted((Path(__file__).parent / "plans").glob("*.yaml"))
RUNS = [
    pytest.param(plan, number, id=f"{plan.stem}-{number}")
    for plan in PLANS
    for number in range(len(json.loads(plan.with_suffix(".json").read_text())["runs"]))
]


@pytest.fixture(scope="module")
def published(api: Remote) -> dict[str, str]:
    """The names that the plans have here, by file."""
    names = {plan.stem: f"{plan.stem[:50]}_{uuid.uuid4().hex[:8]}" for plan in PLANS}
    for plan in PLANS:
        api.call("PUT", f"/plans/{names[plan.stem]}", raw=plan.read_bytes())
    return names


@pytest.mark.parametrize(("plan", "number"), RUNS)
def test_run(api: Remote, published: dict[str, str], plan: Path, number: int) -> None:
    text = plan.with_suffix(".json").read_text(encoding="utf-8").replace("{run}", uuid.uuid4().hex)
    case = json.loads(text)["runs"][number]
    run = ended(api, api.call("POST", f"/plans/{published[plan.stem]}/runs", {"input": case["input"]})["runId"])
    assert (run["status"], run["error"] and run["error"]["code"]) == (case["status"], case.get("errorCode"))
    if "output" in case:
        assert run["output"] == case["output"]
    if "activations" in case:
        seen = Counter(each["nodeId"] for each in api.items(f"/runs/{run['runId']}/activations"))
        assert {node: seen[node] for node in case["activations"]} == case["activations"]
    if "messages" in case:
        sent = [{"scope": each["scope"], "text": each["text"]} for each in api.items("/messages", runId=run["runId"])]
        assert sorted(sent, key=str) == sorted(case["messages"], key=str)
