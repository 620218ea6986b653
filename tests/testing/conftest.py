"""Plans and files of cases in a folder, played."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from loopstep.testing.suite import Result, run_file


class Folder:
    """Where a test writes its files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, text: str) -> Path:
        """A file, its text without the margin."""
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text), encoding="utf-8")
        return place

    def played(self, plan: str, cases: str, only: str = "") -> Result:
        """The result of these cases of this plan."""
        self.write("p.yaml", plan)
        return run_file(self.write("p.cases.yaml", cases), Path.read_bytes, only)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def messages(result: Result) -> list[list[str]]:
    """By case what is not as expected."""
    return [[fault.message for fault in timed.played.faults] for timed in result.cases]
