"""Start, find and stop the emulator process: on loopback only, with a clean environment, logging to a file."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loopstep.cli import outcome
from loopstep.cli.local.project import Project

STRICT = Path(__file__).with_name("strict.py")
HOST = "127.0.0.1"
PORT = 4566
REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION}
READY_SECONDS = 30.0
STOP_SECONDS = 15.0
KILL_SECONDS = 3.0
LEAVING = "tmp-leaving-"


def endpoint(port: int) -> str:
    """The address of every service of the local cloud."""
    return f"http://{HOST}:{port}"


def free_port(wanted: int | None = None) -> int:
    """`wanted`, else the usual port, else any free one. Raises Failure when `wanted` is taken."""
    for port in (PORT, 0) if wanted is None else (wanted,):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((HOST, port))
                return int(probe.getsockname()[1])
    raise outcome.Failure(f"port {wanted} is in use", outcome.CONFLICT, "Leave --port out to take a free one.")


@dataclass(frozen=True, slots=True)
class Mode:
    """`persist`: plans, runs and values outlive a restart. `strict`: with rules of AWS that the emulator leaves out."""

    persist: bool = False
    strict: bool = False


def start(project: Project, port: int, mode: Mode) -> int:
    """Start the emulator and wait until it answers; its process id. Raises Failure with the end of its log."""
    for folder in (project.logs, project.scratch, project.data):
        folder.mkdir(parents=True, exist_ok=True)
    log = project.logs / "emulator.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            _command(project, mode.strict),
            env=_environment(project, port, mode.persist),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=project.scratch,
            start_new_session=True,
        )
    try:
        if _until(READY_SECONDS, lambda: ready(port) or process.poll() is not None) and process.poll() is None:
            return process.pid
    except BaseException:
        stop(project, process.pid)
        raise
    stop(project, process.pid)
    raise outcome.Failure(f"the emulator did not start, see {log}:\n{_tail(log)}", outcome.OUT_OF_REACH)


def _command(project: Project, strict: bool) -> list[str]:
    if strict:
        return [str(project.python("emulator")), str(STRICT), "ministack"]
    return [str(project.environment("emulator") / "bin" / "ministack")]


def _environment(project: Project, port: int, persist: bool) -> dict[str, str]:
    """Nothing of the caller's but PATH and locale: every variable here is visible in every function."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
    own = {
        "HOME": str(project.scratch),
        "TMPDIR": str(project.scratch),
        "GATEWAY_PORT": str(port),
        "BIND_HOST": HOST,
        "MINISTACK_HOST": HOST,
        "IOT_MTLS_ENABLED": "0",  # its listener binds every address, whatever BIND_HOST says
        "SFTP_ENABLED": "0",
        "AUTH": "true",  # the roles of the functions are enforced, as on AWS
    }
    stored = {
        "PERSIST_STATE": "1",
        "STATE_DIR": str(project.data / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(project.data / "s3"),
    }
    return {**kept, **CREDENTIALS, **own, **(stored if persist else {})}


def ready(port: int, seconds: float = 2.0) -> bool:
    """Whether an emulator answers there."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{endpoint(port)}/_ministack/ready", timeout=seconds) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def alive(pid: int) -> bool:
    """Whether `pid` is still our emulator, and not another process that got the number later."""
    return "ministack" in _command_line(pid)


def _command_line(pid: int) -> str:
    """What the process was started with, "" where there is none (a finished one that waits for its parent has none)."""
    if Path("/proc/self").exists():
        with contextlib.suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        return ""
    return subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True).stdout


def stop(project: Project, pid: int) -> None:
    """End the emulator and its workers, politely at first (persistent data is written on the way out).

    It leads a process group of its own, with its workers in it: what is left of that after STOP_SECONDS is killed.
    """
    if alive(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        _until(STOP_SECONDS, lambda: _reap(pid) or not alive(pid))
        with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter on macOS, for finished processes
            os.killpg(pid, signal.SIGKILL)
        _until(KILL_SECONDS, lambda: _reap(pid) or not alive(pid))
    discard(project)


def discard(project: Project) -> None:
    """Do away with the worker folders, which the emulator leaves behind. Nobody waits for their thousands of files."""
    with contextlib.suppress(FileNotFoundError):
        project.scratch.rename(project.home / f"{LEAVING}{time.time_ns()}")
    if leaving := leftovers(project):
        subprocess.Popen(
            ["rm", "-rf", "--", *map(str, leaving)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def leftovers(project: Project) -> list[Path]:
    """Folders that are being removed, or were when that was interrupted."""
    return list(project.home.glob(f"{LEAVING}*"))


def _reap(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return False


def _until(seconds: float, done: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.05)
    return False


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
