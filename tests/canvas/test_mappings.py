"""Which fields a node's inputs can be taken from (CANVAS §2, Mapping options)."""

from __future__ import annotations

import json

from loopstep.canvas.mappings import mappings
from tests.canvas.drawing import ask, canvas, choice, llm, node


def fields(document: dict[str, object], name: str) -> list[tuple[str, str]]:
    found = mappings(json.dumps(document), name)
    assert found.options is not None
    return [(each["nodeId"], each["field"]) for each in found.options]


def test_nearest_first_each_once_with_jumps_and_the_other_arm() -> None:
    nodes = [ask(), llm("a", "ra"), llm("b", "rb"), choice("c"), llm("d", "rd"), llm("e", "re"), llm("beside", "x")]
    document = canvas(nodes, "ui a c", "c:0 d e", "ui b e", "a e", "ui beside")
    assert fields(document, "e") == [("d", "rd"), ("b", "rb"), ("a", "ra"), ("ui", "q")]
    assert fields(document, "ui") == []


def test_not_the_node_itself_nor_what_comes_behind_it() -> None:
    document = canvas([ask(), llm("a", "ra"), llm("b", "rb"), llm("c", "rc")], "ui a b a", "b c")
    assert fields(document, "b") == [("ui", "q")]
    assert fields(document, "c") == [("b", "rb"), ("a", "ra"), ("ui", "q")]


def test_an_output_node_has_the_files() -> None:
    wanted = [{"name": "f", "type": "filePath"}, {"name": "n", "type": "number"}]
    document = canvas(
        [ask(), node("o", "output"), llm("a", inputs=wanted), node("end", "output", fields=wanted)], "ui o a end"
    )
    found = mappings(json.dumps(document), "a").options
    assert found is not None
    assert [(each["field"], each["type"]) for each in found] == [
        ("_workingDirFiles", "array"), ("_runId", "string"), ("q", "string"),
    ]  # fmt: skip
    assert found[0]["fits"] == {"f": "converted", "n": "converted"}
    assert found[0]["conversion"]["f"] == "the first path"
    last = mappings(json.dumps(document), "end").options
    assert last is not None and last[0]["fits"] == {"f": "converted", "n": "converted"}  # an output's fields count too


def test_what_does_not_fit() -> None:
    variables = [{"name": "n", "type": "number"}]
    document = canvas(
        [node("ui", "userInput", variables=variables), llm("a", inputs=[{"name": "f", "type": "filePath"}])], "ui a"
    )
    (option,) = mappings(json.dumps(document), "a").options or []
    assert (option["fits"], option["conversion"], option["modes"]) == ({"f": "incompatible"}, {"f": ""}, {"f": []})


def test_unreadable_and_unknown() -> None:
    assert mappings("{", "a").diagnostics and mappings("{", "a").options is None
    found = mappings(json.dumps(canvas([ask()], "")), "gone")
    assert (found.options, found.known, found.diagnostics) == (None, False, ())
