"""Pictures of data without the places that hold nothing."""

from __future__ import annotations

from pathlib import Path

from loopstep.compiler.compile import compile
from loopstep.drawing.areas import lay_out_data
from loopstep.services.describe_places import describe_places

RACE = Path(__file__).resolve().parents[2] / "examples" / "cookbook" / "race.yaml"


def texts(empty: bool) -> list[str]:
    compiled = compile(RACE.read_bytes(), "race")
    assert compiled.plan is not None and compiled.program is not None
    data = describe_places(compiled.plan, compiled.program, compiled.flows)
    return [line.text for shape in lay_out_data(data, empty=empty).shapes for line in shape.texts]


def test_places_that_hold_nothing_can_be_left_out() -> None:
    whole, filled = texts(True), texts(False)
    assert "Run state" in whole and "(none)" in whole
    assert "Run state" not in filled and not [text for text in filled if text.startswith("(none")]
    assert {"Plan input", "Edge bindings", "Activation inputs", "first (join)"} <= set(filled)


def test_what_is_bound_is_in_both() -> None:
    for text in ("by ← winner.branch", "answer ← output.answer", "plan.input.question: string"):
        assert text in texts(True) and text in texts(False)
