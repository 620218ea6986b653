"""`loopstep import` and `loopstep mappings`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from loopstep.cli.main import loopstep
from loopstep.compiler.compile import compile
from loopstep.diagnostics.pages import PAGES
from tests.registered import EVERYTHING

TRIAGE = Path(__file__).resolve().parents[2] / "examples" / "canvas" / "support_triage.json"


def call(*arguments: str, given: str | None = None) -> tuple[int, Result]:
    """The exit code as `run` works it out, and what was said."""
    result = CliRunner().invoke(loopstep, arguments, input=given, standalone_mode=False)
    code = getattr(result.exception, "exit_code", None) if result.exception else result.return_value
    return int(code or 0), result


def test_import_prints_the_plan() -> None:
    code, said = call("import", str(TRIAGE))
    assert code == 0 and said.stderr.count("warning[") == said.stderr.count("warning[registry.unknown]") == 1
    assert compile(said.stdout, None, EVERYTHING).diagnostics == ()


def test_import_as_json() -> None:
    code, said = call("import", str(TRIAGE), "--json")
    answer = json.loads(said.stdout)
    assert (code, [each["code"] for each in answer["diagnostics"]]) == (0, ["registry.unknown"])
    assert answer["plan"]["kind"] == "PlanVersion"


def test_import_into_a_file(tmp_path: Path) -> None:
    target = tmp_path / "plan.yaml"
    code, said = call("import", str(TRIAGE), "-o", str(target))
    assert (code, said.stdout) == (0, "") and compile(target.read_bytes(), None, EVERYTHING).diagnostics == ()
    assert call("import", str(TRIAGE), "-o", str(tmp_path / "no" / "plan.yaml"))[0] == 2


def test_with_errors_there_is_no_plan(tmp_path: Path) -> None:
    target = tmp_path / "plan.yaml"
    code, said = call("import", "-", "-o", str(target), given=PAGES["canvas.cycle"].wrong)
    assert code == 1 and not target.exists() and "canvas.cycle" in said.stderr
    code, said = call("import", "-", "--json", given=PAGES["canvas.cycle"].wrong)
    answer = json.loads(said.stdout)
    assert (code, answer["plan"], [each["code"] for each in answer["diagnostics"]]) == (1, None, ["canvas.cycle"])


def test_mappings() -> None:
    code, said = call("mappings", str(TRIAGE), "billing", "--json")
    options = json.loads(said.stdout)["options"]
    assert code == 0 and [(each["nodeId"], each["field"]) for each in options][:2] == [
        ("search", "evidences"), ("search", "evidenceCount"),
    ]  # fmt: skip
    assert options[0]["fits"] == {"handbook": "converted"}
    assert options[0]["modes"] == {"handbook": ["top1", "concat", "json"]}
    assert options[0]["conversion"]["handbook"].startswith("top1: ")
    code, said = call("mappings", str(TRIAGE), "billing")
    assert code == 0 and said.stdout.startswith("search.evidences") and "→ handbook" in said.stdout


@pytest.mark.parametrize("node", ["kind", "ask"])
def test_a_node_without_inputs_or_predecessors(node: str) -> None:
    code, said = call("mappings", str(TRIAGE), node, "--json")
    options = json.loads(said.stdout)["options"]
    assert code == 0 and all(each["fits"] == {} for each in options) and bool(options) == (node == "kind")
    assert call("mappings", str(TRIAGE), node)[0] == 0


def test_no_such_node_and_no_canvas() -> None:
    assert call("mappings", str(TRIAGE), "gone")[0] == 5
    code, said = call("mappings", "-", "a", given="{")
    assert code == 1 and "document.syntax" in said.stderr


def test_mappings_of_what_is_no_canvas_as_json(cli: Any) -> None:
    done = cli("mappings", "-", "a", "--json", stdin="[")
    expected = [each["code"] for each in json.loads(done.stdout)["files"][0]["diagnostics"]]
    assert (done.exit_code, expected) == (1, ["document.syntax"])
