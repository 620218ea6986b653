"""Whole processes, timed from spawn to exit, in rounds of shuffled order."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(sys.executable).parent
TIMEOUT = 120.0  # seconds a process may take

AWS_LIKE = {
    "AWS_ACCESS_KEY_ID": "bench",
    "AWS_SECRET_ACCESS_KEY": "bench",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One command to time; `environment` is all the variables it gets beside PATH and HOME."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Spent:
    """What one process took, in milliseconds: by the clock, and of a processor (user and system)."""

    wall: float
    cpu: float


def spend(case: Case) -> Spent:
    """Run it once. Raises RuntimeError with its stderr when it fails, TimeoutExpired after TIMEOUT."""
    base = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    before = _children()
    began = time.perf_counter()
    done = subprocess.run(case.command, env={**base, **case.environment}, capture_output=True, timeout=TIMEOUT)
    wall = time.perf_counter() - began
    cpu = _children() - before
    if done.returncode:
        raise RuntimeError(f"{case.name}: exit {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")
    return Spent(wall * 1000, cpu * 1000)


def _children() -> float:
    """Seconds of processor that ended child processes took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rounds_of(cases: Sequence[Case], rounds: int, seed: int = 1) -> dict[str, list[Spent]]:
    """Every case once a round, in an order shuffled anew; one more before, not counted, warms bytecode and caches."""
    order = list(cases)
    shuffled = random.Random(seed)
    for case in order:
        spend(case)
    spent: dict[str, list[Spent]] = {case.name: [] for case in cases}
    for _ in range(rounds):
        shuffled.shuffle(order)
        for case in order:
            spent[case.name].append(spend(case))
    return spent


def medians(spent: Mapping[str, Sequence[Spent]]) -> dict[str, float]:
    """Median milliseconds of each case, by the clock and of the processor."""
    found: dict[str, float] = {}
    for name, all_of_it in spent.items():
        found[f"{name}, wall ms"] = median(each.wall for each in all_of_it)
        found[f"{name}, cpu ms"] = median(each.cpu for each in all_of_it)
    return found


def walls(spent: Sequence[Spent]) -> list[float]:
    """Milliseconds by the clock, a round each."""
    return [each.wall for each in spent]


def cpus(spent: Sequence[Spent]) -> list[float]:
    """Milliseconds of the processor, a round each."""
    return [each.cpu for each in spent]
