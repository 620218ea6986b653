"""Processes by their id. An id is given out again later, to anybody: only with the moment of its birth it is a name."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

EMULATOR = "ministack"  # in the command line of an emulator
KILL_SECONDS = 3.0
_PROC = Path("/proc")
_START_FIELD = 19  # of /proc/<pid>/stat, counted behind the name: the 22nd field


def birth(pid: int) -> str:
    """When the process began, as its system tells it: equal for the same process, another text for a later one.

    "" where there is none.
    """
    if (_PROC / "self").exists():
        with contextlib.suppress(OSError, IndexError):
            return (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()[_START_FIELD]
        return ""
    return _ps("lstart", pid)


def command_line(pid: int) -> str:
    """What the process was started with, "" where there is none (a finished one that waits for its parent has none)."""
    if (_PROC / "self").exists():
        with contextlib.suppress(OSError):
            return (_PROC / str(pid) / "cmdline").read_text(errors="replace")
        return ""
    return _ps("args", pid)


def alive(pid: int, born: str = "") -> bool:
    """Whether `pid` is still that emulator, answering or not, and no process that got the number later."""
    return pid > 0 and EMULATOR in command_line(pid) and born in ("", birth(pid))


def end(pid: int, born: str = "", seconds: float = 15.0) -> bool:
    """End an emulator and its workers, politely at first; whether nothing is left of it.

    It leads a process group of its own, with its workers in it: what is left of that after `seconds` is killed. One
    that was halted (SIGSTOP) goes on for that time, or it could not be polite.
    """
    if not alive(pid, born):
        return True
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGCONT)
    until(seconds, lambda: _reap(pid) or not alive(pid, born))
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter on macOS, for finished processes
        os.killpg(pid, signal.SIGKILL)
    until(KILL_SECONDS, lambda: _reap(pid) or not alive(pid, born))
    return not alive(pid, born)


def until(seconds: float, done: Callable[[], bool]) -> bool:
    """Whether it comes true within that time."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if done():
            return True
        time.sleep(0.05)
    return False


def _reap(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return False


def _ps(field: str, pid: int) -> str:
    done = subprocess.run(["ps", "-o", f"{field}=", "-p", str(pid)], capture_output=True, text=True)
    return done.stdout.strip()
