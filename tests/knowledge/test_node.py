"""The node: an activation that asks pinned sources, with the real stores behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from loopstep.nodes.knowledge_retrieval import FOUND, FOUND_HYBRID
from loopstep.plans.schema import table_definition
from loopstep.registry.records import Entry
from loopstep.runtime.activation import Activator
from loopstep.runtime.behaviours.knowledge_retrieval import KnowledgeRetrieval
from loopstep.runtime.failures import Failed, Retry
from loopstep.types.conform import conform_fields
from tests import runtime_world
from tests.knowledge.worlds import World

QUERY = {"query": ["What about ", {"e": ["ref", "input", "subject"]}, "?"]}


class Stage(NamedTuple):
    run: Any
    knowledge: World

    def ask(self, source: str, pins: dict[str, int], subject: str = "refunds", **more: Any) -> Any:
        behaviour = KnowledgeRetrieval(self.knowledge.registry, self.knowledge.function())
        store, random = self.run.store(), self.run.random()
        activate = Activator(behaviour, store, self.run.clock, random, lambda seconds: None)
        spec = {
            "id": "look", "in": {"": {"subject": subject}}, "input": {"subject": {"type": "string"}}, **QUERY,
            "source": source, "topK": 3, "pins": {"source": pins}, "out": {"completed": [["e1"]]}, **more,
        }  # fmt: skip
        reply = activate(runtime_world.event(spec))
        return reply, self.run.activation("look#")["output"]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with runtime_world.empty() as run:
        run.dynamodb.create_table(**table_definition("plans"))
        run.start()
        yield Stage(run, World(run))


def fits(output: dict[str, Any], contract: Any) -> None:
    _, problems = conform_fields(output, contract)
    assert problems == [] and output.keys() <= contract.keys()


def test_evidence_of_one_source(stage: Stage) -> None:
    stage.knowledge.register("handbook")
    stage.knowledge.put("handbook", "a.md", "# Refunds\n\nWithin 30 days.")
    token, output = stage.ask("DOCUMENT", {"handbook": 1})
    assert token["edge"] == "e1"
    assert [each["title"] for each in output["evidences"]] == ["Refunds"]
    assert (output["evidenceCount"], output["sourceType"]) == (1, "DOCUMENT")
    assert output["diagnostics"] == {"datasource:handbook": {"found": 1, "documents": 1, "revision": 1}}
    fits(output, FOUND)


def test_hybrid_asks_all_and_fuses(stage: Stage) -> None:
    world = stage.knowledge
    world.register("handbook")
    world.register("prices", "STRUCTURED_DATA")
    world.register("people", "GRAPH", enabled=True)
    world.register("old", "DOCUMENT", enabled=False)
    world.put("handbook", "a.md", "About refunds.")
    world.put("prices", "p.csv", "what,price\nrefunds,0\n", "csv")
    world.put("people", "g.csv", "subject,predicate,object\nAda,handles,refunds\n", "csv")
    _, output = stage.ask("HYBRID", {"handbook": 1, "old": 1, "people": 1, "prices": 1})
    assert [each["sourceType"] for each in output["evidences"]] == ["DOCUMENT", "GRAPH", "STRUCTURED_DATA"]
    assert output["enabledSources"] == {"handbook": True, "old": False, "people": True, "prices": True}
    assert set(output["diagnostics"]) == {"datasource:handbook", "datasource:old", "graph:people", "datasource:prices"}
    assert output["evidences"][1]["payload"] == {"subject": "Ada", "predicate": "handles", "object": "refunds"}
    fits(output, FOUND_HYBRID)


def test_the_pinned_version_is_asked(stage: Stage) -> None:
    stage.knowledge.register("handbook", name="Old name")
    stage.knowledge.register("handbook", name="New name")
    stage.knowledge.put("handbook", "a.md", "About refunds.")
    _, output = stage.ask("DOCUMENT", {"handbook": 1})
    assert output["evidences"][0]["sourceName"] == "Old name"
    assert stage.knowledge.registry.latest("source", "handbook") == Entry(
        "source", "handbook", 2, stage.knowledge.registry.get("source", "handbook", 2).content
    )


def test_nothing_found_is_no_failure(stage: Stage) -> None:
    stage.knowledge.register("handbook")
    token, output = stage.ask("DOCUMENT", {"handbook": 1})
    assert token["edge"] == "e1" and (output["evidences"], output["evidenceCount"]) == ([], 0)


def test_no_source_is_no_failure_but_told(stage: Stage) -> None:
    _, output = stage.ask("DOCUMENT", {})
    assert output["diagnostics"] == {"error:sources": "there is no source to ask"}


def test_a_source_of_another_kind_is_not_asked(stage: Stage) -> None:
    stage.knowledge.register("prices", "STRUCTURED_DATA")
    _, output = stage.ask("DOCUMENT", {"prices": 1, "gone": 4})
    assert output["diagnostics"]["error:prices"] == "the source is of kind STRUCTURED_DATA"
    assert output["diagnostics"]["error:gone"] == "version 4 of the source is not there"


def test_when_all_fail_the_node_fails_and_another_try_may_do(stage: Stage) -> None:
    stage.knowledge.register("handbook")
    stage.knowledge.put("handbook", "a.md", "About refunds.")
    head = stage.knowledge.documents.head

    def broken(source: str) -> Any:
        raise OSError("the network, and data that nobody should see")

    stage.knowledge.documents.head = broken  # type: ignore[method-assign]
    with pytest.raises(Retry, match=r"source\.unavailable"):
        stage.ask("DOCUMENT", {"handbook": 1}, max=2)
    stage.knowledge.documents.head = head  # type: ignore[method-assign]
    _, output = stage.ask("DOCUMENT", {"handbook": 1}, max=2)
    assert output["evidenceCount"] == 1


def test_the_last_try_fails_with_a_sentence(stage: Stage) -> None:
    stage.knowledge.register("base", managed={"knowledgeBaseId": "1234567890"})
    with pytest.raises(Failed, match=r"source\.unavailable"):
        stage.ask("DOCUMENT", {"base": 1})
    error = stage.run.activation("look#")["error"]
    assert error == {"code": "source.unavailable", "message": "no source answered; base: the source failed"}
