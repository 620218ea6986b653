"""`.pre-commit-hooks.yaml`: its entries are commands there are, and do in a repository what their names say.

With pre-commit itself where LOOPSTEP_PRE_COMMIT names it: it installs the package anew from a registry.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopstep.cli import outcome

ROOT = Path(__file__).resolve().parents[2]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
PLAN = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")
CASES = "runs: [{input: {customer: Ada, amount: 20, desk: d}, output: {decision: paid}}]\n"
BY_ID = {hook["id"]: hook for hook in HOOKS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "plans/refund.yaml": PLAN,
        "plans/refund.cases.yaml": CASES,
        "docker-compose.yaml": "services: {}\n",
        "broken.json": "{",
        "package.json": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_manifest_has_what_one_has() -> None:
    assert set(BY_ID) == {"loopstep-check", "loopstep-test"}
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "files", "types"} <= set(hook)
        assert hook["language"] == "python" and shlex.split(hook["entry"])[0] == "loopstep"


def test_what_a_hook_needs_is_pinned_as_the_extra_is() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extra = tomllib.load(file)["project"]["optional-dependencies"]["test"]
    assert BY_ID["loopstep-test"]["additional_dependencies"] == extra


def hook(cli: Any, folder: Path, id: str) -> Any:
    """The entry with every file that it is for, as pre-commit calls it."""
    names = sorted(path for path in folder.rglob("*") if path.is_file() and re.search(BY_ID[id]["files"], path.name))
    return cli(*shlex.split(BY_ID[id]["entry"])[1:], *map(str, names))


@pytest.mark.parametrize("id", BY_ID)
def test_files_that_are_none_of_its_business_are_passed_over(cli: Any, folder: Path, id: str) -> None:
    done = hook(cli, folder, id)
    assert done.exit_code == outcome.OK, done.output


def test_a_faulty_plan_fails(cli: Any, folder: Path) -> None:
    (folder / "plans/refund.yaml").write_text(PLAN.replace("plan.input.desk", "plan.input.dsk"), encoding="utf-8")
    assert hook(cli, folder, "loopstep-check").exit_code == outcome.NO


def test_a_failing_case_fails(cli: Any, folder: Path) -> None:
    (folder / "plans/refund.cases.yaml").write_text(CASES.replace("paid", "referred"), encoding="utf-8")
    assert hook(cli, folder, "loopstep-test").exit_code == outcome.NO


@pytest.mark.skipif("LOOPSTEP_PRE_COMMIT" not in os.environ, reason="LOOPSTEP_PRE_COMMIT names pre-commit")
@pytest.mark.parametrize(("id", "wrong"), [("loopstep-check", "plan.input.dsk"), ("loopstep-test", "plan.input.desk")])
def test_pre_commit_runs_it(folder: Path, tmp_path_factory: pytest.TempPathFactory, id: str, wrong: str) -> None:
    program, source = os.environ["LOOPSTEP_PRE_COMMIT"], tmp_path_factory.mktemp("source")
    subprocess.run([program, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], check=True, timeout=60)
    shutil.copytree(ROOT / "layers/loopstep/python", source / "layers/loopstep/python")
    for name in ("pyproject.toml", "README.md", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, source / name)
    for place in (source, folder):
        subprocess.run(["git", "init", "--quiet"], cwd=place, check=True)
        subprocess.run(["git", "add", "--all"], cwd=place, check=True)
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, "commit", "--quiet", "-m", "x"], cwd=source, check=True)
    command = [program, "try-repo", str(source), id, "--all-files", "--verbose"]
    environment = {**os.environ, "PRE_COMMIT_HOME": str(source / ".home")}

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)

    done = run()
    assert done.returncode == 0 and "Passed" in done.stdout, done.stdout + done.stderr
    (folder / "plans/refund.yaml").write_text(PLAN.replace("plan.input.desk", wrong), encoding="utf-8")
    (folder / "plans/refund.cases.yaml").write_text(CASES.replace("paid", "referred"), encoding="utf-8")
    done = run()
    assert done.returncode == 1 and "refund" in done.stdout
