"""What is said about a wrong canvas, where, and nothing besides (CANVAS §2, LANGUAGE §10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.canvas.lower import import_canvas
from loopstep.diagnostics.pages import PAGES
from tests.canvas.drawing import ask, canvas, choice, codes, llm, lower, node

CANVAS_PAGES = [code for code, page in PAGES.items() if page.form == "canvas"]
END = node("end", "output", fields=[])


@pytest.mark.parametrize("code", CANVAS_PAGES)
def test_the_page_shows_it(code: str) -> None:
    wrong = import_canvas(PAGES[code].wrong)
    assert {each.code for each in wrong.diagnostics} == {code}
    right = import_canvas(PAGES[code].right)
    assert right.plan is not None and right.diagnostics == ()


CASES: dict[str, tuple[list[Any], tuple[str, ...], list[tuple[str, str]]]] = {
    "a cycle at the edge that closes it": (
        [ask(), llm("a", "ra"), llm("b", "rb")],
        ("ui a b a",),
        [("canvas.cycle", "/edges/2")],
    ),
    "a node that leads to itself": ([ask(), llm("a", "ra")], ("ui a a",), [("canvas.cycle", "/edges/1")]),
    "no nodes": ([], (), [("canvas.no_start", "/nodes")]),
    "both ends unknown": (
        [ask()],
        ("gone ui", "ui lost"),
        [("canvas.unknown_node", "/edges/0/source"), ("canvas.unknown_node", "/edges/1/target")],
    ),
    "an unknown type hides what hangs on it": (
        [ask(), node("a", "lm", outputs=[]), llm("b", "rb", "{{result}}")],
        ("ui a b",),
        [("document.invalid_value", "/nodes/1/type")],
    ),
    "a node id twice": (
        [ask(), llm("a", "ra"), llm("a", "rb")],
        ("ui a",),
        [("graph.duplicate_id", "/nodes/2/id")],
    ),
    "a handle that the condition has not": (
        [ask(), choice("c"), llm("a", "ra")],
        ("ui c", "c:2 a"),
        [("graph.unknown_port", "/edges/1/sourceHandle")],
    ),
    "a condition left without a handle": (
        [ask(), choice("c"), llm("a", "ra")],
        ("ui c a",),
        [("graph.unknown_port", "/edges/1/sourceHandle")],
    ),
    "parallel writers, once per pair": (
        [ask(), llm("a"), llm("b"), llm("c", "rc")],
        ("ui a c", "ui b c"),
        [("state.parallel_conflict", "/nodes/2")],
    ),
    "a parallel reader": (
        [ask(), llm("a", "x"), llm("b", "x"), llm("c", "rc", "{{x}}")],
        ("ui a b", "a c"),
        [("canvas.variable_shadowed", "/nodes/2/data/outputs/0/name"), ("state.parallel_conflict", "/nodes/3")],
    ),
    "writers on levels apart, in a graph that runs level by level": (
        [ask(), llm("a", "ra"), llm("b", "x"), llm("c", "x"), llm("d", "rd")],
        ("ui a c", "a d", "ui b d"),
        [("state.parallel_conflict", "/nodes/3/data/outputs/0/name"), ("state.parallel_conflict", "/nodes/4")],
    ),
    "an unknown placeholder once a node, a declared one at its declaration": (
        [ask(), llm("a", "ra", "{{no}} {{no}} {{ctx}}", inputs=[{"name": "ctx", "type": "string"}])],
        ("ui a",),
        [
            ("canvas.unknown_variable", "/nodes/1/data/userPrompt"),
            ("canvas.unknown_variable", "/nodes/1/data/inputs/0/name"),
        ],
    ),
    "a mapping to a node that does not lead here": (
        [ask(), llm("a", "ra"), llm("b", "rb", inputs=[{"name": "x", "mapping": {"nodeId": "a", "field": "ra"}}])],
        ("ui a", "ui b"),
        [("canvas.unknown_variable", "/nodes/2/data/inputs/0/mapping")],
    ),
    "a mapping to no node": (
        [ask(), llm("b", "rb", inputs=[{"name": "x", "mapping": {"nodeId": "iu", "field": "q"}}])],
        ("ui b",),
        [("canvas.unknown_node", "/nodes/1/data/inputs/0/mapping/nodeId")],
    ),
    "names and types of fields": (
        [ask("ui", "a b"), llm("a", "ra", inputs=[{"name": "q", "type": "text"}, {"type": "string"}])],
        ("ui a",),
        [
            ("canvas.invalid_name", "/nodes/0/data/variables/0/name"),
            ("document.invalid_value", "/nodes/1/data/inputs/0/type"),
            ("document.missing_field", "/nodes/1/data/inputs/1"),
        ],
    ),
    "the plan's own faults, at the data that caused them": (
        [
            ask(),
            llm("a", "ra", temperature=7),
            node("b", "agent"),
            node("k", "knowledgeRetrieval", query="{{q}}", source="X"),
        ],
        ("ui a b k",),
        [
            ("document.invalid_value", "/nodes/1/data/temperature"),
            ("document.missing_field", "/nodes/2"),
            ("document.invalid_value", "/nodes/3/data/source"),
        ],
    ),
    "a conversion that there is not": (
        [
            node("ui", "userInput", variables=[{"name": "n", "type": "number"}]),
            llm("a", "ra", inputs=[{"name": "n", "type": "filePath"}]),
        ],
        ("ui a",),
        [("convert.unsupported", "/nodes/1/data/inputs/0/name")],
    ),
    "a field that no retrieval brings": (
        [ask(), node("k", "knowledgeRetrieval", query="q", source="GRAPH", outputs=[{"name": "evidence"}])],
        ("ui k",),
        [("document.invalid_value", "/nodes/1/data/outputs/0/name")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str) -> None:
    nodes, ways, expected = CASES[case]
    imported = lower(nodes, *ways)
    assert sorted(codes(imported)) == sorted(expected)
    assert (imported.plan is None) == any(each.severity == "error" for each in imported.diagnostics)


def test_exclusive_writers_are_no_conflict() -> None:
    nodes = [ask(), choice("c"), llm("a", "x"), llm("b", "x"), llm("d", "rd", "{{x}}"), END]
    assert codes(lower(nodes, "ui c", "c:0 a d end", "c:1 b d")) == []


def test_shadowing_names_both_nodes() -> None:
    (said,) = lower([ask(), llm("a"), llm("b"), END], "ui a b end").diagnostics
    assert "`a`" in said.message and "`b`" in said.message
    assert [other.path for other in said.related] == ["/nodes/1"]


def test_a_placeholder_is_shown_within_its_text() -> None:
    document = json.dumps(canvas([ask(), llm("a", "ra", "say {{qq}}")], "ui a"), indent=1)
    (said,) = import_canvas(document).diagnostics
    line = document.split("\n")[said.line - 1]
    assert line[said.column - 1 : said.end_column - 1] == "{{qq}}"


@pytest.mark.parametrize(
    "document",
    ["", "[]", "{}", '{"nodes": {}}', '{"nodes": [1]}', '{"nodes": [{"id": "a"}], "edges": 1}', "{", "nodes: [",
     '{"nodes": [{"id": "a", "type": "llm", "data": 1}]}', '{"nodes": [{"id": "a", "type": 1}], "edges": [2, {}]}',
     '{"nodes": [{"id": "a", "type": "llm", "data": {"outputs": 3, "inputs": [1, {"name": 2}]}}]}'],
)  # fmt: skip
def test_nothing_is_ever_an_exception(document: str) -> None:
    imported = import_canvas(document)
    assert imported.plan is None
    assert any(each.severity == "error" for each in imported.diagnostics)
