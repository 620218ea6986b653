"""`python -m tests.bench`: take all measurements, print them, write results.json. The exit code judges nothing."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from tests.bench import report
from tests.bench.cloud import session
from tests.bench.figures import Measurement

CLOUD = ("chains", "states", "regions", "loops", "retrieval")  # these need the local cloud
ALL = (
    "compile",
    "imports",
    "chains",
    "regions",
    "loops",
    "states",
    "expressions",
    "definitions",
    "sizes",
    "canvas",
    "drawing",
    "editor",
    "retrieval",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every measurement could be taken, whatever it says; 1 otherwise."""
    chosen = _arguments(arguments)
    console, before, taken, failed = Console(stderr=chosen.json), report.machine(), [], False
    with _cloud(chosen.only) as cloud:
        for name in chosen.only:
            try:
                measurement = _measure(name, cloud, chosen.rounds)
            except Exception as fault:  # one that cannot be taken must not lose the others
                console.print(f"{name}: {fault}", style="red", markup=False)
                failed = True
                continue
            taken.append(measurement)
            report.print_measurement(console, measurement)
    data = report.results(taken, before)
    report.write_results(data)
    if chosen.json:
        json.dump(data, sys.stdout, indent=2, ensure_ascii=False)
        print()
    return 1 if failed else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ALL, default=ALL, metavar="NAME", help=f"of {', '.join(ALL)}")
    parser.add_argument("--rounds", type=int, help="of what is timed; default: as each measurement says")
    parser.add_argument("--json", action="store_true", help="print results.json on stdout, the table on stderr")
    return parser.parse_args(arguments)


@contextlib.contextmanager
def _cloud(names: Sequence[str]) -> Iterator[Any]:
    """The local cloud where a chosen measurement needs it, else None."""
    if not set(names) & set(CLOUD):
        yield None
        return
    with session() as cloud:
        yield cloud


def _measure(name: str, cloud: Any, rounds: int | None) -> Measurement:
    """Import and take one measurement."""
    module = importlib.import_module(f"tests.bench.{name}")
    given = [cloud] if name in CLOUD else []
    more = {} if rounds is None else {"rounds": rounds}
    measurement: Measurement = module.measure(*given, **more)
    return measurement


if __name__ == "__main__":
    sys.exit(main())
