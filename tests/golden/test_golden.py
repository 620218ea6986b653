"""A plan in `examples/` or `tests/golden/plans` is a test: its definition is kept, and three validators accept it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from statelint.config import Config
from statelint.linter import Linter
from statelint.problem import ProblemType

from loopstep.compiler.gate import gate
from tests.golden.definitions import PLANS, ROOT, definition_of, text_of

NODE = ROOT / "tests" / "node"
DISTRIBUTED = ("Label", "InputType")  # fields of a Distributed Map that statelint 3.1 does not know


@pytest.mark.parametrize(("plan", "golden"), PLANS.items(), ids=lambda path: path.stem)
def test_the_definition_is_the_one_that_is_kept(plan: Path, golden: Path) -> None:
    assert golden.exists(), "run `make golden`, and read what it writes"
    assert text_of(definition_of(plan)) == golden.read_text(encoding="utf-8")


def test_no_kept_definition_is_without_its_plan() -> None:
    kept = {*(ROOT / "statemachines").glob("*.asl.json"), *(ROOT / "tests/golden/definitions").glob("*.asl.json")}
    assert kept == set(PLANS.values())


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.stem)
def test_the_gate_and_statelint_accept_it(plan: Path) -> None:
    definition = definition_of(plan)
    assert gate(definition) == []
    problems = Linter.validate(definition, Config({ProblemType.FLOAT}, False, False))
    assert [text for problem in problems if not any(word in (text := str(problem)) for word in DISTRIBUTED)] == []


@pytest.mark.skipif(
    not shutil.which("node") or not (NODE / "node_modules").exists(), reason="node or its packages missing"
)
def test_asl_validator_accepts_all_of_them(tmp_path: Path) -> None:
    for plan in PLANS:
        definition = _with_arns(definition_of(plan))
        (tmp_path / f"{plan.stem}.json").write_text(json.dumps(definition), encoding="utf-8")
    files = [argument for path in sorted(tmp_path.iterdir()) for argument in ("--json-path", str(path))]
    command = ["node", str(NODE / "node_modules/asl-validator/dist/bin/asl-validator.js"), *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def _with_arns(definition: dict[str, Any]) -> dict[str, Any]:
    """The placeholders of a kept definition filled in, as a stack would."""
    text = json.dumps(definition).replace("${ValuesBucket}", "bucket")
    while (start := text.find('"${')) >= 0:
        end = text.index('}"', start)
        text = (
            f'{text[:start]}"arn:aws:lambda:us-east-1:123456789012:function:{text[start + 3 : end]}"{text[end + 2 :]}'
        )
    return dict(json.loads(text))
