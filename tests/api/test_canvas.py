"""Routes below /canvas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TRIAGE = (Path(__file__).resolve().parents[2] / "examples" / "canvas" / "support_triage.json").read_text("utf-8")


def test_import_is_200_either_way(api: Any) -> None:
    fine = api("POST", "/canvas/import", raw=TRIAGE)
    assert (fine.status, [each["code"] for each in fine.body["diagnostics"]]) == (200, ["registry.unknown"])
    assert fine.body["plan"]["kind"] == "PlanVersion" and fine.body["text"].startswith("apiVersion:")
    wrong = api("POST", "/canvas/import", raw="{")
    assert (wrong.status, wrong.body["plan"]) == (200, None)
    assert wrong.body["diagnostics"][0]["code"] == "document.syntax"


def test_mappings(api: Any) -> None:
    found = api("POST", "/canvas/mappings", raw=TRIAGE, query={"node": "billing"})
    assert found.status == 200
    assert found.body["options"][0]["fits"] == {"handbook": "converted"}
    gone = api("POST", "/canvas/mappings", raw=TRIAGE, query={"node": "gone"})
    assert (gone.status, gone.body["code"]) == (404, "canvas.node_unknown")
    unasked = api("POST", "/canvas/mappings", raw=TRIAGE)
    assert (unasked.status, unasked.body["code"]) == (400, "request.invalid")
