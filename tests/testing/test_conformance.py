"""Every case of `tests/conformance` comes out in one process as it does on the deployed stack: the form is the same."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from loopstep.testing.suite import run_file
from tests.testing.conftest import messages

CASES = sorted((Path(__file__).parents[1] / "conformance" / "cases").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_file(path: Path) -> None:
    result = run_file(path, Path.read_bytes)
    assert result.ok, messages(result)
    assert len(result.cases) == len(json.loads(path.read_bytes())["runs"])


def test_the_files_are_there() -> None:
    assert len(CASES) >= 78


def spoiled(case: dict[str, Any]) -> dict[str, Any]:
    """The case with another expectation, whatever it has."""
    case = copy.deepcopy(case)
    if "rejected" in case:
        case["rejected"] = [*case["rejected"], "/nowhere"]
    elif "output" in case:
        case["output"] = {**case["output"], "not_there": 1}
    else:
        case["status"] = "cancelled"
    return case


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_another_expectation_fails(path: Path, tmp_path: Path) -> None:
    runs = [spoiled(case) for case in json.loads(path.read_bytes())["runs"]]
    place = tmp_path / "spoiled.cases.json"
    place.write_text(json.dumps({"plan": str(path.with_suffix(".yaml")), "runs": runs}), encoding="utf-8")
    assert not any(timed.played.ok for timed in run_file(place, Path.read_bytes).cases)
