"""Three validators accept the definition of every conformance case."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from statelint.config import Config
from statelint.linter import Linter
from statelint.problem import ProblemType

from loopstep.compiler.gate import gate
from tests.golden.definitions import ROOT, definition_of
from tests.golden.test_golden import DISTRIBUTED, NODE, _with_arns

CASES = sorted((ROOT / "tests" / "conformance" / "cases").glob("*.yaml"))


@pytest.mark.parametrize("plan", CASES, ids=lambda path: path.stem)
def test_the_gate_and_statelint_accept_it(plan: Path) -> None:
    definition = definition_of(plan)
    assert gate(definition) == []
    problems = Linter.validate(definition, Config({ProblemType.FLOAT}, False, False))
    assert [text for problem in problems if not any(word in (text := str(problem)) for word in DISTRIBUTED)] == []


@pytest.mark.skipif(
    not shutil.which("node") or not (NODE / "node_modules").exists(), reason="node or its packages missing"
)
def test_asl_validator_accepts_all_of_them(tmp_path: Path) -> None:
    for plan in CASES:
        (tmp_path / f"{plan.stem}.json").write_text(json.dumps(_with_arns(definition_of(plan))), encoding="utf-8")
    files = [argument for path in sorted(tmp_path.iterdir()) for argument in ("--json-path", str(path))]
    command = ["node", str(NODE / "node_modules/asl-validator/dist/bin/asl-validator.js"), *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
