"""Every document of examples/canvas: imported, published and run to its end on the local cloud by one command.

The model is the scripted one; a mark in what the run is given tells the rules of one run from those of others.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Remote
from tests.canvas_cloud import Played, document, ended, register
from tests.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "canvas"


@pytest.fixture(scope="module", autouse=True)
def registered(api: Remote) -> None:
    """What the examples refer to."""
    for source in ("handbook", "12"):
        register(api, "source", source, {"name": f"Handbook {source}", "kind": "DOCUMENT"})
    document(api, "handbook", "money.md", "# Refunds\n\nA refund takes seven days.\n\n# Shipping\n\nOn Mondays.\n")
    document(api, "12", "tuikuan.md", "# 退款\n\n退款在七天内完成。\n")
    register(api, "skill", "general_support", "---\nname: Support\ndescription: Answers.\n---\n回答客户的问题。\n")
    register(api, "skill", "review", "---\nname: Review\ndescription: Reviews files.\ninputs: [log]\n---\nReview it.\n")
    register(
        api, "agent", "writer", "---\nname: Writer\ndescription: Writes files.\ninputs: [steps]\n---\nWrite them.\n"
    )


@pytest.fixture
def mark() -> str:
    return f"mark-{uuid.uuid4().hex[:10]}"


def run(loopstep: Any, api: Remote, example: str, given: dict[str, Any], *options: str) -> Played:
    """`loopstep run CANVAS.json`."""
    file, name = str(EXAMPLES / f"{example}.json"), f"{example}_{uuid.uuid4().hex[:8]}"
    done = loopstep("run", file, "--name", name, "--input", json.dumps(given), "--watch", "--json", *options)
    assert done.code == 0, done.stderr + done.stdout
    return ended(api, done.data["runId"])


def in_turn(models: ModelServer, mark: str, *replies: str) -> None:
    """What the model says, one answer after the other."""
    models.script(*({"anywhere": mark, "reply": each, "times": 1} for each in replies))


def by_prompt(models: ModelServer, mark: str, otherwise: str, **replies: str) -> None:
    """What the model says to each prompt, whatever comes first."""
    rules = [{"anywhere": mark, "match": match.replace("_", " "), "reply": reply} for match, reply in replies.items()]
    models.script(*rules, {"anywhere": mark, "reply": otherwise})


def test_support_triage(loopstep: Any, api: Remote, models: ModelServer, mark: str) -> None:
    in_turn(models, mark, "0", "It takes seven days.", "Seven days, dear Ada.")
    given = {"question": f"How long does a refund take? {mark}", "customer": "Ada"}
    played = run(loopstep, api, "support_triage", given)
    assert played.output["reply"] == "Seven days, dear Ada." and played.output["evidenceCount"] >= 1
    assert played.nodes["kind"]["port"] == "branch_0" and "general" not in played.nodes
    asked = json.dumps(models.log(mark)[1], ensure_ascii=False)
    assert "A refund takes seven days." in asked and "Question of" in asked


@pytest.mark.parametrize(
    ("replies", "answer", "taken"),
    [(["0", "七天"], "七天", "n_3"), (["1", "可以换"], "可以换", "n_4"), (["none", "none", "您好"], "您好", "n_5")],
)
def test_after_sales(
    loopstep: Any, api: Remote, models: ModelServer, mark: str, replies: list[str], answer: str, taken: str
) -> None:
    in_turn(models, mark, *replies)
    played = run(loopstep, api, "after_sales_zh", {"问题": f"退款要几天 {mark}", "客户名称": "王小明"})
    assert played.output.items() >= {"回复": answer, "evidenceCount": 1}.items()
    assert {"n_3", "n_4", "n_5"} & played.nodes.keys() == {taken}


def test_agent_files(loopstep: Any, api: Remote, models: ModelServer, mark: str, tmp_path: Path) -> None:
    (tmp_path / "z.md").write_text("a template")
    writing = {"name": "write_file", "arguments": {"path": "report/a.md", "text": "the report"}}
    models.script(
        {"anywhere": mark, "reply": "report/a.md", "times": 1},
        {"anywhere": mark, "toolCalls": [writing], "times": 1},
        *({"anywhere": mark, "reply": each, "times": 1} for each in ("written", "good", "all done")),
    )
    given = {"brief": f"A report {mark}", "template": "z.md"}
    played = run(loopstep, api, "agent_files", given, "--files", str(tmp_path))
    delivered = {
        "summary": "all done",
        "log": "written",
        "_workingDirFiles": ["report/a.md", "z.md"],
        "_runId": played.run["runId"],
    }
    assert played.output.items() >= delivered.items()
    assert "The first file is <data>report/a.md</data>" in models.log(mark)[-1]["messages"][-1]["content"]


def test_diamond(loopstep: Any, api: Remote, models: ModelServer, mark: str) -> None:
    by_prompt(
        models,
        mark,
        "checked facts",
        Facts_in="facts",
        is_a_complaint="0",
        Apologise_for="sorry",
        Does_the_apology="it fits",
        Write_the_letter="Dear Ada",
    )
    output = run(loopstep, api, "diamond", {"text": f"It broke. {mark}"}).output
    expected = {
        "facts": "facts",
        "apology": "sorry",
        "proof": "it fits",
        "checked": "checked facts",
        "letter": "Dear Ada",
    }
    assert output.items() >= expected.items() and "thanks" not in output


def test_extraction(loopstep: Any, api: Remote, models: ModelServer, mark: str) -> None:
    fields = {"supplier": "Lamps & Co", "amount": "1200.50", "positions": ["lamp", "bulb"], "urgent": "TRUE", "raw": {}}
    in_turn(models, mark, f"```json\n{json.dumps(fields)}\n```", "yes")
    played = run(loopstep, api, "extraction", {"mail": f"An invoice. {mark}", "limit": "2000"})
    delivered = {
        "supplier": "Lamps & Co",
        "amount": 1200.5,
        "positions": ["lamp", "bulb"],
        "urgent": "true",
        "verdict": True,
    }
    assert played.output.items() >= delivered.items()


def test_parallel_research(loopstep: Any, api: Remote, models: ModelServer, mark: str) -> None:
    by_prompt(models, mark, "the report", Name_the_figures="figures", Who_disagrees="views", Sum_up_in="digest")
    played = run(loopstep, api, "parallel_research", {"topic": f"refund {mark}", "depth": 2})
    expected = {"figures": "figures", "views": "views", "digest": "digest", "report": "the report", "depth": 2}
    assert played.output.items() >= expected.items() and played.output["evidenceCount"] >= 1


@pytest.mark.parametrize(("said", "taken"), [("0", "quote"), ("1", "reply")])
def test_two_endings(loopstep: Any, api: Remote, models: ModelServer, mark: str, said: str, taken: str) -> None:
    in_turn(models, mark, said, f"the {taken}")
    played = run(loopstep, api, "two_endings", {"request": mark})
    assert played.output["text"] == f"the {taken}" and {"quote", "reply"} & played.nodes.keys() == {taken}


def test_every_example_is_played_here() -> None:
    played = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {file.stem.removesuffix("_zh") for file in EXAMPLES.glob("*.json")} <= played


def test_a_canvas_is_said_what_it_lacks(loopstep: Any, tmp_path: Path) -> None:
    text = (EXAMPLES / "support_triage.json").read_text(encoding="utf-8").replace('"handbook"', '"handbok"', 1)
    (tmp_path / "drawn.json").write_text(text, encoding="utf-8")
    done = loopstep("run", str(tmp_path / "drawn.json"), "--input", "{}")
    assert done.code == 1 and "drawn.json:6:" in done.stderr and "registry.unknown" in done.stderr
