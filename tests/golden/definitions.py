"""The definitions that are kept: of the examples in `statemachines/`, of the plans here in `definitions/`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loopstep.compiler.compile import compile
from loopstep.compiler.emit import emit

ROOT = Path(__file__).resolve().parents[2]
PLANS = {
    **{path: ROOT / "statemachines" / f"{path.stem}.asl.json" for path in sorted((ROOT / "examples").glob("*.yaml"))},
    **{
        path: ROOT / "tests" / "golden" / "definitions" / f"{path.stem}.asl.json"
        for path in sorted((ROOT / "tests" / "golden" / "plans").glob("*.yaml"))
    },
}


def definition_of(plan: Path) -> dict[str, Any]:
    compiled = compile(plan.read_bytes())
    assert compiled.program is not None, [diagnostic.to_json() for diagnostic in compiled.diagnostics]
    return emit(compiled.program)


def text_of(definition: dict[str, Any]) -> str:
    """As it is kept: indented, so that a change of it can be read."""
    return json.dumps(definition, ensure_ascii=False, indent=2) + "\n"


def written() -> Iterator[Path]:
    """Writes every kept definition anew (`make golden`)."""
    for plan, golden in PLANS.items():
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text_of(definition_of(plan)), encoding="utf-8")
        yield golden


if __name__ == "__main__":
    for path in written():
        print(path.relative_to(ROOT))
