"""SVG: well-formed whatever the texts, with title and description, for light and dark, without anything active."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from loopstep.drawing.areas import lay_out_data
from loopstep.drawing.chart import chart_of
from loopstep.drawing.layout import lay_out
from loopstep.drawing.mermaid import escaped, mermaid
from loopstep.drawing.svg import svg
from loopstep.drawing.widths import code_width, cut, width, wrapped

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '"><script>alert(1)</script> & \x00\x1b[2J \ud800 \u202e ]]> <!-- \ufffe 订单'


def graph(title: str = "", when: str = "") -> dict[str, Any]:
    nodes = [
        {"id": "a", "type": "fan_out", "title": title, "look": "control", "enclosing": []},
        {"id": "b", "type": "pass", "title": "", "look": "step", "enclosing": [{"nodeId": "a", "part": "item"}]},
        {"id": "c", "type": "end", "title": "", "look": "succeeded", "enclosing": []},
    ]
    edges = [
        {"id": "e1", "source": {"nodeId": "a", "port": "item"}, "target": {"nodeId": "b", "port": "in"}},
        {"id": "e2", "source": {"nodeId": "b", "port": "completed"}, "target": {"nodeId": "c", "port": "in"}},
        {"id": "e3", "source": {"nodeId": "a", "port": "failed"}, "target": {"nodeId": "c", "port": "in"}},
    ]
    edges[2] |= {"when": when} if when else {}
    regions = [{"kind": "items", "nodeId": "a", "part": "item", "title": f"a: each {title}"}]
    return {
        "name": "p",
        "title": title,
        "entry": {"nodeId": "a", "port": "in"},
        "nodes": nodes,
        "edges": edges,
        "regions": regions,
    }


def test_what_is_in_it() -> None:
    root = ET.fromstring(svg(lay_out(chart_of(graph("Orders", "error.code == 'x'")))))
    names = {each.get("data-id") for each in root.iter(f"{SVG}g")} - {None}
    assert names == {"a", "b", "c", "e1", "e2", "e3"}
    title, about = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and about is not None
    assert (title.text, root.get("role")) == ("Orders", "img")
    assert about.text == "Flow graph of the plan p: 3 nodes, 3 edges; starts at a."
    assert root.get("aria-labelledby") == f"{title.get('id')} {about.get('id')}"
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert {"item", "completed", "failed", "error.code == 'x'", "a: each Orders"} <= set(texts)
    style = root.find(f"{SVG}style")
    assert style is not None and style.text and "@media (prefers-color-scheme:dark)" in style.text
    assert "var(" not in style.text  # not every renderer knows it


def test_hostile_texts_stay_texts() -> None:
    text = svg(lay_out(chart_of(graph(HOSTILE, HOSTILE))))
    root = ET.fromstring(text.encode("utf-8"))
    assert not [each for each in root.iter() if each.tag.endswith("script")]
    assert "\u202e" not in text and not re.search(r"[\x00-\x08\x1b\ud800\ufffe]", text)


def test_the_same_picture_gives_the_same_text_and_ids_of_its_own() -> None:
    one, other = (svg(lay_out(chart_of(graph(title)))) for title in ("One", "Other"))
    assert one == svg(lay_out(chart_of(graph("One"))))
    ids = [set(re.findall(r' id="([^"]+)"', each)) for each in (one, other)]
    assert not ids[0] & ids[1]  # two pictures can stand in one page


def test_mermaid() -> None:
    assert mermaid(chart_of(graph("Orders", "error.code == 'x'"))).splitlines()[:14] == [
        "flowchart TD",
        "  accTitle: Orders",
        "  accDescr: Flow graph of the plan p  3 nodes, 3 edges  starts at a.",
        '  n_a{{"Orders<br/>a<br/>fan_out"}}:::control',
        '  n_c(["c<br/>end"]):::succeeded',
        '  subgraph r0["a: each Orders"]',
        '    n_b["b<br/>pass"]',
        "  end",
        '  start(("start"))',
        "  start --> n_a",
        '  n_a -->|"item"| n_b',
        '  n_b -->|"completed"| n_c',
        "  n_a -.->|\"failed<br/>error.code == 'x'\"| n_c",
        "  classDef outside fill:#e8f8f5,stroke:#2a8f7f,color:#1c2330",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('say "x" <b> #1', "say #34;x#34; #60;b#62; #35;1"),
        ("1. first", "1#46; first"),
        ("- x", "#45; x"),
        ("a\nb\u202ec", "a b c"),
        ("`x`", "#96;x#96;"),
    ],
)
def test_mermaid_labels(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_no_text_is_wider_than_its_shape() -> None:
    picture = lay_out(chart_of(graph("W" * 300 + " 订" * 80, "plan.input.客户名称 == '上海' && " * 40)))
    for shape in picture.shapes:
        for text in shape.texts:
            code = text.style == "when"
            size = 13.0 if text.style == "name" else 11.0
            wide = code_width(text.text, size) if code else width(text.text, size, bold=text.style in ("name", "title"))
            assert wide <= shape.width + 0.1, text.text


def test_texts_are_cut_and_broken_by_their_width() -> None:
    assert cut("abc", 10, 100) == "abc"
    assert wrapped("one two three", 10, 50, 2) == ["one two", "three"]
    lines = wrapped("订单" * 40, 10, 100, 3)
    assert len(lines) == 3 and lines[-1].endswith("…")
    assert all(width(line, 10) <= 100 for line in lines)
    assert wrapped("", 10, 40, 2) == []
    assert width("e\u0301", 10) == width("e", 10)


def test_the_places_for_data_do_not_overlap() -> None:
    data = {
        "name": "p",
        "title": "",
        "input": {f"f{i}": "string" for i in range(9)},
        "state": {},
        "output": {"x": "number"},
        "nodes": [
            {
                "id": f"n{i}",
                "type": "pass",
                "input": {"v": "string"},
                "outputs": [{"port": "completed", "fields": {"r": "string"}}],
                "sees": ["plan", "state", "input"],
                "sets": [{"target": "state.x", "text": "state.x ← " + "长" * 90, "reads": []}],
                "ends": False,
            }
            for i in range(12)
        ],
        "edges": [
            {
                "id": f"e{i}",
                "source": f"n{i}",
                "port": "completed",
                "target": f"n{i + 1}",
                "sees": ["plan", "state", "input", "output"],
                "rows": [
                    {"target": "v", "text": "v ← x", "reads": ["plan.input.f1", "output.r", "input.v", "state.no"]}
                ],
            }
            for i in range(11)
        ],
    }
    picture = lay_out_data(data)
    cards = [shape for shape in picture.shapes if shape.kind == "card"]
    areas = [shape for shape in picture.shapes if shape.kind == "area"]
    assert [len(areas), len(cards)] == [5, 2 + 13 + 11 + 12]
    for row in (cards, areas):
        for index, one in enumerate(row):
            for other in row[index + 1 :]:
                apart = one.x + one.width <= other.x or other.x + other.width <= one.x
                assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y
    assert len(picture.lines) == 11 * 4
    for line in picture.lines:  # they run between the columns only
        for step in line.steps:
            x = step[-2]
            assert isinstance(x, float) and any(abs(x - edge) < 1 for s in cards for edge in (s.x, s.x + s.width))
    ET.fromstring(svg(picture))


@pytest.mark.parametrize("port", ["approved", "rejected"])
def test_a_read_output_is_that_of_the_edges_port(port: str) -> None:
    fields = {"decision": "string", "comment": "string, optional"}
    ask: dict[str, Any] = {"id": "ask", "type": "request_approval", "input": {}, "sees": [], "sets": [], "ends": False}
    ask["outputs"] = [{"port": one, "fields": fields} for one in ("approved", "rejected")]
    edge: dict[str, Any] = {"id": "e", "source": "ask", "port": port, "target": "done", "sees": ["output"]}
    edge["rows"] = [{"target": "v", "text": "v ← output.decision", "reads": ["output.decision"]}]
    data = {"name": "p", "title": "", "input": {}, "state": {}, "output": {}, "nodes": [ask], "edges": [edge]}
    picture = lay_out_data(data)
    (line,) = picture.lines
    (card,) = [shape for shape in picture.shapes if shape.kind == "card" and shape.name == f"ask.{port}"]
    y = line.steps[0][2]
    assert isinstance(y, float) and card.y < y < card.y + card.height
