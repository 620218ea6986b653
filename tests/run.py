"""`make test`: a local cloud of its own on a free port, pytest against it, and the cloud is gone again.

`tests/run.py [--lint] [--strict] [pytest's arguments…]`. The exit code is pytest's. With --lint, `sam validate --lint`
runs first; with --strict the local cloud enforces the cloud's rules (`loopstep up --strict`).
The last line printed is pytest's own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from model_server import MODEL, ModelServer

from loopstep.cli import outcome
from loopstep.cli.local import cloud, emulator, stack
from loopstep.cli.local.project import INSTANCE, Project

SPREAD = ["-n", "auto", "--dist", "loadfile"]  # the whole suite, over all processors
PATIENCE = 30.0  # seconds that pytest has to end when it is interrupted
ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Run it all; an exit code."""
    lint, strict = "--lint" in arguments, "--strict" in arguments
    project = Project(ROOT, os.environ.get(INSTANCE) or "test")
    environment = {**os.environ, INSTANCE: project.instance}
    try:
        with (
            _models() as models,
            cloud.session(project, _say, emulator.Mode(strict=strict, model=models.url)),
        ):
            environment[MODEL] = models.url
            if lint:
                stack.validate(project)
            tests = [argument for argument in arguments if argument not in ("--lint", "--strict")]
            return _pytest(tests or SPREAD, environment)
    except outcome.Failure as failure:
        failure.show()
        return failure.exit_code
    except KeyboardInterrupt:
        return outcome.INTERRUPTED


@contextlib.contextmanager
def _models() -> Iterator[ModelServer]:
    """The scripted model of the time of the block."""
    server = ModelServer.start()
    try:
        yield server
    finally:
        server.stop()


def _say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


def _pytest(arguments: list[str], environment: dict[str, str]) -> int:
    """Run pytest in a process group of its own: an interrupt reaches its workers too, and their fixtures end."""
    command = [sys.executable, "-m", "pytest", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        return process.wait()
    except KeyboardInterrupt:
        for sign in (signal.SIGINT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(process.pid, sign)
                process.wait(PATIENCE)
                break
        with contextlib.suppress(ProcessLookupError):  # what an interrupted worker could not end itself
            os.killpg(process.pid, signal.SIGTERM)
        raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
