"""`loopstep test`: which files, exit codes, the report, JSON and JUnit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from loopstep.cli import outcome

ROOT = Path(__file__).resolve().parents[2]
PLAN = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")
GOOD = """
runs:
  - name: small
    input: {customer: Ada, amount: 20, desk: d}
    output: {decision: paid}
"""
BAD = (
    GOOD
    + """\
  - name: large <&> 大
    input: {customer: Ada, amount: 90, desk: d}
    output: {decision: paid}
    path: [look, refer, done]
"""
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "refund.yaml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "refund.cases.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "other.yaml").write_text(PLAN, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["refund.yaml", "refund.cases.yaml", "."])
def test_by_plan_cases_or_folder(cli: Any, folder: Path, name: str) -> None:
    done = cli("test", str(folder / name))
    assert done.exit_code == outcome.OK
    assert done.stdout == f"{folder / 'refund.cases.yaml'}\n  ✓ small\n\n1 case, all as expected\n"


def test_each_file_once(cli: Any, folder: Path) -> None:
    done = cli("test", str(folder), str(folder / "refund.yaml"), str(folder / "refund.cases.yaml"), "--json")
    assert len(json.loads(done.stdout)["files"]) == 1


def test_a_failed_case_shows_its_difference_and_its_timeline(cli: Any, folder: Path) -> None:
    (folder / "refund.cases.yaml").write_text(BAD, encoding="utf-8")
    done = cli("test", str(folder))
    assert done.exit_code == outcome.NO
    assert "  ✓ small\n  ✗ large <&> 大\n" in done.stdout
    assert '      output/decision is "referred", not "paid"\n' in done.stdout
    assert "when input.amount <= 50" in done.stdout and "2 cases, 1 failed" in done.stdout
    assert cli("test", str(folder), "--only", "small").exit_code == outcome.OK


def test_json(cli: Any, folder: Path) -> None:
    (folder / "refund.cases.yaml").write_text(BAD, encoding="utf-8")
    found = json.loads(cli("test", str(folder), "--json").stdout)
    assert (found["passed"], found["failed"]) == (1, 1)
    (file,) = found["files"]
    case = file["cases"][1]
    assert (case["name"], case["line"], case["ok"], case["status"]) == ("large <&> 大", 6, False, "succeeded")
    assert case["output"] == {"decision": "referred"}
    assert case["faults"] == [
        {
            "what": "output",
            "path": "/decision",
            "message": 'output/decision is "referred", not "paid"',
            "expected": "paid",
            "actual": "referred",
        }
    ]


def test_junit(cli: Any, folder: Path) -> None:
    (folder / "refund.cases.yaml").write_text(BAD, encoding="utf-8")
    (folder / "other.cases.yaml").write_text("runs: [{inputs: {}}]", encoding="utf-8")
    place = folder / "junit.xml"
    assert cli("test", str(folder), "--junit", str(place)).exit_code == outcome.NO
    root = ET.parse(place).getroot()
    counts = {suite.get("name", "").rpartition("/")[2]: suite.attrib for suite in root}
    assert (counts["refund.cases.yaml"]["tests"], counts["refund.cases.yaml"]["failures"]) == ("2", "1")
    assert (counts["other.cases.yaml"]["tests"], counts["other.cases.yaml"]["errors"]) == ("1", "1")
    (failure,) = root.iter("failure")
    assert failure.get("type") == "output" and "look" in (failure.text or "")


def test_a_faulty_file_of_cases_is_told_at_its_place(cli: Any, folder: Path) -> None:
    (folder / "refund.cases.yaml").write_text("runs:\n  - inputs: {}\n", encoding="utf-8")
    done = cli("test", str(folder))
    assert done.exit_code == outcome.NO
    assert "error[document.unknown_field]: a case has no field `inputs`" in done.stdout
    assert "refund.cases.yaml:2:5" in done.stdout and "did you mean `input`?" in done.stdout


def test_a_faulty_plan_is_told(cli: Any, folder: Path) -> None:
    (folder / "refund.yaml").write_text(PLAN.replace("plan.input.desk", "plan.input.dsk"), encoding="utf-8")
    done = cli("test", str(folder))
    assert done.exit_code == outcome.NO and "reference.unknown_field" in done.stdout


@pytest.mark.parametrize("name", ["other.yaml", "nothing.cases.yaml", "empty"])
def test_no_cases_is_2(cli: Any, folder: Path, name: str) -> None:
    (folder / "empty").mkdir()
    assert cli("test", str(folder / name)).exit_code == outcome.USAGE


def test_what_has_no_cases_may_be_passed_over(cli: Any, folder: Path) -> None:
    done = cli("test", "--if-any", str(folder / "other.yaml"), str(folder / "refund.yaml"))
    assert done.exit_code == outcome.OK and "1 case, all as expected" in done.stdout
    assert cli("test", "--if-any", str(folder / "other.yaml")).exit_code == outcome.OK
    assert cli("test", str(folder), "--only", "nothing like it").exit_code == outcome.USAGE


def test_a_canvas_has_cases_too(cli: Any, tmp_path: Path) -> None:
    canvas = ROOT / "examples" / "canvas" / "diamond.json"
    (tmp_path / "diamond.json").write_bytes(canvas.read_bytes())
    cases = 'runs: [{input: {text: late}, models: {route: {branch: 1}, "*": said}, state: {route_branch: branch_1}}]'
    (tmp_path / "diamond.cases.yaml").write_text(cases, encoding="utf-8")
    done = cli("test", str(tmp_path))
    assert done.exit_code == outcome.OK, done.stdout


def test_what_is_not_installed_is_named(folder: Path) -> None:
    code = (
        "import sys; sys.modules['jsonata'] = None\n"
        f"from loopstep.cli import main; sys.exit(main.run(['test', {str(folder)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == outcome.USAGE
    assert "needs jsonata" in done.stderr and "loopstep[test]" in done.stderr
