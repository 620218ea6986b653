"""The modules parse, and what is pure in them does what it should: run by node, where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from loopstep.console.assets import STATIC

NODE = shutil.which("node")
HERE = Path(__file__).resolve().parent
MODULES = sorted(STATIC.rglob("*.js"))

pytestmark = pytest.mark.skipif(NODE is None, reason="node is missing")


def test_every_module_parses() -> None:
    """As a module, which a file of this name is to a browser; node takes it for one from its type flag."""
    assert NODE is not None
    for path in MODULES:
        with path.open("rb") as source:
            done = subprocess.run(
                [NODE, "--input-type=module", "--check", "-"], stdin=source, capture_output=True, text=True
            )
        assert done.returncode == 0, f"{path.name}: {done.stderr}"


def test_pure_modules() -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(HERE)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "# pass 0" not in done.stdout
