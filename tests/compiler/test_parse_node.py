"""Nodes: one a document, `#! code` for every fault in it (`document.` left out)."""

from __future__ import annotations

import re

import pytest

from loopstep.compiler.model import Node, Retry
from loopstep.compiler.parse import parse
from loopstep.diagnostics.collector import Reporter
from loopstep.source.load import load

MARK = re.compile(r"#! (?:document\.)?([a-z_.]+)")


def read(*nodes: str) -> tuple[list[Node], list[str]]:
    lines = "".join(f"    - {node}\n" for node in nodes)
    graph = f"graph:\n  entry: {{nodeId: a, port: in}}\n  nodes:\n{lines}  edges: []\n"
    root, faults = load(f"apiVersion: loop.plan/v1\nkind: PlanVersion\n{graph}")
    assert root is not None and not faults, faults
    report = Reporter()
    plan = parse(root, report)
    assert plan is not None
    return plan.nodes, [found.code for found in report.sorted()]


def full(code: str) -> str:
    return code if "." in code else f"document.{code}"


def check(*nodes: str) -> list[Node]:
    parsed, found = read(*nodes)
    assert found == [full(code) for node in nodes for code in MARK.findall(node)], nodes
    return parsed


OUT = "output: {a: {type: string, required: true}}"
SCOPE = "scope: {value: s}"

NODES = [
    # what all nodes have
    "{id: n, type: pass, pass: {}}",
    "{id: n, type: pass, title: 标题, input: {a: {type: string}}, preconditions: [a], pass: {}}",
    "n  #! invalid_value",
    "{}  #! missing_field #! missing_field",
    "{type: pass, pass: {}}  #! missing_field",
    "{id: n, pass: {}}  #! missing_field",
    "{id: n, typ: pass, pass: {}}  #! unknown_field",
    "{id: n-1, type: pass, pass: {}}  #! invalid_value",
    "{id: 1, type: pass, pass: {}}  #! invalid_value",
    "{id: n, type: pass}  #! missing_field",
    "{id: n, type: pass, pas: {}}  #! unknown_field",
    "{id: n, type: pass, pass: null}  #! invalid_value",
    "{id: n, type: pass, pass: {a: 1}}  #! unknown_field",
    "{id: n, type: pass, pass: {}, wait: {}}  #! unknown_field",
    "{id: n, type: pass, pass: {}, output: {}}  #! unknown_field",
    "{id: n, type: pass, pass: {}, retry: {}}  #! unknown_field",
    "{id: n, type: pass, pass: {}, timeout: PT1S}  #! unknown_field",
    "{id: n, type: pass, pass: {}, title: 5}  #! invalid_value",
    "{id: n, type: pass, pass: {}, input: []}  #! invalid_value",
    "{id: n, type: Pass, pass: {}}  #! invalid_value",
    "{id: n, type: pass, input: {a: {type: strin}}, pass: {}}  #! schema.invalid",
    "{id: n, type: pass, pass: {}, preconditions: a}  #! invalid_value",
    "{id: n, type: pass, pass: {}, preconditions: [a]}  #! invalid_value",
    "{id: n, type: pass, pass: {}, input: 5, preconditions: [a]}  #! invalid_value",
    "{id: n, type: pass, input: {a: {type: string, required: true}}, preconditions: [a], pass: {}}  #! invalid_value",
    # set_variable
    "{id: n, type: set_variable, setVariable: {assignments: [{state: a.b, value: {value: 1}}]}}",
    "{id: n, type: set_variable, setVariable: {assignments: []}}",
    "{id: n, type: set_variable, setVariable: {}}  #! missing_field",
    "{id: n, type: set_variable, setVariable: {assignments: {}}}  #! invalid_value",
    "{id: n, type: set_variable, setVariable: {assignments: [{state: a}]}}  #! missing_field",
    "{id: n, type: set_variable, setVariable: {assignments: [a, {state: 5, value: 1}]}}"
    "  #! invalid_value #! invalid_value #! value.exclusive",
    # send_message
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi}}, retry: {{maxAttempts: 3}}, timeout: PT5S}}",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, completion: callback, timeout: P1D}}, {OUT}}}",
    "{id: n, type: send_message, sendMessage: {}}  #! missing_field #! missing_field",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: 5}}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: '{{{{ a'}}}}  #! template.syntax",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: '{{{{ a and b }}}}'}}}}  #! expr.syntax",
    "{id: n, type: send_message, sendMessage: {scope: s, text: hi}}  #! value.exclusive",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, completion: call}}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, thread: true}}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, timeout: P366D}}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi}}, {OUT}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, timeout: P1D}}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, completion: c, timeout: P1D}}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, completion: callback, thread: open}},"
    " output: {threadId: {type: string}}}  #! invalid_value",
    f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi, completion: callback}},"
    " output: {threadId: {type: string}}}",
    # request_approval
    f"{{id: n, type: request_approval, requestApproval: {{{SCOPE}, summary: hi, approvers: [a, b], timeout: PT1H}}}}",
    "{id: n, type: request_approval, requestApproval: {}}  #! missing_field #! missing_field",
    f"{{id: n, type: request_approval, requestApproval: {{{SCOPE}, summary: hi, approvers: a}}}}  #! invalid_value",
    f"{{id: n, type: request_approval, requestApproval: {{{SCOPE}, summary: hi, approvers: [5]}}}}  #! invalid_value",
    f"{{id: n, type: request_approval, requestApproval: {{{SCOPE}, summary: hi, approvers: []}}}}  #! invalid_value",
    f"{{id: n, type: request_approval, requestApproval: {{{SCOPE}, summary: hi}}, {OUT}}}  #! unknown_field",
    # wait
    "{id: n, type: wait, wait: {duration: {value: PT1S}}}",
    "{id: n, type: wait, wait: {until: {ref: input.t}}}",
    "{id: n, type: wait, wait: {}}  #! missing_field",
    "{id: n, type: wait, wait: {duraton: {value: PT1S}}}  #! unknown_field",
    "{id: n, type: wait, wait: {duration: {value: PT1S}, until: {ref: input.t}}}  #! invalid_value",
    "{id: n, type: wait, wait: {duration: PT1S}}  #! value.exclusive",
    # fan_out
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}}}",
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}, maxConcurrency: 1000, maxItems: 501}}",
    "{id: n, type: fan_out, fanOut: {branches: [left, right]}}",
    "{id: n, type: fan_out, fanOut: {}}  #! missing_field",
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}, branches: [a]}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}, maxConcurrency: 41}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}, maxConcurrency: 1001, maxItems: 600}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}, maxConcurrency: 41, maxItems: 0}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {items: {ref: input.a}, maxItems: 100001}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {branches: [a], maxItems: 5}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {branches: []}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {branches: [a, a]}}  #! invalid_value",
    "{id: n, type: fan_out, fanOut: {branches: [in, failed, 1a, 5]}}"
    "  #! invalid_value #! invalid_value #! invalid_value #! invalid_value",
    "{id: n, type: fan_out, fanOut: {branches: a}}  #! invalid_value",
    # join
    f"{{id: n, type: join, join: {{fanOut: f, merge: {{a: {{value: 1}}}}}}, {OUT}}}",
    "{id: n, type: join, join: {fanOut: f, mode: count, count: 2}}",
    "{id: n, type: join, join: {}}  #! missing_field",
    "{id: n, type: join, join: {fanOut: f, mode: some}}  #! invalid_value",
    "{id: n, type: join, join: {fanOut: f, mode: count}}  #! missing_field",
    "{id: n, type: join, join: {fanOut: f, mode: count, cuont: 2}}  #! unknown_field",
    "{id: n, type: join, join: {fanOut: f, mode: count, count: 0}}  #! invalid_value",
    "{id: n, type: join, join: {fanOut: f, count: 2}}  #! invalid_value",
    "{id: n, type: join, join: {fanOut: f, merge: []}}  #! invalid_value",
    "{id: n, type: join, join: {fanOut: f, merge: {a: b.c}}}  #! value.exclusive",
    # loop
    "{id: n, type: loop, loop: {maxIterations: 1}}",
    "{id: n, type: loop, loop: {maxIterations: 1000, while: 'state.a < 3'}}",
    "{id: n, type: loop, loop: {}}  #! missing_field",
    "{id: n, type: loop, loop: {maxIterations: 0}}  #! invalid_value",
    "{id: n, type: loop, loop: {maxIterations: 1001}}  #! invalid_value",
    "{id: n, type: loop, loop: {maxIterations: 2.5}}  #! invalid_value",
    "{id: n, type: loop, loop: {maxIterations: '3'}}  #! invalid_value",
    "{id: n, type: loop, loop: {maxIterations: 5.0, while: true}}  #! invalid_value",
    # end
    "{id: n, type: end, end: {outcome: succeeded}}",
    "{id: n, type: end, end: {outcome: failed, code: no_stock}}",
    "{id: n, type: end, end: {}}  #! missing_field",
    "{id: n, type: end, end: {outcome: ok}}  #! invalid_value",
    "{id: n, type: end, end: {outcome: failed}}  #! missing_field",
    "{id: n, type: end, end: {outcome: failed, cod: x}}  #! unknown_field",
    "{id: n, type: end, end: {outcome: failed, code: ''}}  #! invalid_value",
    "{id: n, type: end, end: {outcome: failed, code: 404}}  #! invalid_value",
    "{id: n, type: end, end: {outcome: succeeded, code: x}}  #! invalid_value",
    # list_files and what asks a model
    "{id: n, type: list_files, listFiles: {}}",
    f"{{id: n, type: llm, llm: {{prompt: p, model: m, temperature: 0.2, maxTokens: 9, missing: keep}}, {OUT}}}",
    f"{{id: n, type: llm, llm: {{}}, {OUT}}}  #! missing_field",
    "{id: n, type: llm, llm: {prompt: hi}}  #! missing_field",
    f"{{id: n, type: llm, llm: {{prompt: hi, temperature: 1.5, maxTokens: 0, missing: no}}, {OUT}}}"
    "  #! invalid_value #! invalid_value #! invalid_value",
    f"{{id: n, type: llm, llm: {{prompt: hi, context: all}}, {OUT}}}  #! invalid_value",
    f"{{id: n, type: llm, llm: {{prompt: hi, context: [a]}}, {OUT}}}  #! invalid_value",
    f"{{id: n, type: llm, llm: {{prompt: hi, context: [a]}}, input: {{a: {{type: any}}}}, {OUT}}}",
    f"{{id: n, type: llm, llm: {{prompt: hi}}, {OUT}, timeout: PT0.5S}}  #! invalid_value",
    f"{{id: n, type: agent, agent: {{agentId: a, hermes: true, maxSteps: 5}}, {OUT}}}",
    f"{{id: n, type: agent, agent: {{hermes: 1, maxSteps: 0}}, {OUT}}}"
    "  #! missing_field #! invalid_value #! invalid_value",
    "{id: n, type: agent, agent: {agentId: a}, output: {}}  #! invalid_value",
    "{id: n, type: agent, agent: {agentId: a}, output: {a: {type: integer}}}  #! invalid_value",
    "{id: n, type: agent, agent: {agentId: a}, output: {a: {type: strin}}}  #! schema.invalid",
    "{id: n, type: skill, skill: {skillId: a}, output: {a: {type: string}, b: {type: string}}}  #! invalid_value",
    f"{{id: n, type: skill, skill: {{agentId: a}}, {OUT}}}  #! missing_field #! unknown_field",
    f"{{id: n, type: smart_action, smartAction: {{prompt: hi, tools: [read_file, 'skill:a'], missing: empty}}, {OUT}}}",
    f"{{id: n, type: smart_action, smartAction: {{prompt: hi, tools: []}}, {OUT}}}",
    f"{{id: n, type: smart_action, smartAction: {{prompt: hi, tools: read}}, {OUT}}}  #! invalid_value",
    "{id: n, type: knowledge_retrieval, knowledgeRetrieval: {query: q, source: HYBRID, sourceIds: [a], topK: 3}}",
    "{id: n, type: knowledge_retrieval, knowledgeRetrieval: {query: q, source: GRAPH, sourceIds: []}}"
    "  #! invalid_value",
    "{id: n, type: knowledge_retrieval, knowledgeRetrieval: {query: q, source: hybrid, topK: 0}}"
    "  #! invalid_value #! invalid_value",
    f"{{id: n, type: knowledge_retrieval, knowledgeRetrieval: {{query: q, source: GRAPH}}, {OUT}}}  #! unknown_field",
    "{id: n, type: condition, condition: {conditions: [{expression: 'is {{ input.a }}'}]}}",
    "{id: n, type: condition, condition: {conditions: []}}  #! invalid_value",
    "{id: n, type: condition, condition: {}}  #! missing_field",
    "{id: n, type: condition, condition: {conditions: [a, {expr: b}, {expression: 1}]}}"
    "  #! invalid_value #! missing_field #! unknown_field #! invalid_value",
]


@pytest.mark.parametrize("node", NODES)
def test_nodes(node: str) -> None:
    _, found = read(node)
    assert sorted(found) == sorted(map(full, MARK.findall(node)))


RETRIES = [
    ("{}", None, Retry()),
    ("{maxAttempts: 10, backoff: PT1.2S, factor: 1.5, maxBackoff: PT3S}", None, Retry(10, 2, 1.5, 3)),
    ("{maxAttempts: 3.0}", None, Retry(3)),
    ("{maxAttempts: 0}", "document.invalid_value", None),
    ("{maxAttempts: 11}", "document.invalid_value", None),
    ("{backoff: PT0.5S}", "document.invalid_value", None),
    ("{backoff: 1}", "document.invalid_value", None),
    ("{factor: 0.5}", "document.invalid_value", None),
    ("{factor: 11}", "document.invalid_value", None),
    ("{maxBackoff: PT1S}", "document.invalid_value", Retry(1, 1, 2, 1)),
    ("{backoff: PT5S, maxBackoff: PT4.5S}", "document.invalid_value", Retry(1, 5, 2, 5)),
    ("{attempts: 3}", "document.unknown_field", Retry()),
    ("[]", "document.invalid_value", None),
]


@pytest.mark.parametrize(("retry", "code", "made"), RETRIES)
def test_retry(retry: str, code: str | None, made: Retry | None) -> None:
    (node,), found = read(f"{{id: n, type: llm, llm: {{prompt: hi}}, {OUT}, retry: {retry}}}")
    assert found == ([code] if code else [])
    assert node.retry == made


def test_defaults_are_filled_in() -> None:
    (node,) = check(f"{{id: n, type: send_message, sendMessage: {{{SCOPE}, text: hi}}, timeout: PT1.5S}}")
    assert (node.config["completion"], node.timeout, node.retry) == ("sent", 2, None)
    (node,) = check("{id: n, type: fan_out, fanOut: {items: {ref: input.a}}}")
    assert (node.config["maxItems"], node.config["maxConcurrency"]) == (500, 10)


def test_context_is_a_list_of_inputs() -> None:
    inputs = "input: {a: {type: string}, b: {type: string}}"
    for written, names in (("none", ()), ("input", ("a", "b")), ("[b]", ("b",)), ("[b, a, b]", ("b", "a"))):
        (node,) = check(f"{{id: n, type: llm, {inputs}, llm: {{prompt: hi, context: {written}}}, {OUT}}}")
        assert node.config["context"] == names


def test_what_is_unreadable_is_named() -> None:
    (node,), _ = read("{id: n, type: loop, loop: {maxIterations: 3, whlie: 'true'}}")
    assert node.broken == {"while"} and node.stands("while")
    (node,), _ = read("{id: n, type: end, end: {outcome: 5}}")
    assert node.valid and "outcome" not in node.config and "outcome" in node.broken
    (node,), _ = read("{id: n, type: pass, inpt: {}, pass: {}}")
    assert node.broken == {"input"} and node.input is None
    (node,), _ = read("{id: n, type: wait}")
    assert not node.valid and node.type is not None
    (node,), _ = read("{id: 5, type: wat}")
    assert node.type is None and node.id == ""


def test_places_of_config_fields() -> None:
    (node,) = check("{id: n, type: fan_out, fanOut: {branches: [a, b]}}")
    assert node.place("branches", 1).pointer() == "/graph/nodes/0/fanOut/branches/1"
    assert node.place("items").pointer() == "/graph/nodes/0/fanOut"
