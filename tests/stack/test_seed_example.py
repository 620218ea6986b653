"""The seed's example, from the file to the message: publish, run, show."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "data_flow.yaml"
REQUEST = "Order 17 {{ not a template }} $.x {% $states %}, 送到上海 🚚"


@pytest.fixture(scope="module")
def scope() -> str:
    return f"team/{uuid.uuid4().hex}"


@pytest.fixture(scope="module")
def plan(loopstep: Any) -> str:
    done = loopstep("publish", str(EXAMPLE), "--name", f"data_flow_{uuid.uuid4().hex[:8]}", "--json")
    assert done.code == 0, done.stderr
    return str(done.data["name"])


@pytest.fixture(scope="module")
def run(loopstep: Any, plan: str, scope: str) -> Any:
    given = {"request": REQUEST, "dispatch_scope": scope}
    done = loopstep("run", plan, "--input", json.dumps(given), "--watch", "--json")
    assert done.code == 0, done.stderr
    return done.data


def test_the_run_succeeds_with_its_output(run: Any) -> None:
    assert (run["status"], run["output"], run["error"]) == ("succeeded", {"summary": REQUEST}, None)


def test_the_message_is_sent_once(loopstep: Any, run: Any, scope: str) -> None:
    messages = loopstep("messages", "--scope", scope, "--json").data["items"]
    assert [(each["text"], each["runId"]) for each in messages] == [(f"已登记请求：{REQUEST}", run["runId"])]


def test_one_activation_a_node_with_the_edge_it_left_through(loopstep: Any, run: Any) -> None:
    shown = loopstep("show", run["runId"], "--json").data
    left = [(each["nodeId"], each["status"], each["port"], each["edge"]) for each in shown["activations"]]
    assert sorted(left)[:2] == [
        ("normalize", "completed", "completed", "normalized"),
        ("notify", "completed", "completed", "notified"),
    ]
    assert len(left) == 3


def test_show_for_people(loopstep: Any, run: Any) -> None:
    shown = loopstep("show", run["runId"])
    assert shown.code == 0
    assert "\x1b" not in shown.stdout
    for expected in (run["runId"], "succeeded", "normalize", "completed → normalized", "已登记请求"):
        assert expected in shown.stdout


def test_the_same_document_is_no_new_version(loopstep: Any, plan: str) -> None:
    again = loopstep("publish", str(EXAMPLE), "--name", plan, "--json").data
    assert (again["version"], again["unchanged"]) == (1, True)


def test_lists(loopstep: Any, plan: str, run: Any) -> None:
    assert run["runId"] in [each["runId"] for each in loopstep("runs", "--plan", plan, "--json").data["items"]]
    assert plan in loopstep("plans", "--limit", "1000").stdout


def test_an_ended_run_cannot_be_cancelled(loopstep: Any, run: Any) -> None:
    assert loopstep("cancel", run["runId"]).code == 6


def test_what_is_not_there(loopstep: Any) -> None:
    assert loopstep("show", "nobody").code == 5
    assert loopstep("run", "no_such_plan").code == 5


def test_a_bad_input_is_refused_whole(loopstep: Any, plan: str) -> None:
    done = loopstep("run", plan, "--input", '{"request": 7, "more": true}', "--json")
    assert done.code == 1
    assert done.data["code"] == "input.invalid"
    assert {each["path"] for each in done.data["errors"]} == {"/request", "/dispatch_scope", "/more"}


def test_the_same_key_starts_the_same_run(loopstep: Any, plan: str, scope: str) -> None:
    given = ["run", plan, "--input", f'{{"request": "once", "dispatch_scope": "{scope}-once"}}', "--idempotency-key"]
    key = uuid.uuid4().hex
    first, second = loopstep(*given, key), loopstep(*given, key)
    assert (first.code, second.stdout) == (0, first.stdout)
    other = loopstep(
        "run", plan, "--input", f'{{"request": "x", "dispatch_scope": "{scope}"}}', "--idempotency-key", key
    )
    assert other.code == 6


def test_a_wrong_key_is_not_allowed(loopstep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loopstep._environment, "LOOPSTEP_API_KEY", "wrong")
    assert loopstep("plans").code == 4


def test_a_plan_with_errors_is_not_published(loopstep: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(EXAMPLE.read_text(encoding="utf-8").replace("ref: input.request", "ref: input.reqest"))
    done = loopstep("publish", str(broken), "--json")
    assert done.code == 1
    assert [each["code"] for each in done.data["diagnostics"]] == ["reference.unknown_field"]
