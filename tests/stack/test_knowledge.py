"""Knowledge on the deployed system: documents by the command, evidence in a run, and nothing stale."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.knowledge.test_contract import Base

PLAN = """apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {{name: {name}}}
input: {{question: {{type: string, required: true}}}}
output:
  evidences: {{type: array, required: true}}
  count: {{type: number, required: true}}
  diagnostics: {{type: object, required: true}}
  enabled: {{type: object, required: true}}
graph:
  entry: {{nodeId: find, port: in, input: {{question: {{ref: plan.input.question}}}}}}
  nodes:
    - id: find
      type: knowledge_retrieval
      input: {{question: {{type: string, required: true}}}}
      knowledgeRetrieval: {{query: "{{{{ input.question }}}}", source: HYBRID, sourceIds: {sources}, topK: 3}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - id: found
      source: {{nodeId: find, port: completed}}
      target: {{nodeId: done, port: in}}
      bindings:
        evidences: {{ref: output.evidences}}
        count: {{ref: output.evidenceCount}}
        diagnostics: {{ref: output.diagnostics}}
        enabled: {{ref: output.enabledSources}}
"""


@pytest.fixture
def named(loopstep: Any) -> tuple[str, str, str]:
    """A handbook, a price list and a graph of people, with names of their own."""
    mark = uuid.uuid4().hex[:8]
    ids = f"handbook_{mark}", f"prices_{mark}", f"people_{mark}"
    for id, kind in zip(ids, ("DOCUMENT", "STRUCTURED_DATA", "GRAPH"), strict=True):
        assert loopstep("sources", "put", id, "--kind", kind).code == 0
    return ids


def test_documents_are_found_by_a_run(loopstep: Any, named: tuple[str, str, str], tmp_path: Path) -> None:
    handbook, prices, people = named
    plan = f"look_{handbook}"
    (tmp_path / "退款.md").write_text("# 退款政策\n\n七天内全额退款。\n", encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN.format(name=plan, sources=list(named)), encoding="utf-8")
    assert loopstep("publish", str(tmp_path / "plan.yaml")).code == 0

    def ask(question: str) -> Any:
        done = loopstep("run", plan, "--input", f'{{"question": "{question}"}}', "--watch", "--json")
        assert done.code == 0, done.stderr
        return done.data["output"]

    empty = ask("退款")
    assert (empty["count"], empty["enabled"]) == (0, dict.fromkeys(named, True))
    put = loopstep("sources", "documents", "put", handbook, str(tmp_path / "退款.md"), "--id", "refunds.md")
    assert put.stdout == "refunds.md: created\n"
    loopstep("sources", "documents", "put", prices, "-", "--id", "p.csv", stdin="名称,价格\n退款手续费,0\n")
    triples = "subject,predicate,object\n客服部,负责,退款\n张三,属于,客服部\n"
    loopstep("sources", "documents", "put", people, "-", "--id", "g.csv", stdin=triples)
    found = ask("客服部怎么退款")
    assert [each["sourceType"] for each in found["evidences"]] == ["DOCUMENT", "GRAPH", "STRUCTURED_DATA"]
    assert found["evidences"][0]["title"] == "退款政策" and found["evidences"][1]["payload"]["subject"] == "客服部"
    assert found["diagnostics"][f"graph:{people}"]["found"] == 2
    assert loopstep("sources", "documents", "remove", handbook, "refunds.md").code == 0
    assert "DOCUMENT" not in [each["sourceType"] for each in ask("退款政策")["evidences"]]


def test_a_broken_document_is_refused_with_its_line(loopstep: Any, named: tuple[str, str, str], tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text("<p>a</p>\n<!-- b")
    done = loopstep("sources", "documents", "put", named[0], str(tmp_path / "bad.html"))
    assert done.code == 1 and "line 2: a comment does not end" in done.stderr
    assert loopstep("sources", "documents", "list", named[0], "--json").data == {"items": []}


def test_a_knowledge_base_answers_in_a_run(loopstep: Any, state: Any, tmp_path: Path, monkeypatch: Any) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    base = Base(state["endpoint"], state["outputs"]["ValuesBucket"])
    source = f"manuals_{uuid.uuid4().hex[:8]}"
    try:
        base.put("dogs.txt", "Dogs bark at night.")
        assert loopstep("sources", "put", source, "--kind", "DOCUMENT", "--knowledge-base", base.id).code == 0
        (tmp_path / "plan.yaml").write_text(PLAN.format(name=f"look_{source}", sources=[source]), encoding="utf-8")
        assert loopstep("publish", str(tmp_path / "plan.yaml")).code == 0
        asked = '{"question": "when do dogs bark?"}'
        done = loopstep("run", f"look_{source}", "--input", asked, "--watch", "--json")
        (found,) = done.data["output"]["evidences"]
        assert (found["content"], found["sourceName"]) == ("Dogs bark at night.", source)
        assert done.data["output"]["diagnostics"] == {f"datasource:{source}": {"found": 1, "knowledgeBaseId": base.id}}
    finally:
        base.close()
    failed = loopstep("run", f"look_{source}", "--input", asked, "--watch", "--json").data
    assert (failed["status"], failed["error"]["code"]) == ("failed", "source.unavailable")
    assert failed["error"]["message"].endswith("there is no such knowledge base")
