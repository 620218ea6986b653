"""Nothing overlaps, whatever the plan: nodes, labels and boxes are apart, and no line runs through a node."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.compiler.compile import compile
from loopstep.drawing.chart import Chart, chart_of
from loopstep.drawing.layout import lay_out
from loopstep.drawing.picture import Line, Picture, Shape, numbers
from loopstep.services.describe_graph import describe_graph
from tests.drawing.plans import random_plan

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted([*(ROOT / "examples").glob("*.yaml"), *(ROOT / "tests/golden/plans").glob("*.yaml")])
TOUCH = 0.05  # pixels


def chart(document: str | bytes) -> Chart:
    compiled = compile(document)
    assert compiled.plan and compiled.program, [each.to_json() for each in compiled.diagnostics]
    return chart_of(describe_graph(compiled.plan, compiled.program))


def overlap(one: Shape, other: Shape) -> bool:
    return (
        one.x + TOUCH < other.x + other.width
        and other.x + TOUCH < one.x + one.width
        and one.y + TOUCH < other.y + other.height
        and other.y + TOUCH < one.y + one.height
    )


def inside(one: Shape, box: Shape) -> bool:
    return (
        box.x - TOUCH <= one.x
        and one.x + one.width <= box.x + box.width + TOUCH
        and box.y - TOUCH <= one.y
        and one.y + one.height <= box.y + box.height + TOUCH
    )


def pairs(shapes: list[Shape]) -> Iterator[tuple[Shape, Shape]]:
    """Those pairs whose heights meet; the others cannot overlap."""
    shapes = sorted(shapes, key=lambda shape: shape.y)
    for index, one in enumerate(shapes):
        for other in shapes[index + 1 :]:
            if other.y >= one.y + one.height:
                break
            yield one, other


def points(line: Line) -> Iterator[tuple[float, float]]:
    """Places along a line, close enough together that none jumps over a node."""
    x = y = 0.0
    for step in line.steps:
        ends = [(x, y), *_ends(numbers(step))]
        if step[0] != "M":
            yield from _along(ends)
        x, y = ends[-1]


def _ends(values: list[float]) -> list[tuple[float, float]]:
    return list(zip(values[::2], values[1::2], strict=True))


def _along(ends: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Points of a Bézier curve of any degree, by de Casteljau."""
    for part in range(13):
        t, level = part / 12, ends
        while len(level) > 1:
            level = [(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in itertools.pairwise(level)]
        yield level[0]


def check(given: Chart, picture: Picture) -> None:
    nodes = [shape for shape in picture.shapes if shape.kind in ("node", "start")]
    labels = [shape for shape in picture.shapes if shape.kind == "label"]
    boxes = [shape for shape in picture.shapes if shape.kind == "box"]
    assert {shape.name for shape in nodes} - {""} == set(given.nodes)
    assert {shape.name for shape in labels} - {""} == {edge.id for edge in given.edges}
    for one, other in pairs([*nodes, *labels]):
        assert not overlap(one, other), (one.name, other.name)
    for one, other in pairs(boxes):
        assert not overlap(one, other) or inside(one, other) or inside(other, one)
    by_place = dict(zip(given.boxes, boxes, strict=True))
    for shape in nodes:
        place = given.nodes[shape.name].place if shape.name else ()
        for where, box in by_place.items():
            if place[: len(where)] == where:
                assert inside(shape, box), shape.name
            else:
                assert not overlap(shape, box), shape.name
    paper = Shape("paper", "", "", 0, 0, picture.width, picture.height)
    assert all(inside(shape, paper) for shape in picture.shapes)
    for line in picture.lines:
        for step in line.steps:
            values = numbers(step)
            assert all(0 < x < picture.width for x in values[::2]) and all(0 < y < picture.height for y in values[1::2])
    check_lines(picture, nodes)
    check_ends(picture, nodes)


def check_lines(picture: Picture, nodes: list[Shape]) -> None:
    """A line touches the borders of its ends only. Nodes are sorted by height into bands, so that it stays quick."""
    bands: dict[int, list[Shape]] = {}
    for node in nodes:
        for band in range(int(node.y // 100), int((node.y + node.height) // 100) + 1):
            bands.setdefault(band, []).append(node)
    for line in picture.lines:
        for x, y in points(line):
            for node in bands.get(int(y // 100), ()):
                within = node.x + 0.5 < x < node.x + node.width - 0.5
                assert not (within and node.y + 0.5 < y < node.y + node.height - 0.5), node.name


def check_ends(picture: Picture, nodes: list[Shape]) -> None:
    """Every line ends at a node with an arrow, or where another line goes on; so no edge ends in the open."""
    corners: dict[tuple[int, int], set[int]] = {}
    for index, line in enumerate(picture.lines):
        for step in line.steps:
            x, y = numbers(step)[-2:]
            for dx, dy in itertools.product((-1, 0, 1), repeat=2):
                corners.setdefault((round(x) + dx, round(y) + dy), set()).add(index)
    for index, line in enumerate(picture.lines):
        x, y = numbers(line.steps[-1])[-2:]
        if line.arrow:
            assert any(abs(node.y - y) < 1 and node.x <= x <= node.x + node.width for node in nodes)
        else:
            assert corners[round(x), round(y)] - {index}, line


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    given = chart(path.read_bytes())
    check(given, lay_out(given))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_random_plans(seed: int) -> None:
    plan = chart(random_plan(seed))
    check(plan, lay_out(plan))


def test_the_same_plan_gives_the_same_picture() -> None:
    assert lay_out(chart(random_plan(7))) == lay_out(chart(random_plan(7)))


def test_a_graph_with_a_circle_that_no_plan_has() -> None:
    """The layout does not depend on the compiler having seen the graph."""
    ends = {"port": "completed"}
    nodes = [{"id": name, "type": "pass", "title": ""} for name in "abc"]
    ways = [("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")]
    edges = [{"id": s + t, "source": {"nodeId": s, **ends}, "target": {"nodeId": t, "port": "in"}} for s, t in ways]
    given = chart_of({"entry": None, "nodes": nodes, "edges": edges})
    check(given, lay_out(given))


def test_an_empty_graph() -> None:
    given = chart_of({"entry": None, "nodes": [], "edges": []}, "nothing")
    assert lay_out(given).shapes == ()
