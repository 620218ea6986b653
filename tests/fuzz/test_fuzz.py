"""Fuzz targets (issue 5). `make fuzz` gives each 100,000 inputs; the suite a few, the same ones every time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import inputs, judges, seeds

COUNT = int(os.environ.get("LOOPSTEP_FUZZ", "0"))
SETTINGS = settings(
    max_examples=COUNT or 60,
    derandomize=not COUNT,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TARGETS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]] = {
    "loader": (st.binary(max_size=200) | inputs.words() | inputs.bitten(seeds.PLANS), judges.loader),
    "plan": (inputs.grafted(seeds.PLANS) | inputs.bitten(seeds.PLANS), judges.plan),
    "canvas": (inputs.grafted(seeds.CANVASES) | inputs.bitten(seeds.CANVASES), judges.canvas),
    "expression": (inputs.words() | inputs.bitten(seeds.EXPRESSIONS), judges.expression),
    "template": (inputs.words() | inputs.bitten(seeds.TEMPLATES), judges.template),
    "skill": (inputs.bitten([seeds.SKILL]) | inputs.words().map(lambda text: f"---\n{text}"), judges.skill),
    "document": (
        st.binary(max_size=200) | inputs.words() | inputs.bitten([*seeds.ROWS, *seeds.PAGES]),
        judges.document,
    ),
}


@pytest.mark.parametrize("target", TARGETS)
def test_whatever_comes_in(target: str) -> None:
    strategy, judge = TARGETS[target]

    @SETTINGS
    @given(strategy)
    def whatever(data: Any) -> None:
        judge(data)

    whatever()
