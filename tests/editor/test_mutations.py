"""Plans cut, torn and scribbled on: whatever is asked about them is answered."""

from __future__ import annotations

import random

import pytest

from loopstep.diagnostics.pages import PAGES
from loopstep.editor.analysis import Document
from loopstep.editor.complete import complete
from loopstep.editor.cursor import lines_of
from loopstep.editor.edits import Fix
from loopstep.editor.fixes import fixes
from loopstep.editor.hover import hover
from loopstep.editor.outline import outline
from loopstep.editor.symbols import symbols_at
from tests.house.modules import ROOT

SEEDS = 120
PLANS = [
    *((ROOT / "tests" / "golden" / "plans").glob("*.yaml")),
    *((ROOT / "docs" / "nodes" / "examples").glob("*.yaml")),
]
TEXTS = [path.read_text(encoding="utf-8") for path in sorted(PLANS)]
TEXTS += [page.wrong for page in PAGES.values() if page.wrong]
SCRIBBLES = [
    *("{", "}", "[", "]", '"', "'", ":", ": ", "- ", "\n", "\t", "#", "{{", "}}", "|", ">", "&a", "*a", "!t", ","),
    *("\0", "\ud800", "\u2028", "𝒜", "graph", "null", "~", "1e999", "..", "[0]", "state.", "  "),
]


def scribbled(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(text))
        what = chance.randint(0, 4)
        if what == 0:
            text = text[:at]
        elif what == 1:
            text = text[:at] + text[at + chance.randint(1, 60) :]
        elif what == 2:
            lines = text.split("\n")
            one = chance.randrange(len(lines))
            lines[one] = " " * chance.randint(0, 9) + lines[one].lstrip()
            text = "\n".join(lines)
        else:
            text = text[:at] + chance.choice(SCRIBBLES) + text[at:]
    return text


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_question_is_answered(seed: int) -> None:
    chance = random.Random(seed)
    document = Document(chance.choice(TEXTS))
    document.settle()
    document.text = scribbled(document.text, chance)
    analysis = document.analysis
    lines = lines_of(document.text)
    for _ in range(12):
        line = chance.randint(1, len(lines))
        column = chance.randint(1, len(lines[line - 1]) + 1)
        for item in complete(document, line, column):
            assert 1 <= item.start <= item.end and item.label and isinstance(item.insert, str)
        hover(analysis, line, column)
    symbols_at(document.text, 1, 1)
    for fault in analysis.diagnostics[:20]:
        assert all(isinstance(fix, Fix) for fix in fixes(analysis, fault))
    if analysis.own_view is not None:
        outline(analysis.own_view)
    for one in analysis.occurrences:
        assert one.name.path
