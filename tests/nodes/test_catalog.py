"""Every node type declares what LANGUAGE §7's table says."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from loopstep.nodes import field as kinds
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.node_type import END, FAN_OUT, JOIN, LOOP, Exits, NodeType
from loopstep.types.schema import Schema

TEXT = {"result": Schema("string", required=True)}
TEXT_JSON = {"result": "string!"}


def node(node_type: str, output: Any = None, **config: Any) -> Any:
    """A node as a type sees it, with its config readable."""
    made = CATALOG[node_type]
    return SimpleNamespace(
        id="n",
        type=made,
        input=None,
        output=output,
        config={**made.defaults, **config},
        valid=True,
        broken=frozenset(),
        stands=lambda name: name in config,
    )


def exits(one: Any) -> Exits:
    found: Exits = one.type.exits(one)
    return found


def test_every_type_of_the_language_is_there() -> None:
    assert list(CATALOG) == [
        "set_variable", "send_message", "request_approval", "wait", "pass", "fan_out", "join", "loop", "end",
        "list_files", "llm", "agent", "skill", "smart_action", "knowledge_retrieval", "condition",
    ]  # fmt: skip


@pytest.mark.parametrize("node_type", CATALOG.values(), ids=list(CATALOG))
def test_names_and_sentences(node_type: NodeType) -> None:
    words = node_type.name.split("_")
    assert node_type.config_key == words[0] + "".join(word.capitalize() for word in words[1:])
    sentences = [node_type.summary, *(one.summary for one in node_type.fields)]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert len(node_type.by_name) == len(node_type.fields)
    assert node_type.ports and node_type.exposes


@pytest.mark.parametrize("node_type", CATALOG.values(), ids=list(CATALOG))
def test_a_field_has_what_its_kind_needs(node_type: NodeType) -> None:
    for one in node_type.fields:
        assert (one.schema is not None) == (one.kind == kinds.VALUE), one.name
        assert bool(one.choices) == (one.kind == kinds.CHOICE), one.name
        assert not (one.required and one.default is not None), one.name


def test_config_keys_are_unique_and_no_common_field() -> None:
    keys = [node_type.config_key for node_type in CATALOG.values()]
    common = {"id", "type", "title", "input", "output", "preconditions", "retry", "timeout"}
    assert len(set(keys)) == len(keys) and not common & set(keys)


def test_roles_and_the_second_entry() -> None:
    assert {name: t.role for name, t in CATALOG.items() if t.role != "step"} == {
        "fan_out": FAN_OUT, "join": JOIN, "loop": LOOP, "end": END,
    }  # fmt: skip
    assert {name for name, t in CATALOG.items() if t.entries != ("in",)} == {"loop"}
    assert CATALOG["loop"].entries == ("in", "next")


def test_who_acts_outside() -> None:
    assert {name for name, t in CATALOG.items() if t.acts_outside} == {
        "send_message", "request_approval", "llm", "agent", "skill", "smart_action", "knowledge_retrieval",
    }  # fmt: skip


def test_what_must_stand() -> None:
    assert {name: t.required for name, t in CATALOG.items() if t.required} == {
        "set_variable": ("assignments",), "send_message": ("scope", "text"), "request_approval": ("scope", "summary"),
        "join": ("fanOut",), "loop": ("maxIterations",), "end": ("outcome",), "llm": ("prompt",),
        "agent": ("agentId",), "skill": ("skillId",), "smart_action": ("prompt",),
        "knowledge_retrieval": ("query", "source"), "condition": ("conditions",),
    }  # fmt: skip


PORTS = [
    (node("set_variable"), "completed failed"),
    (node("send_message"), "completed failed"),
    (node("send_message", completion="callback"), "completed timed_out failed"),
    (node("request_approval"), "approved rejected timed_out failed"),
    (node("wait"), "completed failed"),
    (node("pass"), "completed failed"),
    (node("fan_out", items=object()), "item failed"),
    (node("fan_out", branches=("left", "right")), "left right failed"),
    (node("join"), "completed failed"),
    (node("loop", maxIterations=3), "body completed failed"),
    (node("loop", **{"maxIterations": 3, "while": object()}), "body completed exhausted failed"),
    (node("end", outcome="succeeded"), ""),
    (node("list_files"), "completed failed"),
    (node("llm"), "completed failed"),
    (node("agent"), "completed failed"),
    (node("skill"), "completed failed"),
    (node("smart_action"), "completed failed"),
    (node("knowledge_retrieval"), "completed failed"),
    (node("condition", conditions=("a", "b")), "branch_0 branch_1 otherwise failed"),
]


@pytest.mark.parametrize(("one", "names"), PORTS)
def test_exit_ports(one: Any, names: str) -> None:
    found = exits(one)
    assert found.names == tuple(names.split())
    assert set(found.exempt) == {"failed", "otherwise"} & set(found.names)
    assert not found.open


def test_ports_of_a_config_that_could_not_be_read() -> None:
    unread = node("send_message")
    del unread.config["completion"]
    assert exits(unread) == Exits(("completed", "timed_out", "failed"), exempt=("timed_out", "failed"))
    assert exits(node("condition")).open
    assert exits(node("fan_out")).open
    broken = node("loop")
    broken.valid = False
    assert exits(broken).exempt == ("exhausted", "failed")


OUTPUTS = [
    (node("set_variable"), {}),
    (node("send_message"), {}),
    (node("send_message", thread="open"), {"completed": ["messageId", "threadId"]}),
    (node("send_message", completion="callback"), {"completed": []}),
    (node("send_message", TEXT, completion="callback"), {"completed": ["result"]}),
    (
        node("send_message", TEXT, completion="callback", thread="open"),
        {"completed": ["result", "messageId", "threadId"]},
    ),
    (
        node("request_approval"),
        {port: ["decision", "decidedBy", "decidedAt", "comment"] for port in ("approved", "rejected")},
    ),
    (node("fan_out", branches=("a",)), {}),
    (node("join"), {"completed": []}),
    (node("join", TEXT), {"completed": ["result"]}),
    (node("loop"), {}),
    (node("list_files"), {"completed": ["files"]}),
    (node("llm", TEXT), {"completed": ["result"]}),
    (
        node("knowledge_retrieval", source="GRAPH"),
        {"completed": ["evidences", "evidenceCount", "sourceType", "diagnostics"]},
    ),
    (node("condition"), {}),
]


@pytest.mark.parametrize(("one", "ports"), OUTPUTS)
def test_outputs_by_port(one: Any, ports: dict[str, list[str]]) -> None:
    found = one.type.outputs(one)
    assert {port: list(fields) for port, fields in found.items()} == ports


def test_output_that_cannot_be_known() -> None:
    assert node("llm").type.outputs(node("llm")) is None
    assert CATALOG["knowledge_retrieval"].outputs(node("knowledge_retrieval")) is None


def test_hybrid_retrieval_has_two_fields_more() -> None:
    found = CATALOG["knowledge_retrieval"].outputs(node("knowledge_retrieval", source="HYBRID"))
    assert found is not None and list(found["completed"])[4:] == ["knowledgeBaseId", "enabledSources"]


def test_contract_of_an_end() -> None:
    contract = CATALOG["end"].contract
    assert contract(node("end", outcome="succeeded"), TEXT) is TEXT
    assert contract(node("end", outcome="failed", code="x"), TEXT) == {}
    own = node("end", outcome="succeeded")
    own.input = {"other": Schema("string")}
    assert contract(own, TEXT) == own.input


def test_how_long_an_answer_is_awaited() -> None:
    week = 7 * 86_400
    assert CATALOG["send_message"].wait(node("send_message")) is None
    assert CATALOG["send_message"].wait(node("send_message", completion="callback")) == week
    assert CATALOG["send_message"].wait(node("send_message", completion="callback", timeout=60)) == 60
    assert CATALOG["request_approval"].wait(node("request_approval")) == week
    assert CATALOG["llm"].wait(node("llm", TEXT)) is None


@pytest.mark.parametrize(
    ("code", "fits"),
    [("data_flow_failed", True), ("订单.失败", True), ("404", True), ("a b", False), ("States.ALL", False),
     ("Loopstep.Failed", False), ("x" * 128, True), ("x" * 129, False), ("a\nb", False)],
)  # fmt: skip
def test_codes_of_failed_ends(code: str, fits: bool) -> None:
    problems = list(CATALOG["end"].problems(node("end", outcome="failed", code=code)))
    assert not problems if fits else [p.place for p in problems] == [("end", "code")]


class Lowered:
    """Lowers to something to see."""

    def __init__(self) -> None:
        self.plan_output = TEXT
        self.plan_state = {"note": Schema("string")}

    def value(self, value: Any) -> Any:
        return ["value", value]

    def expr(self, expr: Any) -> Any:
        return ["expr", expr]

    def template(self, template: Any, keep: bool) -> Any:
        return [template, keep]


ASSIGNMENT = SimpleNamespace(path=("note", "a"), value="v")
SPECS = [
    (
        node("set_variable", assignments=(ASSIGNMENT,)),
        {"set": [[["note", "a"], ["value", "v"]]], "state": {"note": "string"}},
    ),
    (node("send_message", scope="s", text="t"), {"scope": ["value", "s"], "text": ["t", False]}),
    (
        node("send_message", TEXT, scope="s", text="t", completion="callback", thread="open"),
        {"scope": ["value", "s"], "text": ["t", False], "completion": "callback", "thread": True,
         "output": TEXT_JSON},
    ),
    (node("request_approval", scope="s", summary="t"), {"scope": ["value", "s"], "summary": ["t", False]}),
    (node("wait", duration="d"), {"duration": ["value", "d"]}),
    (node("pass"), {}),
    (node("fan_out", items="i"), {"items": ["value", "i"], "maxItems": 500}),
    (node("fan_out", branches=("a", "b")), {"branches": ["a", "b"]}),
    (
        node("join", fanOut="f", mode="count", count=2, merge={"x": "v"}),
        {"join": {"fanOut": "f", "mode": "count", "count": 2, "merge": {"x": ["value", "v"]}}, "output": {}},
    ),
    (node("loop", **{"maxIterations": 3, "while": "w"}), {"loop": {"max": 3, "while": ["expr", "w"]}}),
    (node("end", outcome="succeeded"), {}),
    (node("end", outcome="failed", code="c"), {"outcome": "failed", "code": "c"}),
    (node("list_files"), {}),
    (
        node("llm", TEXT, prompt="p", missing="keep", context=("a",), temperature=0),
        {"prompt": ["p", True], "context": ["a"], "temperature": 0, "output": TEXT_JSON},
    ),
    (
        node("agent", TEXT, agentId="a", hermes=True),
        {"agentId": "a", "hermes": True, "maxSteps": 12, "output": TEXT_JSON},
    ),
    (node("knowledge_retrieval", query="q", source="GRAPH"), {"query": ["q", False], "source": "GRAPH", "topK": 5}),
    (node("condition", conditions=("a", "b")), {"conditions": [["a", False], ["b", False]]}),
]  # fmt: skip


@pytest.mark.parametrize(("one", "spec"), SPECS)
def test_specs(one: Any, spec: dict[str, Any]) -> None:
    assert one.type.spec(one, Lowered()) == spec


def test_an_end_with_its_own_input_carries_the_plans_contract() -> None:
    own = node("end", outcome="succeeded")
    own.input = {"result": Schema("string")}
    assert own.type.spec(own, Lowered()) == {"output": TEXT_JSON}


def test_every_sentence_is_for_readers() -> None:
    for node_type in CATALOG.values():
        assert not re.search(r"\bTODO\b", node_type.summary)
