"""The JSON Schema in the editor it is made for: yaml-language-server completes, describes and checks with it.

Runs where LOOPSTEP_YAML_LANGUAGE_SERVER names its script, as node_modules/yaml-language-server/bin/yaml-language-server
after `npm install yaml-language-server@2.0.0`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopstep.schema.plan_schema import schema_text
from tests.editor.client import PUBLISHED, WAIT, Client, marked
from tests.house.modules import ROOT

SCRIPT = os.environ.get("LOOPSTEP_YAML_LANGUAGE_SERVER")
REFUND = (
    "# yaml-language-server: $schema=./plan.schema.json\n"
    + ((ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8").partition("\n")[2])
)

pytestmark = pytest.mark.skipif(not (SCRIPT and shutil.which("node")), reason="no yaml-language-server")


class Editor(Client):
    """A client of yaml-language-server, with one plan beside the schema."""

    def __init__(self, folder: Path) -> None:
        assert SCRIPT is not None
        super().__init__(["node", SCRIPT, "--stdio"])
        (folder / "plan.schema.json").write_text(schema_text(), encoding="utf-8")
        self.uri = (folder / "refund.plan.yaml").as_uri()
        self.found: list[dict[str, Any]] = []
        self.initialize()
        self.open(REFUND, self.uri)
        assert self.said() == []

    def said(self) -> list[dict[str, Any]]:
        while True:
            notice = self.notices.get(timeout=WAIT)
            if notice["method"] == PUBLISHED:
                found: list[dict[str, Any]] = notice["params"]["diagnostics"]
                return found

    def put(self, old: str, new: str) -> dict[str, int]:
        """Writes something at a mark; the place of it."""
        assert old in REFUND
        text, at = marked(REFUND.replace(old, new, 1))
        self.change(text, self.uri)
        self.found = self.said()
        return at

    def items(self, at: dict[str, int]) -> dict[str, dict[str, Any]]:
        found = self.ask("completion", at, self.uri)
        return {item["label"]: item for item in (found["items"] if isinstance(found, dict) else found)}


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    started = Editor(tmp_path)
    yield started
    started.kill()


@pytest.mark.parametrize(
    ("old", "new", "said", "where"),
    [
        ("title: Refunds", "titel: x‸", "Property titel is not allowed.", "titel"),
        ("kind: PlanVersion", "kind: x‸", "Value is not accepted", "x"),
        ("type: set_variable", "type: set_variabel‸", "Value is not accepted", "set_variabel"),
        ("maxAttempts: 3", "maxAttempts: 30‸", "Value is above the maximum of 10", "30"),
    ],
)
def test_it_checks(editor: Editor, old: str, new: str, said: str, where: str) -> None:
    at = editor.put(old, new)
    found = editor.found
    assert any(one["message"].startswith(said) and one["range"]["start"]["line"] == at["line"] for one in found), found


def test_it_completes_types_and_fields(editor: Editor) -> None:
    found = editor.items(editor.put("type: set_variable", "type: ‸"))
    assert {"set_variable", "wait", "llm"} <= set(found)
    assert "Writes state" in str(found["set_variable"].get("documentation"))
    assert "preconditions" in editor.items(editor.put("      pass: {}\n", "      pass: {}\n      ‸\n"))
    assert "retry" not in editor.items(editor.put("      pass: {}\n", "      pass: {}\n      ‸\n"))
    assert {"maxAttempts", "factor"} <= set(editor.items(editor.put(" {maxAttempts: 3, backoff: PT2S}", "\n        ‸")))


def test_it_has_snippets_of_nodes(editor: Editor) -> None:
    found = editor.items(editor.put("  edges:\n", "    ‸\n  edges:\n"))
    assert "requestApproval:" in found["request_approval"]["insertText"]


def test_it_describes(editor: Editor) -> None:
    said = editor.ask("hover", editor.put("outcome: succ", "outc‸ome: succ"), editor.uri)["contents"]
    assert "How the Run ends. **Required.**" in said["value"] and "`succeeded`" in said["value"]
