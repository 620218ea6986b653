"""The console in a real browser, on the deployed local cloud.

Chromium, node and npm come from the system, playwright-core and axe-core from npm as `package-lock.json` pins them;
where one is missing, the tests are skipped and say which. A scenario is a module in `scenarios/`: what a person does,
in JavaScript. Every one also fails for what no page may do (`stage.mjs`): an error in the browser's console, anything
that the Content-Security-Policy stopped, a request to another host.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.local import cloud
from tests.stack.conftest import api, state  # noqa: F401  # the same fixtures

HERE = Path(__file__).parent
PICTURES = HERE.parents[1] / ".local" / "browser" / "pictures"
PATIENCE = 180.0  # seconds for one scenario, on a busy machine
NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.stack)


@dataclass(frozen=True, slots=True)
class Browser:
    """Plays scenarios: `browser("story", {...})` gives what the scenario gives, and fails with what it says."""

    console: str
    key: str
    chromium: str
    server: str

    def __call__(self, scenario: str, data: Any = None, colour: str = "light", language: str = "en") -> Any:
        given = {
            "console": self.console,
            "key": self.key,
            "chromium": self.chromium,
            "server": self.server,
            "pictures": str(PICTURES),
            "data": data,
            "colour": colour,
            "language": language,
        }
        done = subprocess.run(
            ["node", "run.mjs", scenario],
            cwd=HERE,
            input=json.dumps(given),
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
        )
        if done.returncode:
            pytest.fail(f"{scenario}: {done.stderr}", pytrace=False)
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's path, with everything there that drives it."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    missing = [name for name in ("node", "npm") if not shutil.which(name)] + ([] if found else ["chromium"])
    if missing or found is None:
        pytest.skip(f"no browser tests without {', '.join(missing)}")
    if reason := _install():
        pytest.skip(f"npm ci in tests/browser: {reason}")
    return found


@pytest.fixture(scope="session")
def browser(chromium: str, state: cloud.State) -> Iterator[Browser]:  # noqa: F811
    """One browser for all scenarios of this process."""
    server = subprocess.Popen(
        ["node", "server.mjs", chromium], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None and server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        assert address.startswith("ws://127.0.0.1"), "the browser did not start"
        yield Browser(f"{state['url']}/console/", state["apiKey"], chromium, address)
    finally:
        server.stdin.close()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _install() -> str:
    """Puts there what the lock names, once; why it could not, "" where it is there."""
    local = HERE.parents[1] / ".local" / "browser"
    local.mkdir(parents=True, exist_ok=True)
    with (local / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = HERE / "node_modules" / ".package-lock.json"
        if done.exists() and done.stat().st_mtime >= (HERE / "package-lock.json").stat().st_mtime:
            return ""
        try:
            subprocess.run(
                ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                cwd=HERE,
                check=True,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
            done.touch()
        except subprocess.CalledProcessError as failed:
            return failed.stderr.strip()[-300:]
        except subprocess.TimeoutExpired:
            return "it took too long"
    return ""
