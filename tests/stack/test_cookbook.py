"""The recipes of docs/cookbook, each run for real: the files of examples/cookbook on the local cloud.

The model is the scripted one, decisions and answers are given by the command, schedules and events fire, what failed is
redriven. A mark in what a run is given tells its rules from those of other tests.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.remote import Remote
from tests.canvas_cloud import Played, document, ended, register
from tests.ending import awaited
from tests.model_server import ModelServer
from tests.stack.conftest import Command

Json = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples" / "cookbook"
REFUNDS = "# Refunds\n\nA refund takes seven days.\n"


@pytest.fixture
def mark() -> str:
    return f"mark-{uuid.uuid4().hex[:10]}"


@pytest.fixture(scope="module")
def handbook(api: Remote) -> None:
    """The source that two recipes ask."""
    register(api, "source", "handbook", {"name": "Handbook handbook", "kind": "DOCUMENT"})
    document(api, "handbook", "cookbook.md", REFUNDS)


def published(loopstep: Command, recipe: str) -> str:
    """The recipe's plan under a name of its own."""
    name = f"{recipe[:40]}_{uuid.uuid4().hex[:8]}"
    done = loopstep("publish", str(RECIPES / f"{recipe}.yaml"), "--name", name)
    assert done.code == 0, done.stderr
    return name


def started(loopstep: Command, recipe: str, given: Json, *options: str) -> str:
    """A run of the recipe that is still under way, or over."""
    name = published(loopstep, recipe)
    done = loopstep("run", name, "--input", json.dumps(given), "--json", *options)
    assert done.code == 0, done.stderr + done.stdout
    run: str = done.data["runId"]
    return run


def played(loopstep: Command, api: Remote, recipe: str, given: Json, *options: str) -> Played:
    return ended(api, started(loopstep, recipe, given, *options))


def until(found: Callable[[], Any], seconds: float = 120) -> Any:
    """What `found` gives, as soon as it gives something."""
    end = time.monotonic() + seconds
    while not (result := found()) and time.monotonic() < end:
        time.sleep(0.3)
    return result


# -- people -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "decisions", "output"),
    [
        (40, ["approve"], {"decision": "approved", "decidedBy": "lea", "comment": "fine 1"}),
        (4000, ["approve", "approve"], {"decision": "approved", "decidedBy": "lea", "comment": "fine 2"}),
        (4000, ["approve", "reject"], {"decision": "rejected", "decidedBy": "lea", "comment": "fine 2"}),
    ],
)
def test_approval_chain(
    loopstep: Command, api: Remote, mark: str, amount: int, decisions: list[str], output: Json
) -> None:
    given = {"who": "Ada", "purpose": "a lamp", "amount": amount, "lead": f"{mark}/lead", "finance": f"{mark}/finance"}
    run, asked = started(loopstep, "approval_chain", given), []
    for number, decision in enumerate(decisions, 1):
        wait = awaited(api, run, known=[each["id"] for each in asked])
        asked.append(wait)
        assert loopstep(decision, wait["id"], "--by", "lea", "--comment", f"fine {number}").code == 0
    assert ended(api, run).output == output
    assert [each["scope"] for each in asked] == [f"{mark}/lead", f"{mark}/finance"][: len(decisions)]
    if len(decisions) == 2:
        assert asked[1]["summary"] == "Ada: 4000 for a lamp. lea agreed."


def test_human_fallback(loopstep: Command, api: Remote, mark: str) -> None:
    given = {"parcel": "P-1", "carrier": f"{mark}/carrier", "desk": f"{mark}/desk"}
    silent, quick = started(loopstep, "human_fallback", given), started(loopstep, "human_fallback", given)
    answer = '{"arrives": "2030-01-01T08:00:00Z"}'
    loopstep("callback", "succeed", awaited(api, quick, "callbacks")["id"], "--output", answer)
    assert ended(api, quick).output == {"arrives": "2030-01-01T08:00:00Z", "saidBy": "carrier"}
    first = awaited(api, silent, "callbacks")
    wait = first if first["scope"] == f"{mark}/desk" else awaited(api, silent, "callbacks", [first["id"]])
    assert wait["text"] == "Please find out when P-1 arrives: the carrier does not answer."
    assert loopstep("callback", "succeed", wait["id"], "--output", answer).code == 0
    assert ended(api, silent).output == {"arrives": "2030-01-01T08:00:00Z", "saidBy": "desk"}


# -- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("handbook")
@pytest.mark.parametrize(("cited", "code"), [(None, None), ("handbook/made-up.md#0", "citation_unknown")])
def test_retrieval_answer(
    loopstep: Command, api: Remote, models: ModelServer, mark: str, cited: str | None, code: str | None
) -> None:
    id = cited or "handbook/cookbook.md#0"
    models.script({"anywhere": mark, "reply": json.dumps({"answer": "Seven days.", "citations": [id]})})
    done = played(loopstep, api, "retrieval_answer", {"question": f"How long does a refund take? {mark}"})
    assert (done.run["error"] or {}).get("code") == code
    assert done.run["output"] == (None if code else {"answer": "Seven days.", "citations": [id]})
    (asked,) = models.log(mark)
    assert "handbook/cookbook.md#0" in json.dumps(asked) and "A refund takes seven days." in json.dumps(asked)


def test_fan_out_scoring(loopstep: Command, api: Remote, models: ModelServer, mark: str) -> None:
    score = {"score": 80, "why": "cheap"}
    models.script(
        {"anywhere": f"{mark} a", "reply": json.dumps(score)},
        {"anywhere": f"{mark} b", "reply": "no idea"},
        {"anywhere": f"{mark} c", "reply": json.dumps(score | {"score": 20})},
    )
    candidates = [{"id": each, "text": f"{mark} {each}"} for each in "abc"]
    output = played(loopstep, api, "fan_out_scoring", {"criterion": "price", "candidates": candidates}).output
    assert output["scores"][0] == {"id": "a", **score} and output["scores"][2] == {
        "id": "c",
        "score": 20,
        "why": "cheap",
    }
    assert output["scores"][1].keys() == {"id", "why"} and output["scores"][1]["id"] == "b"


@pytest.mark.parametrize(("beaten", "winner"), [("amazon.nova-pro-v1:0", "small"), ("amazon.nova-lite-v1:0", "large")])
def test_race(loopstep: Command, api: Remote, models: ModelServer, mark: str, beaten: str, winner: str) -> None:
    models.script({"anywhere": mark, "model": beaten, "status": 400}, {"anywhere": mark, "reply": "Forty-two."})
    done = played(loopstep, api, "race", {"question": f"What is it? {mark}"})
    assert done.output == {"answer": "Forty-two.", "by": winner}


def test_good_enough(loopstep: Command, api: Remote, models: ModelServer, mark: str) -> None:
    turns = [("short", 3), ("better", 6), ("best", 9)]
    for text, score in reversed(turns):
        verdict = json.dumps({"score": score, "advice": "more"})
        models.script({"match": "You write short", "anywhere": mark, "reply": text, "times": 1})
        models.script({"match": "You judge texts", "anywhere": mark, "reply": verdict, "times": 1})
    done = played(loopstep, api, "good_enough", {"task": mark})
    assert done.output == {"text": "best", "score": 9, "good": True}
    models.script({"match": "You write short", "anywhere": f"{mark} 2", "reply": "poor"})
    models.script({"match": "You judge texts", "anywhere": f"{mark} 2", "reply": '{"score": 2, "advice": "more"}'})
    worn = played(loopstep, api, "good_enough", {"task": f"{mark} 2"})
    assert worn.output == {"text": "poor", "score": 2, "good": False}
    assert "Round 4 of 4" in json.dumps(models.log(f"{mark} 2")[-2])


def test_nested_fan_out(loopstep: Command, api: Remote, models: ModelServer, mark: str) -> None:
    suppliers = [{"name": name, "profile": f"{mark} {name}"} for name in ("Lamps", "Bulbs")]
    models.script(
        *(
            {"match": f"<data>Q{number}?</data>\nProfile: <data>{mark} {name}", "reply": f"{name} {number}"}
            for name in ("Lamps", "Bulbs")
            for number in (1, 2)
        )
    )
    output = played(loopstep, api, "nested_fan_out", {"suppliers": suppliers, "questions": ["Q1?", "Q2?"]}).output
    assert output["sheets"] == [
        {"supplier": name, "answers": [f"{name} 1", f"{name} 2"]} for name in ("Lamps", "Bulbs")
    ]


def test_canvas_import(loopstep: Command, api: Remote, models: ModelServer, mark: str) -> None:
    drawing = RECIPES / "canvas_import.canvas.json"
    kept = (RECIPES / "canvas_import.yaml").read_text(encoding="utf-8")
    assert kept.partition("apiVersion")[2] == loopstep("import", str(drawing)).stdout.partition("apiVersion")[2]
    models.script(
        {"anywhere": mark, "match": "You list facts", "reply": "three facts"},
        {"anywhere": mark, "match": "You name moods", "reply": "sunny"},
        {"anywhere": mark, "match": "You write newsletters", "reply": "The shop moves."},
    )
    done = played(loopstep, api, "canvas_import", {"topic": mark, "length": 80})
    assert done.output.items() >= {"text": "The shop moves.", "mood": "sunny"}.items()
    assert "in at most <data>80</data> words" in json.dumps(models.log(mark)[-1])


def test_redrive(loopstep: Command, api: Remote, models: ModelServer, mark: str) -> None:
    names = ("Ada", "Bo", "Cy")
    models.script({"anywhere": f"{mark} Bo", "status": 429}, {"anywhere": mark, "reply": f"A letter {mark}"})
    customers = [{"name": f"{mark} {name}", "scope": f"{mark}/{name}"} for name in names]
    run = started(loopstep, "redrive", {"customers": customers})
    failed = ended(api, run).run
    assert (failed["status"], failed["error"]["code"]) == ("failed", "model.unavailable")
    before = len([each for each in models.log(mark) if f"{mark} Bo" not in json.dumps(each)])
    models.script({"anywhere": f"{mark} Bo", "reply": f"A letter {mark}"})
    assert loopstep("redrive", run, "--watch").code == 0
    done = ended(api, run)
    assert done.output == {"sent": 3}
    sent = sorted(each["scope"] for each in api.items("/messages", runId=run))
    assert sent == [f"{mark}/{name}" for name in names]
    others = [each for each in models.log(mark) if f"{mark} Bo" not in json.dumps(each)]
    assert len(others) == max(before, 2), "nobody was written to twice"


def test_large_documents(loopstep: Command, api: Remote, models: ModelServer, mark: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A line about lamps.\n" * 40_000)  # 800 KB
    (tmp_path / "b.md").write_text("Eine Zeile über Lampen.\n" * 40_000)  # 960 KB
    for file in ("a.md", "b.md"):
        reading = {"name": "read_file", "arguments": {"path": file}}
        more = {"name": "read_file", "arguments": {"path": file, "start": 19_800}}
        prompt = f"Read <data>{file}</data>"
        models.script(
            {"match": prompt, "anywhere": mark, "toolCalls": [reading], "times": 1},
            {"anywhere": f"{file}</data> and note what it says about: <data>{mark}", "toolCalls": [more], "times": 1},
            {"anywhere": f"{file}</data> and note what it says about: <data>{mark}", "reply": f"notes of {file}"},
        )
    models.script({"match": "You write one short report", "anywhere": mark, "reply": "the report"})
    done = played(loopstep, api, "large_documents", {"question": mark}, "--files", str(tmp_path))
    assert done.output == {"report": "the report", "files": ["a.md", "b.md"]}
    assert [each["outcome"] for each in done.usage("read")["toolCalls"]] == ["done", "done"]
    asked = json.dumps(models.log(mark)[-1])
    assert "notes of a.md" in asked and "notes of b.md" in asked


# -- what starts by itself --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("handbook")
def test_nightly(loopstep: Command, api: Remote, models: ModelServer, mark: str) -> None:
    models.script({"anywhere": mark, "reply": f"five lines {mark}"})
    plan = published(loopstep, "nightly")
    given = json.dumps({"topic": f"refund {mark}", "desk": f"{mark}/desk"})
    nightly = ["cron(30 2 * * ? *)", "--time-zone", "Europe/Berlin", "--input", given]
    assert loopstep("schedules", "put", plan, "nightly", *nightly).stdout.startswith("nightly: next ")
    soon = f"at({datetime.now(UTC) + timedelta(seconds=2):%Y-%m-%dT%H:%M:%S})"
    loopstep("schedules", "put", plan, "tonight", soon, "--input", given, "--delete-after-completion")
    (run,) = until(lambda: list(api.items("/runs", plan=plan)))
    output = ended(api, run["runId"]).output
    assert output["digest"] == f"five lines {mark}" and output["passages"] >= 1  # other tests have documents there too
    (message,) = api.items("/messages", runId=run["runId"])
    assert message["scope"] == f"{mark}/desk" and message["text"].endswith(f"five lines {mark}")
    assert loopstep("schedules", "remove", plan, "nightly").code == 0


def test_triage(
    loopstep: Command, state: cloud.State, api: Remote, models: ModelServer, mark: str, tmp_path: Path
) -> None:
    boto3 = pytest.importorskip("boto3")
    trigger = (RECIPES / "triage.trigger.yaml").read_text(encoding="utf-8").replace("[helpdesk]", f"[{mark}]")
    (tmp_path / "trigger.yaml").write_text(trigger, encoding="utf-8")
    models.script({"anywhere": f"{mark} down", "reply": "0"}, {"anywhere": f"{mark} bill", "reply": "1"})
    models.script({"anywhere": f"{mark} lost", "status": 400})
    plan = published(loopstep, "triage")
    assert loopstep("triggers", "put", plan, "tickets", str(tmp_path / "trigger.yaml")).code == 0
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    events = boto3.client("events", endpoint_url=state["endpoint"], region_name="us-east-1", **keys)
    tickets = [{"id": each, "text": f"{mark} {each}"} for each in ("down", "bill", "lost")]
    entry = {"Source": mark, "DetailType": "ticket.opened", "EventBusName": state["outputs"]["EventBus"]}
    events.put_events(Entries=[{**entry, "Detail": json.dumps(ticket)} for ticket in tickets])
    runs = until(lambda: found if len(found := list(api.items("/runs", plan=plan))) == 3 else None)
    done = [ended(api, run["runId"]).run for run in runs]
    assert {run["input"]["ticket"]: run["output"]["class"] for run in done} == {
        "down": "outage",
        "bill": "money",
        "lost": "other",
    }
    told = {each["text"]: each["scope"] for run in done for each in api.items("/messages", runId=run["runId"])}
    assert told == {
        f"NOW: down: {mark} down": "team/on-call",
        "money: bill": "team/support",
        "other: lost": "team/support",
    }
    assert loopstep("triggers", "remove", plan, "tickets").code == 0


def test_every_recipe_is_run_here() -> None:
    here = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    recipes = {file.stem for file in RECIPES.glob("*.yaml") if "." not in file.stem}
    assert recipes <= here and len(recipes) == 12
