"""The two virtual environments of the local cloud, made when they are missing or their pins changed.

The emulator and SAM CLI each have their own: neither disturbs the other's pins, and nothing of the application is in
the emulator's, so a package that a layer forgot is noticed here and not on AWS.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopstep.cli import outcome
from loopstep.cli.local.project import Project

NAMES = ("emulator", "sam")
EMULATOR_PYTHON = "LOOPSTEP_EMULATOR_PYTHON"  # an interpreter for the emulator, and so for the functions


Say = Callable[[str], None]
SAID_EVERY = 2.0  # seconds; pip has a line for each of some hundred packages


def ensure(project: Project, say: Say = lambda line: None) -> list[str]:
    """Make what is missing, both at a time. Returns the names of those made now; raises Failure with pip's words."""
    missing = lacking(project)
    if missing:
        say(f"installing {' and '.join(missing)} with pip, once; it takes a minute or some")
    with ThreadPoolExecutor(len(NAMES)) as pool:
        list(pool.map(lambda name: _make(project, name, say), missing))
    if "emulator" in missing:  # layers hold packages and bytecode for the emulator's interpreter
        shutil.rmtree(project.build_cache, ignore_errors=True)
    return missing


def lacking(project: Project) -> list[str]:
    """The names of those that are missing or have other pins."""
    return [name for name in NAMES if not _fresh(project, name)]


def _interpreter(name: str) -> str:
    own = os.environ.get(EMULATOR_PYTHON) if name == "emulator" else None
    return own or os.path.realpath(sys.executable)


def _stamp(project: Project, name: str) -> str:
    pins = (project.root / "requirements" / f"{name}.txt").read_bytes()
    return hashlib.sha256(pins + _interpreter(name).encode()).hexdigest()


def _stamp_file(project: Project, name: str) -> Path:
    return project.environment(name) / ".stamp"


def _fresh(project: Project, name: str) -> bool:
    file = _stamp_file(project, name)
    return file.is_file() and file.read_text() == _stamp(project, name) and project.python(name).exists()


def _make(project: Project, name: str, say: Say) -> None:
    folder = project.environment(name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    requirements = project.root / "requirements" / f"{name}.txt"
    _run([_interpreter(name), "-m", "venv", str(folder)])
    _run(
        [
            str(project.python(name)),
            "-m",
            "pip",
            "install",
            "--progress-bar=off",
            "--disable-pip-version-check",
            "-r",
            str(requirements),
        ],
        lambda line: say(f"{name}: {line}"),
    )
    _stamp_file(project, name).write_text(_stamp(project, name))


def _quiet(line: str) -> None:
    pass


def _run(command: list[str], say: Say = _quiet) -> None:
    """Run it; every now and then the line that it is at. Raises Failure with its last words."""
    words: list[str] = []
    said = 0.0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            words.append(line)
            if time.monotonic() - said >= SAID_EVERY and line.strip():
                said = time.monotonic()
                say(line.strip()[:100])
    if process.returncode:
        raise outcome.Failure(f"`{' '.join(command)}` failed:\n{''.join(words)[-2000:]}", outcome.OUT_OF_REACH)
