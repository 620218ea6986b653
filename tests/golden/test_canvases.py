"""A canvas in `examples/canvas` is a test: it lowers without a word to the plan that is kept, which compiles so too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopstep.canvas.lower import import_canvas
from loopstep.compiler.compile import compile
from loopstep.source.document import plain
from loopstep.source.load import load
from tests.golden.canvases import CANVASES, ROOT, text_of
from tests.registered import EVERYTHING


@pytest.mark.parametrize(("canvas", "golden"), CANVASES.items(), ids=lambda path: path.stem)
def test_the_plan_is_the_one_that_is_kept(canvas: Path, golden: Path) -> None:
    assert golden.exists(), "run `make golden`, and read what it writes"
    assert text_of(canvas) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("canvas", CANVASES, ids=lambda path: path.stem)
def test_nothing_is_to_be_said_about_it(canvas: Path) -> None:
    imported = import_canvas(canvas.read_bytes(), EVERYTHING)
    assert [each.to_json() for each in imported.diagnostics] == []
    root, faults = load(imported.text)
    assert root is not None and faults == []
    assert plain(root) == imported.plan
    for document in (imported.text, json.dumps(imported.plan)):
        compiled = compile(document, None, EVERYTHING)
        assert compiled.program is not None and compiled.diagnostics == ()


def test_no_kept_plan_is_without_its_canvas() -> None:
    assert set((ROOT / "tests/golden/canvas").glob("*.yaml")) == set(CANVASES.values())
    assert len(CANVASES) >= 6
