"""`loopstep init`: what each template writes checks, fits the schema, passes its cases, and has a workflow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from loopstep.cli import outcome
from loopstep.cli.init import TEMPLATES
from loopstep.compiler.compile import compile as compile_plan
from loopstep.types.conform import conform_fields

FILES = ["README.md", ".gitignore", ".github/workflows/plans.yml", "plans/plan.schema.json"]
EACH = pytest.mark.parametrize("template", TEMPLATES)


@pytest.fixture
def made(cli: Any, tmp_path: Path, template: str) -> Path:
    folder = tmp_path / "new" / "plans of mine"
    done = cli("init", str(folder), "--template", template)
    assert done.exit_code == outcome.OK
    return folder


@EACH
def test_everything_is_there_and_told(made: Path, template: str) -> None:
    name = TEMPLATES[template].name
    found = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert found == {*FILES, f"plans/{name}.yaml", f"plans/{name}.cases.yaml"}
    assert "{" not in (made / "README.md").read_text(encoding="utf-8").replace(TEMPLATES[template].input, "")


@EACH
def test_it_checks_without_a_word_and_is_one_by_the_schema(cli: Any, made: Path, template: str) -> None:
    plan = made / "plans" / f"{TEMPLATES[template].name}.yaml"
    text = plan.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=./plan.schema.json\n")
    assert json.loads(cli("check", str(plan), "--json").stdout)["files"][0]["diagnostics"] == []
    schema = json.loads((made / "plans" / "plan.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(text), schema)
    compiled = compile_plan(text).plan
    assert compiled is not None and compiled.name == TEMPLATES[template].name
    assert conform_fields(json.loads(TEMPLATES[template].input), compiled.input)[1] == []


@EACH
def test_its_cases_pass(cli: Any, made: Path, template: str) -> None:
    found = json.loads(cli("test", str(made / "plans"), "--json").stdout)
    assert (found["failed"], found["passed"] >= 3) == (0, True)


@EACH
def test_its_workflow_is_one_by_the_schema_and_uses_the_action(made: Path, template: str) -> None:
    workflow = made / ".github" / "workflows" / "plans.yml"
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, str(workflow)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    steps = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]["plans"]["steps"]
    inputs = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))["inputs"]
    assert set(steps[-1]["with"]) <= set(inputs)


def test_nothing_is_overwritten(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    done = cli("init", str(tmp_path))
    assert done.exit_code == outcome.CONFLICT and "README.md" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"


def test_into_this_folder_with_another_action(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("init", "--action", "me/plans@v2")
    assert "  loopstep test plans" in done.stdout and "cd " not in done.stdout
    assert "uses: me/plans@v2" in (tmp_path / ".github/workflows/plans.yml").read_text(encoding="utf-8")
    assert json.loads(cli("init", "x", "--json").stdout)["files"][0] == "plans/hello.yaml"


def test_where_nothing_can_be_written(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert cli("init", str(tmp_path / "file" / "below")).exit_code == outcome.USAGE
