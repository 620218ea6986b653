"""Inputs that are paths: whether something is there is told, and fails nothing (CANVAS §4.1)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from runtime_world import RUN, text_reply

from loopstep.runtime.path_warnings import path_warnings
from loopstep.runtime.working_directory import WorkingDirectory
from loopstep.types.schema import fields_from_json
from tests.memory_files import MemoryFiles

FIELDS = {"a": "filePath", "b": "directoryPath", "c": "string"}


def said(files: MemoryFiles, **values: Any) -> list[str]:
    situation: Any = SimpleNamespace(
        lost=("n (number) is left out: why",),
        spec=SimpleNamespace(fields=fields_from_json(FIELDS)),
        input=values,
        head=SimpleNamespace(run="r"),
    )
    first, *others = path_warnings(situation, lambda run: WorkingDirectory(files, run))
    assert first == "n (number) is left out: why"
    return others


def test_a_path_that_leads_to_nothing_is_told() -> None:
    files = MemoryFiles()
    files.write("r", "docs/a.md", b"")
    files.write("other", "x", b"")
    assert said(files, a="docs/a.md", b="docs", c="x") == []
    assert said(files, a="./docs/a.md", b="./docs/") == []
    assert said(files, a="x") == ["a: x is not in the working directory"]
    assert said(files, a="docs", b="docs/a.md") == [
        "a: docs is not in the working directory",
        "b: docs/a.md is not in the working directory",
    ]
    assert said(files) == []


def test_nobody_looks_where_no_input_is_a_path() -> None:
    situation: Any = SimpleNamespace(
        lost=(), spec=SimpleNamespace(fields=fields_from_json({"c": "string"})), input={"c": "x"}
    )
    assert list(path_warnings(situation, lambda run: 1 / 0)) == []  # type: ignore[arg-type, return-value]


def test_it_stands_in_what_the_attempt_used(world: Any) -> None:
    world.start(input={"f": "docs/a.md"})
    spec = {
        "id": "m",
        "input": {"f": "filePath"},
        "in": {"": {"f": ["ref", "plan", "input", "f"]}},
        "prompt": ["Read it."],
        "output": {"result": "string!"},
        "out": {"completed": [["e"]], "failed": [["f"]]},
    }
    world.models.says(text_reply("ok"))
    world.invoke("llm", spec)
    assert world.activation("m#")["tries"][-1]["usage"]["warnings"] == ["f: docs/a.md is not in the working directory"]
    world.clear()
    world.start(input={"f": "docs/a.md"})
    world.s3.put_object(Bucket="values", Key=f"files/{RUN}/docs/a.md", Body=b"")
    world.models.says(text_reply("ok"))
    world.invoke("llm", spec)
    assert "warnings" not in world.activation("m#")["tries"][-1]["usage"]
