"""Start, find and stop the emulator process: on loopback only, with a clean environment, logging to a file."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loopstep.cli import outcome
from loopstep.cli.local import process
from loopstep.cli.local.project import Project

STRICT = Path(__file__).with_name("strict.py")
HOST = "127.0.0.1"
PORT = 4566
REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION}
READY_SECONDS = 30.0
ANSWER_SECONDS = 5.0  # one that is busy, or whose machine is, takes its time
STOP_SECONDS = 15.0
SAVE_SECONDS = 60.0  # for one that writes kept data on its way out
MODEL_SECONDS = 850.0  # that a model may take: less than the functions that ask it
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
    """`persist`: plans, runs and values outlive a restart. `strict`: with rules of AWS that the emulator leaves out.

    `model` is the address of an OpenAI-compatible server, without `/v1`; "" has the emulator's stand-in answer.
    """

    persist: bool = False
    strict: bool = False
    model: str = ""


class PortTaken(outcome.Failure):
    """Somebody else took the port between the choice and the start."""


def start(project: Project, port: int, mode: Mode, name: str, started: Callable[[int], None] = lambda pid: None) -> int:
    """Start the emulator and wait until it answers under its name; its process id, which `started` hears at once.

    Raises Failure with the end of its log, PortTaken.
    """
    for folder in (project.logs, project.scratch, project.data):
        folder.mkdir(parents=True, exist_ok=True)
    log = project.logs / "emulator.log"
    with log.open("wb") as out:
        emulator = subprocess.Popen(
            _command(project, mode.strict),
            env=_environment(project, port, mode, name),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=project.scratch,
            start_new_session=True,
        )
    try:
        started(emulator.pid)
        answered = process.until(READY_SECONDS, lambda: ready(port, name) or emulator.poll() is not None)
        if answered and emulator.poll() is None:
            return emulator.pid
    except BaseException:
        stop(project, emulator.pid)
        raise
    stop(project, emulator.pid)
    words = _tail(log)
    if "already in use" in words.lower():
        raise PortTaken(f"port {port} is in use", outcome.CONFLICT, "Leave --port out to take a free one.")
    raise outcome.Failure(f"the emulator did not start, see {log}:\n{words}", outcome.OUT_OF_REACH)


def _command(project: Project, strict: bool) -> list[str]:
    if strict:
        return [str(project.python("emulator")), str(STRICT), "ministack"]
    return [str(project.environment("emulator") / "bin" / "ministack")]


def _environment(project: Project, port: int, mode: Mode, name: str = "") -> dict[str, str]:
    """Nothing of the caller's but PATH and locale: every variable here is visible in every function."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
    own = {
        "HOME": str(project.scratch),
        "TMPDIR": str(project.scratch),
        "GATEWAY_PORT": str(port),
        "BIND_HOST": HOST,
        "MINISTACK_HOST": HOST,
        "MINISTACK_EDITION": name,  # what it says of itself, and nothing else
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
    model = {
        "MINISTACK_BEDROCK_PROXY_URL": mode.model,
        "MINISTACK_BEDROCK_PROXY_TIMEOUT_SECONDS": f"{MODEL_SECONDS:.0f}",
    }
    return {
        **kept,
        **CREDENTIALS,
        **own,
        **(stored if mode.persist else {}),
        **(model if mode.model else {}),
    }


def ready(port: int, name: str) -> bool:
    """Whether the emulator of this name answers there, and no other that has the port. "" stands for any name."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{endpoint(port)}/_ministack/health", timeout=ANSWER_SECONDS) as answer:
            health = json.loads(answer.read())
        return name in ("", health["edition"]) and health["ready_scripts"]["status"] == "completed"
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return False


def stop(project: Project, pid: int, born: str = "", seconds: float | None = None) -> bool:
    """End the emulator and its workers, and do away with what they leave; False where it could not be ended."""
    ended = process.end(pid, born, STOP_SECONDS if seconds is None else seconds)
    if ended:
        discard(project)
    return ended


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


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
