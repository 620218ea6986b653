"""The processes of functions on the local cloud, killed while they work: what a crash of a function is there.

An emulator's function is a process of its own, a child of the emulator's, with the function's name in its environment.
Both are read from /proc. Only one that has called AWS is killed: where a process dies while it begins, the emulator
drops what all processes of that function are made of.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from loopstep.cli.local.stack import STACK

PROC = Path("/proc")
NAME = "AWS_LAMBDA_FUNCTION_NAME="


@dataclass(slots=True)
class Killed:
    """How many were, by function."""

    counts: dict[str, int] = field(default_factory=dict)


def processes(emulator: int, functions: Collection[str], port: int) -> list[tuple[int, str]]:
    """Process and function of every process of these functions, of this emulator, with a connection to the port."""
    found, sockets = [], _sockets(port)
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                parent = int(_text(folder / "stat").rpartition(")")[2].split()[1])
                name = _function(folder) if parent == emulator else ""
                if name in functions and any(os.readlink(each) in sockets for each in (folder / "fd").iterdir()):
                    found.append((int(folder.name), name))
    return found


def _sockets(port: int) -> set[str]:
    """The sockets that are connected to a port of loopback, as /proc names them."""
    lines = [line.split() for line in _text(PROC / "net" / "tcp").splitlines()[1:]]
    return {f"socket:[{each[9]}]" for each in lines if each[3] == "01" and int(each[2].rpartition(":")[2], 16) == port}


def _function(folder: Path) -> str:
    variables = _text(folder / "environ").split("\0")
    names = [each.removeprefix(NAME).removeprefix(f"{STACK}-") for each in variables if each.startswith(NAME)]
    return names[0] if names else ""


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


@contextmanager
def killing(emulator: int, functions: Collection[str], port: int, seconds: float, seed: int) -> Iterator[Killed]:
    """Every so many seconds one of the functions' processes ends without a word, for the time of the block."""
    over, killed, chosen = threading.Event(), Killed(), random.Random(seed)

    def kill() -> None:
        while not over.wait(chosen.uniform(0.5, 1.5) * seconds):
            there = processes(emulator, functions, port)
            if there:
                process, name = chosen.choice(there)
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed.counts[name] = killed.counts.get(name, 0) + 1

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()
