"""What a canvas refers to in the stack's registry: said at the id itself, and the plan is there all the same."""

from __future__ import annotations

import itertools
import json
from typing import Any

from loopstep.canvas.lower import import_canvas
from loopstep.compiler.pins import Pinned
from tests.registered import EVERYTHING, Registered


def canvas(*nodes: dict[str, Any]) -> str:
    """A userInput and the nodes behind it, in a row."""
    ask = {"id": "ask", "type": "userInput", "data": {"variables": [{"name": "q", "type": "string"}]}}
    every = [ask, *({"id": f"n{i}", **node} for i, node in enumerate(nodes))]
    ids = [node["id"] for node in every]
    edges = [{"id": f"e{i}", "source": a, "target": b} for i, (a, b) in enumerate(itertools.pairwise(ids))]
    return json.dumps({"id": "c", "name": "c", "nodes": every, "edges": edges})


AGENT = {"type": "agent", "data": {"agentId": "writer"}}
RETRIEVAL = {
    "type": "knowledgeRetrieval",
    "data": {"query": "{{q}}", "source": "HYBRID", "documentIds": ["a", "b"], "graphIds": ["b", "g"]},
}


def said(document: str, registry: Any) -> list[tuple[str, str, str]]:
    imported = import_canvas(document, registry)
    assert imported.plan is not None
    return [(each.code, each.severity, each.path) for each in imported.diagnostics]


def test_each_unknown_id_is_a_warning_where_it_stands() -> None:
    document = canvas(AGENT, RETRIEVAL)
    places = ["1/data/agentId", "2/data/documentIds/0", "2/data/documentIds/1", "2/data/graphIds/1"]
    expected = [("registry.unknown", "warning", f"/nodes/{place}") for place in places]
    assert said(document, None) == expected
    assert said(document, Registered()) == expected
    known = Registered({("agent", "writer"): Pinned(1), ("source", "b"): Pinned(1, label="GRAPH")})
    assert said(document, known) == [expected[1], expected[3]]
    assert said(document, EVERYTHING) == []


def test_the_plan_does_not_depend_on_what_is_registered() -> None:
    document = canvas(AGENT, RETRIEVAL)
    texts = {import_canvas(document, registry).text for registry in (None, Registered(), EVERYTHING)}
    assert len(texts) == 1 and "" not in texts


def test_a_source_of_another_kind_is_said_at_its_id() -> None:
    document = canvas({"type": "knowledgeRetrieval", "data": {"query": "q", "source": "GRAPH", "sourceIds": ["b"]}})
    other = Registered({("source", "b"): Pinned(1, label="DOCUMENT")})
    assert said(document, other) == [("registry.unknown", "warning", "/nodes/1/data/sourceIds/0")]
