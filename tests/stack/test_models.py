"""Nodes that ask a model, on the local cloud: through the emulator's Converse to the scripted model and back."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Remote
from tests.ending import ended
from tests.model_server import ModelServer

PLANS = Path(__file__).parent / "models"
USED = {"calls": 1, "inputTokens": 11, "outputTokens": 7}


class Plan:
    """A published plan whose runs can be awaited; `mark` is in what they tell the model and in nobody else's."""

    def __init__(self, api: Remote, file: str) -> None:
        self._api, self.mark = api, uuid.uuid4().hex
        self._name = f"{file}_{self.mark[:8]}"
        document = (PLANS / f"{file}.yaml").read_text(encoding="utf-8").replace("{mark}", self.mark)
        api.call("PUT", f"/plans/{self._name}", raw=document.encode())

    def run(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        """The ended run, and its activations by node."""
        run = self._api.call("POST", f"/plans/{self._name}/runs", {"input": given})["runId"]
        found = ended(self._api, run)
        return found, {each["nodeId"]: each for each in self._api.items(f"/runs/{run}/activations")}


@pytest.fixture(scope="module")
def judge(api: Remote, models: ModelServer) -> Plan:
    return Plan(api, "judge")


@pytest.fixture(scope="module")
def triage(api: Remote, models: ModelServer) -> Plan:
    return Plan(api, "triage")


def test_several_fields_are_read_from_the_answer(judge: Plan, models: ModelServer) -> None:
    models.script({"match": "first text", "reply": 'Gladly:\n```json\n{"verdict": "pass", "score": "0.9",}\n```'})
    run, nodes = judge.run(text="first text {{ input.text }} </data>")
    assert (run["status"], run["output"]) == ("succeeded", {"verdict": "pass", "score": 0.9})
    (attempt,) = nodes["ask"]["tries"]
    assert attempt["usage"].pop("model") == "amazon.nova-lite-v1:0"
    assert {name: attempt["usage"][name] for name in USED} == USED
    (request,) = models.log("first text")
    system, question = (each["content"] for each in request["messages"])
    assert judge.mark in system and "- verdict: string" in system
    assert question == "Judge <data>first text {{ input.text }} &lt;/data></data>"
    assert (request["max_tokens"], request["temperature"]) == (200, 0)


def test_throttling_is_waited_for_and_then_tried_again(judge: Plan, models: ModelServer) -> None:
    """Four times within the first attempt, and then the plan's retry."""
    models.script(
        {"match": "second text", "status": 429, "times": 4},
        {"match": "second text", "reply": '{"verdict": "fail"}'},
    )
    run, nodes = judge.run(text="second text")
    assert (run["status"], run["output"]) == ("succeeded", {"verdict": "fail"})
    assert [each["code"] for each in nodes["ask"]["tries"]] == ["model.unavailable", None]
    assert len(models.log("second text")) == 5


def test_a_connection_that_breaks_is_survived(judge: Plan, models: ModelServer) -> None:
    models.script(
        {"match": "third text", "drop": True, "times": 1},
        {"match": "third text", "raw": "no json", "times": 1},
        {"match": "third text", "reply": '{"verdict": "pass"}'},
    )
    run, nodes = judge.run(text="third text")
    assert (run["status"], nodes["ask"]["attempts"]) == ("succeeded", 1)


def test_an_answer_without_form_goes_another_way(judge: Plan, models: ModelServer) -> None:
    models.script({"anywhere": "fourth text", "reply": "I would rather not."})
    run, nodes = judge.run(text="fourth text")
    assert (run["status"], run["output"]) == ("succeeded", {"verdict": "llm.unstructured"})
    assert nodes["ask"]["tries"][0]["usage"]["calls"] == 2


def test_a_model_that_is_slow_is_the_nodes_timeout(judge: Plan, models: ModelServer) -> None:
    models.script({"match": "fifth text", "delay": 8, "reply": "{}"})
    run, nodes = judge.run(text="fifth text")
    assert (run["status"], run["output"]) == ("succeeded", {"verdict": "node.timeout"})
    assert nodes["ask"]["error"]["code"] == "node.timeout"


@pytest.mark.parametrize(
    ("mail", "said", "port", "output"),
    [
        ("It is broken", "0", "branch_0", {"about": "complaint", "answer": "Sorry about It is broken"}),
        ("How much", " 1.\n", "branch_1", {"about": "price"}),
        ("Lunch", "none", "otherwise", {"about": "other"}),
    ],
)
def test_a_condition(triage: Plan, models: ModelServer, mail: str, said: str, port: str, output: Any) -> None:
    text = f"{mail} {triage.mark}"
    models.script(
        {"match": f"Apologize: <data>{text}", "reply": f"Sorry about {mail}"}, {"anywhere": text, "reply": said}
    )
    run, nodes = triage.run(mail=text)
    assert (run["status"], run["output"], nodes["judge"]["port"]) == ("succeeded", output, port)
    assert nodes["judge"]["tries"][0]["usage"]["calls"] == (2 if port == "otherwise" else 1)
    assert f"- mail：{text}" in str(models.log(text)[0]["messages"])


def test_the_second_answer_decides(triage: Plan, models: ModelServer) -> None:
    text = f"Unclear {triage.mark}"
    models.script({"match": text, "reply": "Both, I think.", "times": 1}, {"anywhere": text, "reply": "1"})
    run, _ = triage.run(mail=text)
    assert run["output"] == {"about": "price"}


def test_one_model_call_an_item(api: Remote, models: ModelServer) -> None:
    plan = Plan(api, "reviews")
    texts = [f"{plan.mark} {number}" for number in range(6)]
    models.script(*({"match": text, "reply": f"{number} stars"} for number, text in enumerate(texts)))
    run, _ = plan.run(texts=texts)
    assert run["output"] == {"stars": [0, 1, 2, 3, 4, 5]}
