"""Plans as large as they may be: nothing overlaps, and each edge can be told from the others in its picture."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from loopstep.drawing.layout import lay_out
from loopstep.drawing.picture import Line, Picture, numbers
from loopstep.drawing.svg import svg
from tests.bench.linear_plans import linear_plan
from tests.drawing.plans import large_plan, random_plan
from tests.drawing.test_layout import chart, check

LARGE: dict[str, Callable[[], str]] = {
    "regions": lambda: large_plan(1),
    "more regions": lambda: large_plan(2),
    "a chain": lambda: linear_plan(1000),
}


@pytest.mark.parametrize("name", LARGE)
def test_nothing_overlaps(name: str) -> None:
    given = chart(LARGE[name]())
    assert len(given.nodes) > 900
    picture = lay_out(given)
    check(given, picture)
    assert len(svg(picture)) < 2_500_000  # what an answer can carry, twice


@pytest.mark.parametrize("seed", range(12))
def test_every_edge_has_its_own_line_from_its_source(seed: int) -> None:
    given = chart(random_plan(seed))
    picture = lay_out(given)
    nodes = {shape.name: shape for shape in picture.shapes if shape.kind == "node"}
    labels = {shape.name: shape for shape in picture.shapes if shape.kind == "label"}
    lines = by_edge(picture)
    assert set(lines) == set(labels) - {""} == {edge.id for edge in given.edges}
    for edge in given.edges:
        source, label = nodes[edge.source], labels[edge.id]
        own = lines[edge.id]
        x, y = numbers(own[0].steps[0])
        assert abs(y - source.y - source.height) < 0.1 and source.x <= x <= source.x + source.width
        ends = [tuple(numbers(step)[-2:]) for line in own for step in line.steps]
        assert any(label.x <= x <= label.x + label.width and abs(y - label.y) < 0.1 for x, y in ends)
        assert {line.way for line in own} == {f"{edge.target}.{edge.enters}"}


@pytest.mark.parametrize("seed", range(12))
def test_every_other_line_says_where_it_leads(seed: int) -> None:
    given = chart(random_plan(seed))
    ways = {f"{edge.target}.{edge.enters}" for edge in given.edges} | {f"{given.entry}.in"}
    assert {line.way for line in lay_out(given).lines} <= ways


def by_edge(picture: Picture) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in picture.lines:
        if line.edge:
            found.setdefault(line.edge, []).append(line)
    return found


def test_the_svg_names_nodes_edges_and_regions() -> None:
    given = chart(random_plan(3))
    text = svg(lay_out(given))
    assert set(re.findall(r'<path [^>]*data-edge="(\w+)"', text)) == {edge.id for edge in given.edges}
    assert set(re.findall(r'data-region="([\w.]+)"', text)) == {".".join(place[-1]) for place in given.boxes}
