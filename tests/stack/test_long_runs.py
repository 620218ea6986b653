"""Runs that take their time, that are stopped, and whose values fit neither an item nor a payload."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Remote
from tests.ending import ended

PAUSE = Path(__file__).parent / "plans" / "pause.yaml"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "data_flow.yaml"
LONG = json.dumps({"pause": "PT5M", "until": "2001-02-03T04:05:06Z", "team": "team/none"})


@pytest.fixture
def waiting(loopstep: Any) -> str:
    """A run that waits for five minutes."""
    done = loopstep("run", str(PAUSE), "--name", f"pause_{uuid.uuid4().hex[:8]}", "--input", LONG)
    assert done.code == 0, done.stderr
    return str(done.stdout.strip())


def test_cancel_stops_a_waiting_run_once(loopstep: Any, api: Remote, waiting: str) -> None:
    assert loopstep("cancel", waiting).code == 0
    shown = loopstep("show", waiting, "--json").data
    assert (shown["run"]["status"], shown["messages"]) == ("cancelled", [])
    assert loopstep("cancel", waiting).code in (0, 6)  # stopped stays stopped
    assert api.call("GET", f"/runs/{waiting}")["endedAt"] == shown["run"]["endedAt"]


def test_following_ends_at_the_timeout_and_leaves_the_run(loopstep: Any) -> None:
    name = f"pause_{uuid.uuid4().hex[:8]}"
    loopstep("publish", str(PAUSE), "--name", name)
    done = loopstep("run", name, "--input", LONG, "--timeout", "0.5", "--json")
    assert (done.code, done.data["status"]) == (7, "running")
    assert loopstep("cancel", done.data["runId"]).code == 0


@pytest.mark.parametrize("characters", [40_000, 300_000])
def test_a_value_of_any_size_arrives_whole(api: Remote, characters: int) -> None:
    """Over 32 KiB a value goes to the bucket, over 256 KiB it would fit into no payload of the engine."""
    name = f"large_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{name}", raw=EXAMPLE.read_bytes())
    request = "é" * characters
    started = api.call("POST", f"/plans/{name}/runs", {"input": {"request": request, "dispatch_scope": name}})
    run = ended(api, started["runId"])
    assert run["status"] == "succeeded"
    assert run["output"] == {"summary": request}


def test_runs_side_by_side_keep_to_themselves(api: Remote) -> None:
    name = f"many_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{name}", raw=EXAMPLE.read_bytes())
    given = [{"request": f"request {n}", "dispatch_scope": name} for n in range(6)]
    started = [api.call("POST", f"/plans/{name}/runs", {"input": each})["runId"] for each in given]
    runs = [ended(api, run) for run in started]
    assert [each["output"] for each in runs] == [{"summary": each["request"]} for each in given]
    sent = sorted(each["text"] for each in api.items("/messages", scope=name))
    assert sent == sorted(f"已登记请求：{each['request']}" for each in given)
