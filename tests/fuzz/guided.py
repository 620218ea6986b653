"""Fuzzing by what code an input reaches: `.local/fuzz/bin/python -m tests.fuzz.guided [TARGET…]`, `make fuzz`.

Every target is a process of its own in which atheris counts the branches of loopstep, and changes what reached new
ones: half of the time as it likes, else as `seeds` does, so that a document stays one. An input that ends in an
exception, or takes more than SECONDS of the processor, is kept in `.local/fuzz/found/TARGET`; once mended it belongs to
`found/` here, whose files the suite tries again. The exit code is 0 where nothing was found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.house.modules import ROOT

TARGETS = ("loader", "plan", "canvas", "expression", "template", "skill", "document", "api")
KEPT = ROOT / ".local" / "fuzz" / "found"
LONGEST = {"expression": 600, "template": 600, "skill": 4000, "document": 4000}  # bytes of an input; else MOST
MOST = 8000
SECONDS = 2.0
SLOWER = 4  # times, where branches are counted
MEMORY = 1024  # MiB that a process may take
DONE = re.compile(r"Done (\d+) runs in (\d+) second")


def main(arguments: list[str] | None = None) -> int:
    """All targets, or the named ones, some side by side; a line for each, and what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--side-by-side", type=int, default=2)
    parser.add_argument("--inside", action="store_true", help="this process is a target's")
    chosen = parser.parse_args(arguments)
    if chosen.inside:
        _inside(chosen.targets[0], chosen.runs, chosen.seed)
    with ThreadPoolExecutor(chosen.side_by_side) as pool:
        return max(pool.map(lambda target: _outside(target, chosen.runs, chosen.seed), chosen.targets))


def _outside(target: str, runs: int, seed: int) -> int:
    """Run a target's process; 1 where it found something or ended early."""
    command = [sys.executable, "-m", "tests.fuzz.guided", target, "--inside", "--runs", str(runs), "--seed", str(seed)]
    before = set((KEPT / target).glob("*.txt"))
    paths = os.pathsep.join(str(ROOT / each) for each in ("layers/loopstep/python", "tests"))
    with tempfile.TemporaryDirectory() as folder:  # the process ends in the middle: its corpus is removed here
        environment = {**os.environ, "PYTHONPATH": paths, "TMPDIR": folder}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", errors="replace"
        )
    found = sorted(set((KEPT / target).glob("*.txt")) - before)
    said = DONE.search(done.stderr)
    told = f"{said[1]} inputs in {said[2]} s" if said else f"ended early with {done.returncode}: {done.stderr[-2000:]}"
    print(f"{target}: {told}, {len(found)} found{''.join(f'{chr(10)}  {each}' for each in found)}", flush=True)
    return 1 if found or not said or int(said[1]) < runs else 0


# -- in a target's process -------------------------------------------------------------------------------------------


def _inside(target: str, runs: int, seed: int) -> None:
    """Never returns: atheris ends the process."""
    import atheris

    with atheris.instrument_imports(include=["loopstep"]):
        from tests.fuzz import reading
    read = reading.TARGETS[target]()
    longest = LONGEST.get(target, MOST)

    def one(data: bytes) -> None:
        began = time.process_time()
        try:
            read(data)
        except Exception as error:
            _keep(target, data, error)
        else:
            if time.process_time() - began > SECONDS * SLOWER:
                _keep(target, data, None)

    def mutate(data: bytes, most: int, number: int) -> bytes:
        chosen = random.Random(number)
        if chosen.random() < 0.5:
            changed: bytes = atheris.Mutate(data, most)
            return changed
        return reading.spoiled(target, data, chosen)[:most]

    with _corpus(reading.seeds_of(target), longest) as folder:
        options = [f"-runs={runs}", f"-seed={seed}", f"-max_len={longest}", f"-rss_limit_mb={MEMORY}", "-timeout=60"]
        atheris.Setup([sys.argv[0], *options, "-len_control=0", str(folder)], one, custom_mutator=mutate)
        atheris.Fuzz()


@contextlib.contextmanager
def _corpus(seeds: list[bytes], longest: int) -> Iterator[Path]:
    """A folder of the seeds, to which atheris adds."""
    folder = Path(tempfile.mkdtemp(prefix="loopstep-fuzz-"))
    for number, seed in enumerate(seeds):
        (folder / f"seed{number}").write_bytes(seed[:longest])
    yield folder


def _keep(target: str, data: bytes, error: Exception | None) -> None:
    """One input for each place where something goes wrong, and the traceback beside it."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    own = [
        f"{frame.filename}:{frame.lineno}"
        for frame in frames
        if "/loopstep/" in frame.filename or "/fuzz/" in frame.filename
    ]
    place = f"{type(error).__name__} {own[-1] if own else ''}" if error else "slow"
    name = hashlib.sha256(place.encode()).hexdigest()[:12]
    folder = KEPT / target
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / f"{name}.txt").exists():
        (folder / name).write_bytes(data)
        told = "".join(traceback.format_exception(error)) if error else f"slower than {SECONDS} s"
        (folder / f"{name}.txt").write_text(told, encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
