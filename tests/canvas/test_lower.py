"""What a canvas becomes (CANVAS §2, §3)."""

from __future__ import annotations

import json

from loopstep.canvas.lower import import_canvas
from tests.canvas.drawing import ask, canvas, choice, codes, edge_into, ids, llm, lower, node, plan_node

END = node("end", "output", fields=[])


def test_the_plan_input_is_of_any_type_and_required_as_declared() -> None:
    variables = [{"name": "a", "type": "number", "required": True}, {"name": "b", "type": "filePath"}]
    imported = lower([node("ui", "userInput", variables=variables), END], "ui end")
    assert imported.plan is not None and imported.plan["input"] == {
        "a": {"type": "any", "required": True},
        "b": {"type": "any"},
    }
    made = plan_node(imported, "ui")
    assert made["setVariable"]["assignments"] == [
        {"state": "a", "value": {"ref": "input.a"}},
        {"state": "b", "value": {"ref": "plan.input.b", "convert": {"to": "filePath", "orAbsent": True}}},
    ]
    assert (made["input"], made["preconditions"]) == ({"a": {"type": "number"}}, ["a"])
    assert imported.plan["graph"]["entry"]["input"] == {"a": {"ref": "plan.input.a", "convert": {"to": "number"}}}


def test_other_ids_become_plan_ids_and_stay_as_titles() -> None:
    nodes = [ask("提问"), llm("n_0", "x"), llm("b-1", "y"), node("n_2", "output")]
    document = canvas(nodes, "提问 n_0 b-1 n_2")
    document["edges"][0]["id"] = "vueflow__edge-1"
    document["edges"][1]["id"] = "n_0"
    imported = import_canvas(json.dumps(document))
    assert [(each, plan_node(imported, each).get("title")) for each in ids(imported) if "_set" not in each] == [
        ("n_0_", "提问"), ("n_0", None), ("n_2_", "b-1"), ("n_2_files", None), ("n_2", None),
    ]  # fmt: skip
    assert [edge_into(imported, each)["id"] for each in ("n_0", "n_2_")] == ["n_0_", "n_0"]


def test_a_label_is_the_title() -> None:
    assert plan_node(lower([ask("ui", "q", label="Ask")], ""), "ui")["title"] == "Ask"


def test_a_model_reads_every_variable_before_it_and_no_other() -> None:
    nodes = [ask("ui", "q", "p"), llm("a", "ra"), llm("b", "rb"), llm("c", "rc"), llm("d", "rd"), END]
    imported = lower(nodes, "ui a c end", "ui b d end")
    made = plan_node(imported, "c")
    assert list(made["input"]) == ["q", "p", "ra"] and made["llm"]["context"] == "input"
    assert edge_into(imported, "c")["bindings"]["ra"] == {"ref": "state.ra"}


def test_modes_mappings_and_preconditions() -> None:
    inputs = [
        {
            "name": "ctx",
            "type": "string",
            "required": True,
            "mapping": {"nodeId": "k", "field": "evidences"},
            "mode": "concat",
        },
        {"name": "evidences", "type": "array", "required": True},
        {"name": "q", "type": "number"},
    ]
    nodes = [
        ask(),
        node("k", "knowledgeRetrieval", query="{{q}}", source="DOCUMENT"),
        llm("a", "ra", "{{ctx}} {{q}}", inputs=inputs),
    ]
    imported = lower(nodes, "ui k a")
    made, bindings = plan_node(imported, "a"), edge_into(imported, "a")["bindings"]
    assert made["preconditions"] == ["ctx", "evidences_array"]
    assert bindings["ctx"] == {
        "ref": "state.evidences",
        "convert": {"to": "string", "mode": "concat", "from": "evidences"},
    }
    assert bindings["evidences"] == {"ref": "state.evidences", "convert": {"to": "string", "from": "evidences"}}
    assert bindings["evidences_array"] == {"ref": "state.evidences"}
    assert bindings["q"] == {"ref": "state.q"} and bindings["q_number"]["convert"] == {"to": "number", "orAbsent": True}
    assert made["llm"]["prompt"] == "{{ input.ctx }} {{ input.q }}" and made["llm"]["missing"] == "keep"
    assert made["llm"]["context"] == ["q", "evidences", "evidenceCount", "sourceType", "diagnostics"]


def test_a_variable_of_several_writers() -> None:
    several = [{"name": "x", "type": "number"}, {"name": "y", "type": "string"}]
    nodes = [ask(), choice("c"), llm("a", "x"), llm("b", outputs=several), llm("d", "rd", "{{x}}"), END]
    imported = lower(nodes, "ui c", "c:0 a d", "c:1 b d end")
    assert imported.plan is not None and imported.plan["state"]["x"] == {"type": "any"}
    assert plan_node(imported, "b")["output"] == {"x": {"type": "number"}, "y": {"type": "string"}}
    edges = [each for each in imported.plan["graph"]["edges"] if each["target"]["nodeId"] == "d"]
    assert [each["bindings"]["x"] for each in edges] == [{"ref": "state.x", "convert": {"to": "string"}}] * 2


def test_series_and_parallel_parts_are_regions() -> None:
    nodes = [ask(), llm("a", "ra"), llm("b", "rb"), llm("c", "rc"), llm("d", "rd"), END]
    imported = lower(nodes, "ui a b d end", "ui c d", "ui d")  # the last says nothing new
    assert [each for each in ids(imported) if "_set" not in each] == [
        "ui", "ui_fork", "a", "b", "c", "ui_fork_join", "d", "end_files", "end",
    ]  # fmt: skip
    assert plan_node(imported, "ui_fork")["fanOut"]["branches"] == ["a", "c"]


def test_several_starts_begin_at_once() -> None:
    imported = lower([ask("one", "a"), ask("two", "b"), llm("x", "rx", "{{a}}{{b}}"), END], "one x end", "two x")
    assert imported.plan is not None and imported.plan["graph"]["entry"] == {"nodeId": "start_fork", "port": "in"}


def test_a_condition_is_plain_edges_where_it_can_be() -> None:
    nodes = [ask(), choice("c", 3), llm("a", "ra"), llm("b", "rb"), llm("d", "rd"), END]
    imported = lower(nodes, "ui c", "c:0 a d end", "c:1 b d", "c:2 d", "c:otherwise b")
    assert not {"fan_out", "pass"} & {each["type"] for each in (imported.plan or {})["graph"]["nodes"]}
    ways = [
        (each["source"]["port"], each["target"]["nodeId"])
        for each in (imported.plan or {})["graph"]["edges"]
        if each["source"]["nodeId"] == "c"
    ]
    assert sorted(ways) == [("branch_0", "a"), ("branch_1", "b"), ("branch_2", "d"), ("otherwise", "b")]


def test_a_handle_without_an_edge_ends_its_path() -> None:
    imported = lower([ask(), choice("c"), llm("a", "ra"), END], "ui c", "c:0 a end")
    assert edge_into(imported, "a")["source"] == {"nodeId": "c", "port": "branch_0"}
    ways = [
        each
        for each in (imported.plan or {})["graph"]["edges"]
        if each["source"] == {"nodeId": "c", "port": "branch_1"}
    ]
    assert [each["target"]["nodeId"] for each in ways] == ["end_files"]


def test_what_may_be_skipped_asks_the_recorded_choice() -> None:
    nodes = [ask(), choice("c"), llm("a", "ra"), llm("b", "rb"), llm("d", "rd"), llm("e", "re"), END]
    imported = lower(nodes, "ui c", "c:0 b d end", "ui a d", "a e end", "c:1 e")
    assert imported.plan is not None and imported.plan["state"]["c_branch"] == {"type": "string", "enum": ["branch_0"]}
    assert edge_into(imported, "b")["when"] == "state.c_branch != null && state.c_branch == 'branch_0'"
    assert "when" not in edge_into(imported, "d") and "when" not in edge_into(imported, "e")


def test_one_output_is_the_end_and_delivers_what_leads_to_it() -> None:
    imported = lower([ask(), llm("a", "ra"), node("out", "output", label="Done")], "ui a out")
    assert imported.plan is not None
    assert plan_node(imported, "out") == {"id": "out", "type": "end", "title": "Done", "end": {"outcome": "succeeded"}}
    assert list(imported.plan["output"]) == ["q", "ra", "_workingDirFiles", "_runId"]
    assert not any(each.get("required") for each in imported.plan["output"].values())
    assert edge_into(imported, "out")["bindings"]["_runId"] == {"ref": "plan.run.id"}


def test_declared_fields_are_converted_and_checked() -> None:
    fields = [{"name": "n", "type": "number", "required": True, "mapping": {"nodeId": "a", "field": "ra"}}]
    imported = lower([ask(), llm("a", "ra"), node("out", "output", fields=fields)], "ui a out")
    value = {"ref": "state.ra", "convert": {"to": "number", "from": "text"}}
    assert plan_node(imported, "out")["preconditions"] == ["n"]
    assert edge_into(imported, "out")["bindings"] == {"n": value}
    value["convert"]["orAbsent"] = True  # a path without this output ends here too
    assert edge_into(imported, "out_end")["bindings"]["n"] == value


def test_leaves_deliver_too() -> None:
    imported = lower([ask(), llm("a", "ra"), llm("b", "rb")], "ui a", "ui b")
    assert imported.plan is not None and list(imported.plan["output"])[:3] == ["q", "ra", "rb"]
    assert ids(imported)[-2:] == ["files", "end"]


def test_outputs_that_share_a_field_write_it_where_they_are_reached() -> None:
    def out(name: str, source: str) -> dict[str, object]:
        fields = [{"name": "text", "type": "string", "mapping": {"nodeId": source, "field": f"r{source}"}}]
        return node(name, "output", fields=fields)

    nodes = [ask(), choice("c"), llm("a", "ra"), llm("b", "rb"), out("x", "a"), out("y", "b")]
    imported = lower(nodes, "ui c", "c:0 a x", "c:1 b y")
    assert codes(imported) == []
    assert edge_into(imported, "x")["bindings"] == {"text": {"ref": "state.ra"}}
    assert edge_into(imported, "end")["bindings"]["text"] == {"ref": "state.text"}


def test_texts_keep_what_is_no_placeholder() -> None:
    imported = lower([ask(), llm("a", "ra", 'as {"a": {"b": {{q}}}} and {{ q }}, {{')], "ui a")
    assert plan_node(imported, "a")["llm"]["prompt"] == 'as {"a": {"b": {{ input.q }}}} and {{ input.q }}, \\{{'


def test_settings_of_agents_and_sources() -> None:
    retrieval = node(
        "k", "knowledgeRetrieval", query="q", source="GRAPH", graphIds=[3, "g"], documentIds=["d"], topK=None
    )
    work = node(
        "w",
        "agent",
        agentId="writer",
        hermes=True,
        maxSteps=3,
        outputs=[{"name": "x", "type": "number"}, {"name": "y"}],
    )
    imported = lower([ask(), retrieval, work, node("s", "skill", skillId="sum")], "ui k w s")
    assert plan_node(imported, "k")["knowledgeRetrieval"] == {"source": "GRAPH", "query": "q", "sourceIds": ["3", "g"]}
    assert plan_node(imported, "w")["agent"] == {"agentId": "writer", "hermes": True, "maxSteps": 3, "context": "input"}
    assert plan_node(imported, "w")["output"] == {"x": {"type": "string", "required": True}}
    assert plan_node(imported, "s")["output"] == {"result": {"type": "string", "required": True}}


def test_unknown_keys_and_positions_are_kept_out_of_the_way() -> None:
    document = canvas([ask(), END], "ui end")
    document |= {"viewport": {"zoom": 1.5}, "version": 3}
    document["nodes"][0] |= {"position": {"x": 1.25, "y": -3}, "selected": False}
    assert import_canvas(json.dumps(document)).diagnostics == ()


def test_deep_nests_of_conditions_run_level_by_level() -> None:
    count = 80
    nodes = [ask(), *(choice(f"c{i}") for i in range(count)), *(llm(f"a{i}", f"r{i}") for i in range(count)), END]
    ways = [f"c{i}:0 a{i} end" for i in range(count)] + [f"c{i}:1 c{i + 1}" for i in range(count - 1)]
    assert codes(lower(nodes, "ui c0", *ways)) == []


def test_a_guard_over_many_conditions_stands_on_several_edges() -> None:
    count = 70
    nodes = [ask(), *(choice(f"{'c' * 55}{i}") for i in range(count)), llm("a", "ra"), END]
    ways = [f"ui {'c' * 55}{i}" for i in range(count)] + [f"{'c' * 55}{i}:0 a end" for i in range(count)]
    imported = lower(nodes, *ways)
    assert codes(imported) == [] and imported.plan is not None
    whens = [each["when"] for each in imported.plan["graph"]["edges"] if each["target"]["nodeId"] == "a"]
    assert sum(when.count("||") + 1 for when in whens) == count and len(whens) == 5
