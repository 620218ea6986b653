"""What a plan refers to is looked up and pinned, or said to be unknown, at its place (LANGUAGE §10)."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.compiler.compile import Compiled, compile
from loopstep.compiler.emit import definition_text, emit
from loopstep.compiler.pins import Pinned, Registry
from loopstep.nodes.tools import TOOLS
from tests.registered import EVERYTHING, Registered

OUT = "output: {r: {type: string, required: true}}"

HEAD = "apiVersion: loop.plan/v1\nkind: PlanVersion\n"


def plan(*nodes: str) -> str:
    """A plan that goes from node to node; each is a flow mapping with an id n0, n1, …"""
    lines = [HEAD + "graph:\n  entry: {nodeId: n0, port: in, input: {}}\n  nodes:"]
    lines += [f"    - {{id: n{i}, {node}}}" for i, node in enumerate(nodes)]
    lines += ["    - {id: done, type: end, end: {outcome: succeeded}}", "  edges:"]
    for i in range(len(nodes)):
        target = f"n{i + 1}" if i + 1 < len(nodes) else "done"
        source = f"{{nodeId: n{i}, port: completed}}"
        lines.append(f"    - {{id: e{i}, source: {source}, target: {{nodeId: {target}, port: in}}, bindings: {{}}}}")
    return "\n".join(lines) + "\n"


def agent(id: str, more: str = "") -> str:
    return f"type: agent, agent: {{agentId: {id}{more}}}, {OUT}"


def skill(id: str) -> str:
    return f"type: skill, skill: {{skillId: {id}}}, {OUT}"


def action(config: str) -> str:
    return f"type: smart_action, smartAction: {{prompt: hi, {config}}}, {OUT}"


def retrieval(config: str) -> str:
    return f"type: knowledge_retrieval, knowledgeRetrieval: {{query: q, {config}}}"


STACK = Registered(
    {
        ("agent", "triage"): Pinned(3, {"skill": {"tone": 2}, "source": {"handbook": 7}}),
        ("skill", "tone"): Pinned(2, {"skill": {"spell": 5}}),
        ("skill", "spell"): Pinned(5),
        ("source", "handbook"): Pinned(7, label="DOCUMENT"),
        ("source", "prices"): Pinned(1, label="STRUCTURED_DATA"),
        ("source", "parts"): Pinned(4, label="GRAPH"),
    }
)


def pins(node: str, registry: Registry | None = STACK) -> Any:
    compiled = compile(plan(node), None, registry)
    assert compiled.program is not None, compiled.diagnostics
    return compiled.program.steps["n0"].spec.get("pins")


def said(compiled: Compiled) -> list[tuple[str, str, str]]:
    return [(each.code, each.severity, each.path) for each in compiled.diagnostics]


SOURCES = {"handbook": 7, "parts": 4, "prices": 1}
SKILLS = {"spell": 5, "tone": 2}


@pytest.mark.parametrize(
    ("node", "pinned"),
    [
        (agent("triage"), {"agent": {"triage": 3}, "skill": {"tone": 2}, "source": {"handbook": 7}}),
        (skill("tone"), {"skill": {"spell": 5, "tone": 2}}),
        (skill("spell"), {"skill": {"spell": 5}}),
        (action("hermes: false"), None),
        (action("hermes: true"), {"skill": SKILLS, "source": SOURCES}),
        (action("hermes: true, tools: []"), None),
        (action("hermes: true, tools: [read_file, write_file, list_files]"), None),
        (action("hermes: true, tools: [search_knowledge]"), {"source": SOURCES}),
        (action("hermes: true, tools: [read_file, 'skill:tone']"), {"skill": {"tone": 2}}),
        (action("hermes: false, tools: ['skill:nope']"), None),
        (retrieval("source: DOCUMENT"), {"source": {"handbook": 7}}),
        (retrieval("source: STRUCTURED_DATA"), {"source": {"prices": 1}}),
        (retrieval("source: HYBRID"), {"source": SOURCES}),
        (retrieval("source: GRAPH, sourceIds: [parts]"), {"source": {"parts": 4}}),
        (retrieval("source: HYBRID, sourceIds: [parts, handbook]"), {"source": {"handbook": 7, "parts": 4}}),
        (f"type: llm, llm: {{prompt: hi}}, {OUT}", None),
    ],
)
def test_everything_that_a_node_may_use_is_pinned(node: str, pinned: Any) -> None:
    assert pins(node) == pinned


@pytest.mark.parametrize(
    ("node", "path", "message", "hint"),
    [
        (agent("triag"), "agent/agentId", "the stack has no agent `triag`", "did you mean `triage`?"),
        (agent("tone"), "agent/agentId", "the stack has no agent `tone`", "`loopstep agents put` registers one"),
        (skill("tonne"), "skill/skillId", "the stack has no skill `tonne`", "did you mean `tone`?"),
        (
            action("hermes: true, tools: [list_files, 'skill:nope']"),
            "smartAction/tools/1",
            "the stack has no skill `nope`",
            "`loopstep skills put` registers one",
        ),
        (
            retrieval("source: HYBRID, sourceIds: [handbook, price]"),
            "knowledgeRetrieval/sourceIds/1",
            "the stack has no source `price`",
            "did you mean `prices`?",
        ),
        (
            retrieval("source: DOCUMENT, sourceIds: [parts]"),
            "knowledgeRetrieval/sourceIds/0",
            "the source `parts` is of kind GRAPH, this node asks DOCUMENT",
            "name a DOCUMENT source, or ask GRAPH",
        ),
    ],
)
def test_an_unknown_name_is_an_error_at_its_value(node: str, path: str, message: str, hint: str) -> None:
    compiled = compile(plan(node), None, STACK)
    assert compiled.program is None
    assert said(compiled) == [("registry.unknown", "error", f"/graph/nodes/0/{path}")]
    assert (compiled.diagnostics[0].message, compiled.diagnostics[0].hint) == (message, hint)
    assert compiled.diagnostics[0].line == 6


def test_an_agent_that_lost_a_skill_is_an_error() -> None:
    lost = Registered({("agent", "a"): Pinned(1, {"skill": {"b": 2}}, missing=(("skill", "gone"),))})
    compiled = compile(plan(agent("a")), None, lost)
    assert said(compiled) == [("registry.unknown", "error", "/graph/nodes/0/agent/agentId")]
    assert "the skill `gone`" in compiled.diagnostics[0].message


def test_no_source_of_the_kind_that_is_asked_is_a_warning() -> None:
    nothing = Registered()
    compiled = compile(plan(retrieval("source: GRAPH"), action("hermes: true")), None, nothing)
    assert said(compiled) == [("registry.unknown", "warning", "/graph/nodes/0/knowledgeRetrieval/source")]
    assert compiled.program is not None and "pins" not in compiled.program.steps["n0"].spec


def test_offline_each_reference_is_a_warning_and_nothing_is_pinned() -> None:
    document = plan(
        agent("triage"),
        agent("triage"),
        skill("tone"),
        action("hermes: true, tools: ['skill:tone', read_file]"),
        action("hermes: true"),
        retrieval("source: HYBRID, sourceIds: [parts, prices]"),
        retrieval("source: HYBRID"),
    )
    compiled = compile(document)
    assert {each[:2] for each in said(compiled)} == {("registry.unknown", "warning")}
    assert [path.removeprefix("/graph/nodes/") for _, _, path in said(compiled)] == [
        "0/agent/agentId",
        "1/agent/agentId",
        "2/skill/skillId",
        "3/smartAction/tools/0",
        "5/knowledgeRetrieval/sourceIds/0",
        "5/knowledgeRetrieval/sourceIds/1",
    ]
    assert compiled.program is not None
    assert all("pins" not in step.spec for step in compiled.program.steps.values())


@pytest.mark.parametrize("config", ["tools: [read]", "hermes: true, tools: ['skill:']", "tools: [search_knowledg]"])
def test_an_unknown_tool_is_no_value(config: str) -> None:
    for registry in (None, EVERYTHING):
        found = said(compile(plan(action(config)), None, registry))
        assert found == [("document.invalid_value", "error", "/graph/nodes/0/smartAction/tools/0")]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_may_be_named(tool: str) -> None:
    assert compile(plan(action(f"tools: [{tool}]")), None, STACK).diagnostics == ()


def test_what_cannot_be_read_is_not_reported_again() -> None:
    broken = plan(agent("3"), retrieval("source: HYBRID, sourceIds: [1]"), retrieval("source: NO, sourceIds: [x]"))
    assert {code for code, _, _ in said(compile(broken, None, STACK))} == {"document.invalid_value"}


def test_a_plan_without_references_does_not_depend_on_the_registry() -> None:
    document = plan(f"type: llm, llm: {{prompt: hi}}, {OUT}", "type: pass, pass: {}", action("hermes: false"))
    texts = set()
    for registry in (None, Registered(), STACK, EVERYTHING):
        program = compile(document, None, registry).program
        assert program is not None
        texts.add(definition_text(emit(program)))
    assert len(texts) == 1


def test_pins_are_in_order_whatever_the_registry_says_first() -> None:
    entries = dict(STACK.entries)
    backwards = Registered(dict(reversed(entries.items())))
    nodes = [action("hermes: true"), agent("triage"), retrieval("source: HYBRID")]
    one, other = (compile(plan(*nodes), None, registry).program for registry in (STACK, backwards))
    assert one is not None and other is not None
    assert definition_text(emit(one)) == definition_text(emit(other))


def test_pins_stand_only_at_nodes_that_use_something() -> None:
    program = compile(plan("type: pass, pass: {}", agent("triage")), None, STACK).program
    assert program is not None
    assert [("pins" in step.spec) for step in program.steps.values()] == [False, True, False]
