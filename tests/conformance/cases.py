"""One run of a case, through the REST API: what is wrong with it, as sentences.

A case is `{"input", "status", "output"?, "errorCode"?, "activations"?: {node: count}, "messages"?: [{"scope", "text"}],
"steps"?}`, or `{"input", "rejected": [pointer, …]}` for an input that is refused. A step answers the open wait:
`{"approval": …}` or `{"callback": …}`, with `"expectStatus"` (200) and `"next": true` for another wait than before.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

from loopstep.cli.remote import Refused, Remote
from loopstep.types.text import json_equal
from tests.ending import awaited, ended

Case = dict[str, Any]


def publish(api: Remote, stem: str, document: bytes) -> str:
    """The name under which the plan was published."""
    name = f"{stem[:50]}_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{name}", raw=document)
    return name


def faults(api: Remote, name: str, case: Case) -> list[str]:
    """Run it; empty where everything is as expected."""
    try:
        run = api.call("POST", f"/plans/{name}/runs", {"input": case["input"]})["runId"]
    except Refused as refused:
        paths = {each["path"] for each in refused.problem.get("errors", ())}
        right = refused.problem.get("code") == "input.invalid" and set(case.get("rejected", ("?",))) <= paths
        return [] if right else [f"refused: {refused.problem}"]
    if "rejected" in case:
        return ["the input was taken"]
    return [*_answered(api, run, case.get("steps", ())), *_compared(api, ended(api, run), case)]


def _answered(api: Remote, run: str, steps: Any) -> Iterator[str]:
    waits: dict[str, str] = {}
    used: set[str] = set()
    for step in steps:
        kind = "approval" if "approval" in step else "callback"
        if kind not in waits or step.get("next"):
            waits[kind] = awaited(api, run, f"{kind}s", used)["id"]
            used.add(waits[kind])
        status = 200
        try:
            api.call("POST", f"/{kind}s/{waits[kind]}", step[kind])
        except Refused as refused:
            status = refused.status
        if status != step.get("expectStatus", 200):
            yield f"{kind} {step[kind]} was answered {status}"


def _compared(api: Remote, run: Case, case: Case) -> Iterator[str]:
    code = run["error"]["code"] if run.get("error") else None
    if (run["status"], code) != (case["status"], case.get("errorCode")):
        yield f"it {run['status']} with {run.get('error')}"
    if "output" in case and not json_equal(run["output"], case["output"]):
        yield f"its output is {str(run['output'])[:300]}"
    if "activations" in case:
        counted = Counter(each["nodeId"] for each in api.items(f"/runs/{run['runId']}/activations"))
        found = {node: counted[node] for node in case["activations"]}
        if found != case["activations"]:
            yield f"it has the activations {found}"
    if "messages" in case:
        sent = [{"scope": each["scope"], "text": each["text"]} for each in api.items("/messages", runId=run["runId"])]
        if sorted(sent, key=str) != sorted(case["messages"], key=str):
            yield f"it sent {sent}"
