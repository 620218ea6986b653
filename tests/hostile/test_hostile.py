"""Every hostile input is refused (or taken) with the right code within 2 s of the processor and 256 MB (issue 5).

The kernel holds the limits, in a process of its own for each input; nobody looks at a clock.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.hostile.corpus import CASES
from tests.house.modules import ROOT


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, Any]]:
    """What was said of each case, by name."""
    command = [sys.executable, "-m", "tests.hostile.measure"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stderr
    return {each["name"]: each for each in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", CASES)
def test_refused_in_time(name: str, told: dict[str, dict[str, Any]]) -> None:
    found = told[name]
    assert found["died"] is None, found
    assert set(found["codes"]) == CASES[name].codes
