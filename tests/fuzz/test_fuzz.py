"""Fuzz targets (issue 5). `make fuzz` gives each 100,000 inputs; the suite a few, the same ones every time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import inputs, judges

COUNT = int(os.environ.get("LOOPSTEP_FUZZ", "0"))
SETTINGS = settings(
    max_examples=COUNT or 60,
    derandomize=not COUNT,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
ROWS = ['a,b\n1,2\n"x""y",\n', '{"a": 1, "b": [true, null]}\n{"a": "x"}\n', "subject,predicate,object\na,knows,b\n"]
PAGES = [
    "# T\n\ntext `x`\n\n## U\n\n- a\n- b\n\n```\ncode\n```\n",
    "<h1>T</h1><p>a &amp; b<ul><li>x</ul><!-- c --><script>1</script>",
]

TARGETS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]] = {
    "loader": (st.binary(max_size=200) | inputs.words() | inputs.bitten(inputs.PLANS), judges.loader),
    "plan": (inputs.grafted(inputs.PLANS) | inputs.bitten(inputs.PLANS), judges.plan),
    "canvas": (inputs.grafted(inputs.CANVASES) | inputs.bitten(inputs.CANVASES), judges.canvas),
    "expression": (inputs.words() | inputs.bitten(inputs.EXPRESSIONS), judges.expression),
    "template": (inputs.words() | inputs.bitten(inputs.TEMPLATES), judges.template),
    "skill": (inputs.bitten([inputs.SKILL]) | inputs.words().map(lambda text: f"---\n{text}"), judges.skill),
    "document": (st.binary(max_size=200) | inputs.words() | inputs.bitten([*ROWS, *PAGES]), judges.document),
}


@pytest.mark.parametrize("target", TARGETS)
def test_whatever_comes_in(target: str) -> None:
    strategy, judge = TARGETS[target]

    @SETTINGS
    @given(strategy)
    def whatever(data: Any) -> None:
        judge(data)

    whatever()
