"""`python -m tests.golden.released`, once when a version is released: keeps what its compiler writes, for ever.

Two files a version: the definitions of the conformance cases that run without people, by case, a line each, and the
API's description.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from loopstep import __version__
from loopstep.api.openapi import FILE
from loopstep.compiler.compile import compile
from loopstep.compiler.emit import emit

HERE = Path(__file__).resolve().parent
CASES = HERE.parents[1] / "conformance" / "cases"
PEOPLE = ("request_approval", "completion: callback")  # nobody answers in the process that runs them


def plans() -> list[Path]:
    """The cases, by name."""
    return [each for each in sorted(CASES.glob("*.yaml")) if not any(word in each.read_text() for word in PEOPLE)]


def definitions() -> dict[str, Any]:
    """What this compiler writes, by case; a function stands in it by its node type."""
    found = {}
    for plan in plans():
        program = compile(plan.read_bytes(), "p").program
        assert program is not None, plan
        found[plan.stem] = emit(program, lambda kind: kind)
    return found


def main() -> int:
    """Write this version's files; one that is there stays."""
    file, description = HERE / f"{__version__}.jsonl", HERE / f"{__version__}.openapi.json"
    there = [each.name for each in (file, description) if each.exists()]
    if there:
        print(f"{' and '.join(there)}: what was released does not change", file=sys.stderr)
        return 1
    description.write_bytes(FILE.read_bytes())
    lines = [json.dumps([name, machine], ensure_ascii=False) + "\n" for name, machine in definitions().items()]
    file.write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
