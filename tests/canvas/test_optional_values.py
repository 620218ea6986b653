"""What does not convert: left out where it is optional, a fault that says what was tried where not (CANVAS §2, §3)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from loopstep.canvas.lower import Imported, import_canvas
from loopstep.convert.registry import TARGETS, convert, fit, sure
from tests.canvas.drawing import ask, canvas, codes, edge_into, llm, lower, node, plan_node
from tests.canvas.walk import Stopped, Walk

VALUES = ("abc", "12", "", True, 0.5, {}, {"a": 1}, [], [1, "b"])


def walked(imported: Imported, **given: Any) -> Walk:
    assert imported.plan is not None, codes(imported)
    return Walk(imported.plan, random.Random(1)).run(given)


@pytest.mark.parametrize("required", [False, True])
def test_an_input_of_a_model(required: bool) -> None:
    wanted = [{"name": "n", "type": "number", "required": required, "mapping": {"nodeId": "ui", "field": "q"}}]
    imported = lower([ask(), llm("a", "ra", inputs=wanted), node("out", "output")], "ui a out")
    assert walked(imported, q="12").state["ra"]
    if required:
        with pytest.raises(Stopped, match=r"precondition\.type"):
            walked(imported, q="abc")
    else:
        assert walked(imported, q="abc").state["ra"]


@pytest.mark.parametrize("required", [False, True])
def test_a_variable_of_the_invocation(required: bool) -> None:
    variables = [{"name": "n", "type": "number", "required": required}, {"name": "t", "type": "string"}]
    imported = lower([node("ui", "userInput", variables=variables), node("out", "output")], "ui out")
    assert walked(imported, n="12", t=True).state == {"n": 12, "t": "true"}
    if required:
        with pytest.raises(Stopped, match=r"precondition\.type"):
            walked(imported, n="abc", t="x")
    else:
        assert walked(imported, n="abc", t="x").state == {"t": "x"}


def test_a_field_of_an_output() -> None:
    fields = [{"name": "n", "type": "number", "mapping": {"nodeId": "ui", "field": "q"}}, {"name": "q"}]
    imported = lower([ask(), node("out", "output", fields=fields)], "ui out")
    delivered = walked(imported, q="abc").output
    assert delivered is not None and {name: delivered[name] for name in delivered if name[0] != "_"} == {"q": "abc"}


@pytest.mark.parametrize("to", TARGETS)
def test_a_sure_conversion_gives_a_value_of_everything(to: str) -> None:
    failed = [value for value in VALUES if convert(value, "value", to)[1] is not None]
    assert sure("value", to) == (not failed)


def test_what_never_gives_a_value_is_no_option() -> None:
    for kind, source in (("sourceType", "string"), ("diagnostics", "object"), ("evidence", "object")):
        assert fit(kind, source, "number") == "incompatible"
        assert fit(kind, source, "boolean") == "converted"


@pytest.mark.parametrize(
    ("data", "number"),
    [
        ({"knowledgeBaseIds": [12]}, {"value": 12}),
        ({"knowledgeBaseId": "7", "knowledgeBaseIds": [12]}, {"value": 7}),
        ({"knowledgeBaseIds": ["handbook"]}, {"ref": "output.knowledgeBaseId"}),
    ],
)
def test_the_number_of_a_knowledge_base_is_what_the_node_says(data: dict[str, Any], number: dict[str, Any]) -> None:
    wanted = [{"name": "knowledgeBaseId", "type": "number"}]
    found = node("k", "knowledgeRetrieval", query="{{q}}", source="HYBRID", outputs=wanted, **data)
    imported = lower([ask(), found, node("out", "output")], "ui k out")
    assert edge_into(imported, "k_set")["bindings"] == {"knowledgeBaseId": number}


def test_faults_of_the_lowered_plan_say_so() -> None:
    many = [llm(f"l{i}", f"v{i}") for i in range(300)]
    (only,) = lower([ask(), *many], "ui " + " ".join(each["id"] for each in many)).diagnostics
    assert only.code == "document.too_large" and "plan that this canvas lowers to" in only.message
    assert "split the canvas" in only.hint


def test_two_edges_of_one_id_are_one_fault() -> None:
    document = canvas([ask(), llm("a", "ra"), llm("b", "rb")], "ui a b")
    document["edges"][1]["id"] = "e0"
    (only,) = import_canvas(json.dumps(document)).diagnostics
    assert only.code == "graph.duplicate_id" and only.path == "/edges/1/id"
    assert [one.path for one in only.related] == ["/edges/0"]


@pytest.mark.parametrize("prompt", ["\\{{q}}", "{{{q}}}", "\\\\{{{{q}}}}"])
def test_the_author_s_own_characters_are_no_data(prompt: str) -> None:
    from loopstep.expressions.template import compile_parts, parse_template
    from loopstep.runtime.prompts import compile_prompt

    imported = lower([ask(), llm("a", "ra", prompt)], "ui a")
    parts, faults = parse_template(plan_node(imported, "a")["llm"]["prompt"])
    assert not faults
    shown = compile_prompt(compile_parts(parts))({"input": {"q": "Ada"}})
    assert shown == prompt.replace("{{q}}", "<data>Ada</data>")
