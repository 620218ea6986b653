"""The tour says what a reader sees: its plans are the examples, and what it shows of commands is what they print."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from docs.generate import DOCS, ROOT
from docs.pictures import broken_refund
from tests.house.test_docs import LOOPSTEP, PLAN

TOUR = (DOCS / "tour.md").read_text(encoding="utf-8")
REFUND = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The reader's folder."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path / "mine"


def said(folder: Path, *arguments: str) -> str:
    done = subprocess.run([*LOOPSTEP, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return (done.stdout + done.stderr).strip()


def shown(command: str) -> str:
    """What the tour shows below the command; of several times, the last."""
    found = re.findall(rf"^\$ {re.escape(command)}\n((?:(?!\$ |```).*\n)+)", TOUR, re.M)
    text: str = found[-1]
    return text.strip()


def test_its_plans_are_the_examples() -> None:
    desk = (ROOT / "examples" / "tour" / "refund_desk.yaml").read_text(encoding="utf-8")
    assert PLAN.findall(TOUR) == [REFUND, desk]


def test_the_broken_plan_is_answered_as_shown(mine: Path) -> None:
    (mine / "refund.yaml").write_text(broken_refund(), encoding="utf-8")
    assert shown("loopstep check refund.yaml") == said(mine, "check", "refund.yaml")


def test_the_data_flow_is_as_shown(mine: Path) -> None:
    (mine / "refund.yaml").write_text(REFUND, encoding="utf-8")
    edges = re.search(r"^```text\n(edges\n.*?)^```", TOUR, re.M | re.S)
    assert edges and said(mine, "explain", "refund.yaml").endswith(edges[1].strip())


def test_the_cases_come_out_as_shown(mine: Path) -> None:
    command = "test ../examples/tour/refund_desk.yaml"
    assert shown(f"loopstep {command}") == said(mine, *command.split())
