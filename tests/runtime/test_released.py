"""Definitions that released compilers wrote run on the newest functions, and end as the conformance cases say."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runtime_engine import Engine

from loopstep import __version__
from loopstep.runs import keys
from loopstep.runs.values import decode
from tests.golden.released.__main__ import CASES, HERE, PEOPLE, plans

RELEASED = sorted(HERE.glob("*.jsonl"))
TIMED = ("a_race_between_branches",)  # time decides who is first, and here none passes


@cache
def kept(file: Path) -> dict[str, Any]:
    return dict(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


def runs() -> list[tuple[Path, str]]:
    return [(file, name) for file in RELEASED for name in kept(file) if name not in TIMED]


def test_this_version_is_kept() -> None:
    assert __version__ in {file.stem for file in RELEASED}, "python -m tests.golden.released"
    assert PEOPLE and {*kept(HERE / f"{__version__}.jsonl")} <= {plan.stem for plan in plans()}


@pytest.mark.parametrize(("file", "name"), runs(), ids=lambda value: getattr(value, "stem", value))
def test_a_released_definition_runs(memory: Any, file: Path, name: str) -> None:
    cases = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))["runs"]
    for case in cases:
        if "status" not in case or "steps" in case or "rejected" in case:
            continue
        memory.clear()
        engine = Engine(memory, (CASES / f"{name}.yaml").read_text(encoding="utf-8"))
        engine.definition = kept(file)[name]
        engine.run(case["input"])
        run = memory.run()
        assert (run["status"], run["error"]["code"] if run["error"] else None) == (
            case["status"],
            case.get("errorCode"),
        )
        if "output" in case:
            assert run["output"] == case["output"]
        if "messages" in case and case["status"] == "succeeded":
            sent = [each for each in memory.items() if each["sk"]["S"].startswith(keys.MESSAGE)]
            texts = [memory.store().values.read(decode(each["text"])) for each in sent]
            assert sorted(texts) == sorted(each["text"] for each in case["messages"])
