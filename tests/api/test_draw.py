"""Drawing a document that need not be published."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

REFUND = (Path(__file__).resolve().parents[2] / "examples" / "refund.yaml").read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"


def test_the_graph(api: Any) -> None:
    found = api("POST", "/plans/draw", raw=REFUND)
    assert found.status == 200 and found.body["valid"] and found.body["diagnostics"] == []
    assert {node["id"] for node in found.body["described"]["nodes"]} == {"look", "pay", "refer", "done", "too_much"}
    root = ET.fromstring(found.body["picture"])
    nodes = {each.get("data-id") for each in root.iter(f"{SVG}g") if (each.get("class") or "").startswith("node")}
    assert nodes == {"look", "pay", "refer", "done", "too_much"}
    edges = {each.get("data-edge") for each in root.iter(f"{SVG}path")} - {None}
    assert edges == {edge["id"] for edge in found.body["described"]["edges"]}


def test_where_data_lives(api: Any) -> None:
    found = api("POST", "/plans/draw", raw=REFUND, query={"view": "data"})
    assert found.body["described"]["input"]["desk"] == "scope"
    assert "<svg" in found.body["picture"]


def test_the_state_machine(api: Any) -> None:
    found = api("POST", "/plans/draw", raw=REFUND, query={"view": "definition"})
    assert found.body["described"]["StartAt"] == "look" and found.body["picture"] is None


def test_a_document_with_errors_is_not_drawn(api: Any) -> None:
    found = api("POST", "/plans/draw", raw=REFUND.replace("input.amount <=", "input.amoun <="))
    assert found.status == 200 and not found.body["valid"]
    assert [each["code"] for each in found.body["diagnostics"]] == ["reference.unknown_field"]
    assert found.body["described"] is None and found.body["picture"] is None


@pytest.mark.parametrize("view", ["", "json", "Graph"])
def test_another_view_there_is_none(api: Any, view: str) -> None:
    found = api("POST", "/plans/draw", raw=REFUND, query={"view": view})
    assert (found.status, found.body["code"]) == (400, "request.invalid")
    assert api.compiled == []
