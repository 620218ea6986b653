"""What `parse` reports and where: `#! code` ends the line a fault stands on, without `document.`; no other is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from loopstep.compiler.model import Plan
from loopstep.compiler.parse import parse
from loopstep.diagnostics.collector import Reporter
from loopstep.source.load import load
from loopstep.types.assignable import assignable, literal
from loopstep.types.schema import Schema

MARK = re.compile(r"#! (?:document\.)?([a-z_.]+)")


def read(text: str) -> tuple[Plan | None, list[tuple[int, str]]]:
    root, faults = load(text)
    assert root is not None and not faults, faults
    report = Reporter()
    plan = parse(root, report)
    return plan, [(found.line, found.code) for found in report.sorted()]


def full(code: str) -> str:
    return code if "." in code else f"document.{code}"


def marks(text: str) -> list[tuple[int, str]]:
    return [(n, full(code)) for n, line in enumerate(text.split("\n"), 1) for code in MARK.findall(line)]


def check(text: str) -> Plan | None:
    plan, found = read(text)
    assert found == marks(text), text
    return plan


HEAD = "apiVersion: loop.plan/v1\nkind: PlanVersion\n"
GRAPH = "graph: {entry: {nodeId: a, port: in}, nodes: [], edges: []}\n"


def with_node(line: str, **fields: str) -> str:
    top = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"{HEAD}{top}graph:\n  entry: {{nodeId: a, port: in}}\n  nodes:\n    - {line}\n  edges: []\n"


def with_edge(line: str) -> str:
    return f"{HEAD}graph:\n  entry: {{nodeId: a, port: in}}\n  nodes: []\n  edges:\n    - {line}\n"


def with_schema(line: str) -> str:
    return f"{HEAD}input:\n  f: {line}\n{GRAPH}"


def with_value(line: str) -> str:
    ends = "id: e\n      source: {nodeId: a, port: x}\n      target: {nodeId: b, port: in}"
    return with_edge(f"{ends}\n      bindings:\n        v: {line}")


# -- the document ------------------------------------------------------------------------------------------------------

DOCUMENTS = [
    HEAD + GRAPH,
    HEAD + "metadata: {}\n" + GRAPH,
    HEAD + "metadata: {name: order_intake, title: 订单, description: ''}\ntimeout: P30D\n" + GRAPH,
    "apiVersion: loop.plan/v2  #! version\nkind: PlanVersion\n" + GRAPH,
    "apiVersion: 1  #! version\nkind: PlanVersion\n" + GRAPH,
    "apiVersion: loop.plan/v1\nkind: planVersion  #! invalid_value\n" + GRAPH,
    "apiVersion: loop.plan/v1\nkind: [PlanVersion]  #! invalid_value\n" + GRAPH,
    "kind: PlanVersion  #! missing_field\n" + GRAPH,
    "apiVersion: loop.plan/v1  #! missing_field #! missing_field\n",
    HEAD + "colour: red  #! unknown_field\n" + GRAPH,
    HEAD + "metadata: {name: 2nd}  #! invalid_value\n" + GRAPH,
    HEAD + "metadata: {nmae: x}  #! unknown_field\n" + GRAPH,
    HEAD + "metadata: {title: 5}  #! invalid_value\n" + GRAPH,
    HEAD + "metadata: {title: null}  #! invalid_value\n" + GRAPH,
    HEAD + "metadata:  #! invalid_value\n" + GRAPH,
    HEAD + "timeout: P1M  #! invalid_value\n" + GRAPH,
    HEAD + "timeout: PT0S  #! invalid_value\n" + GRAPH,
    HEAD + "timeout: 30  #! invalid_value\n" + GRAPH,
    HEAD + "input: [a]  #! invalid_value\n" + GRAPH,
    HEAD + "input:  #! invalid_value\n" + GRAPH,
    HEAD + "input: {客户名称: {type: string}, _a1: {type: string}, true_: {type: string}}\n" + GRAPH,
    HEAD + "input:\n  1a: {type: string}  #! invalid_value\n" + GRAPH,
    HEAD + "input:\n  e\u0301: {type: string}  #! invalid_value\n" + GRAPH,  # not NFC
    HEAD + "input:\n  a-b: {type: string}  #! invalid_value\n" + GRAPH,
    HEAD + f"input:\n  {'x' * 64}:\n    type: string\n".replace("x:\n", "x:  #! invalid_value\n") + GRAPH,
    HEAD + "state: {n: {type: string, required: true}}  #! state.needs_default\n" + GRAPH,
    HEAD + "state: {n: {type: string, required: true, default: ''}, m: {type: string}}\n" + GRAPH,
    HEAD + "state: {n: {type: string, required: true, defualt: ''}}  #! unknown_field\n" + GRAPH,
    HEAD + "state: {n: {type: strin, required: true}}  #! state.needs_default #! schema.invalid\n" + GRAPH,
    HEAD + "state: {n: {type: string, required: 1}}  #! schema.invalid\n" + GRAPH,
    HEAD + "graph: []  #! invalid_value\n",
    HEAD + "graph: {}  #! missing_field #! missing_field #! missing_field\n",
    HEAD + "graph: {entry: {nodeId: a, port: in}, node: [], edges: []}  #! unknown_field\n",
    HEAD + "graph: {entry: {nodeId: a, port: in}, nodes: {}, edges: 1}  #! invalid_value #! invalid_value\n",
    HEAD + "graph: {entry: {nodeId: a}, nodes: [], edges: []}  #! missing_field\n",
    HEAD + "graph: {entry: a, nodes: [], edges: []}  #! invalid_value\n",
    HEAD + "graph: {entry: {nodeId: a, port: 1}, nodes: [], edges: []}  #! invalid_value\n",
    HEAD + "graph: {entry: {nodeId: a, port: in, bindings: {}}, nodes: [], edges: []}  #! unknown_field\n",
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_documents(text: str) -> None:
    check(text)


@pytest.mark.parametrize("text", ["- a\n", "text\n", "5\n"])
def test_a_document_that_is_no_map(text: str) -> None:
    plan, found = read(text)
    assert plan is None and found == [(1, "document.invalid_value")]


# -- schemas -----------------------------------------------------------------------------------------------------------

SCHEMAS = [
    "{type: string}",
    "{type: string, required: true, default: a, secret: true, enum: [a, b], minLength: 1, maxLength: 9}",
    "{type: integer, minimum: -5, maximum: 5.0, enum: [1, 2.0]}",
    "{type: number, minimum: 0.5}",
    "{type: array, items: {type: object, properties: {a: {type: string}}, additional: true}, minItems: 0, maxItems: 3}",
    "{type: object}",
    "{type: object, properties: {}}",
    "{type: object, properties: {a: {type: integer, default: 3}}, default: {a: 5}}",
    "{type: duration, default: PT1S}",
    "{type: scope, default: 'a b', maxLength: 5}",
    "{type: any, default: {a: null}}",
    "{type: any, enum: [1, a, true]}",
    "string  #! schema.invalid",
    "  #! schema.invalid",
    "{}  #! missing_field",
    "{type: strng}  #! schema.invalid",
    "{type: int}  #! schema.invalid",
    "{type: [string, integer]}  #! schema.invalid",
    "{type: null}  #! schema.invalid",
    "{typ: string}  #! unknown_field",
    "{type: string, format: email}  #! unknown_field",
    "{type: string, required: yes}  #! schema.invalid",
    "{type: string, required: null}  #! schema.invalid",
    "{type: string, secret: 1}  #! schema.invalid",
    "{type: string, description: 5}  #! schema.invalid",
    "{type: string, additional: true}  #! schema.invalid",
    "{type: string, minimum: 3}  #! schema.invalid",
    "{type: number, minLength: 3}  #! schema.invalid",
    "{type: any, minLength: 3}  #! schema.invalid",
    "{type: object, items: {type: string}}  #! schema.invalid",
    "{type: array, properties: {}}  #! schema.invalid",
    "{type: string, minItems: 1}  #! schema.invalid",
    "{type: duration, minLength: 1}  #! schema.invalid",
    "{type: string, minLength: -1}  #! schema.invalid",
    "{type: string, minLength: 1.5}  #! schema.invalid",
    "{type: string, minLength: a}  #! schema.invalid",
    "{type: string, minLength: 3, maxLength: 2}  #! schema.invalid",
    "{type: number, minimum: 3, maximum: 2}  #! schema.invalid",
    "{type: number, minimum: .inf}  #! schema.invalid",
    "{type: integer, maximum: 9007199254740992}  #! schema.invalid",
    "{type: array, minItems: 3, maxItems: 2}  #! schema.invalid",
    "{type: array, items: string}  #! schema.invalid",
    "{type: array, items: {type: strin}}  #! schema.invalid",
    "{type: object, properties: {a: {type: strin}, b: {}}}  #! schema.invalid #! missing_field",
    "{type: object, properties: [a]}  #! schema.invalid",
    "{type: object, properties: {1a: {type: string}}}  #! schema.invalid",
    "{type: object, additional: {type: string}}  #! schema.invalid",
    "{type: string, enum: a}  #! schema.invalid",
    "{type: string, enum: []}  #! schema.invalid",
    "{type: string, enum: [a, 3]}  #! schema.invalid",
    "{type: string, enum: [a, null]}  #! schema.invalid",
    "{type: any, enum: [null]}  #! schema.invalid",
    "{type: string, enum: [a, a]}  #! schema.invalid",
    "{type: integer, enum: [1, 1.0]}  #! schema.invalid",
    "{type: integer, enum: [1, 1.5]}  #! schema.invalid",
    "{type: string, maxLength: 1, enum: [ab]}  #! schema.invalid",
    "{type: string, default: 3}  #! schema.default_mismatch",
    "{type: string, default: null}  #! schema.default_mismatch",
    "{type: any, default: null}  #! schema.default_mismatch",
    "{type: string, enum: [a], default: b}  #! schema.default_mismatch",
    "{type: string, minLength: 2, default: b}  #! schema.default_mismatch",
    "{type: integer, default: 1.5}  #! schema.default_mismatch",
    "{type: duration, default: P1M}  #! schema.default_mismatch",
    "{type: array, items: {type: string}, default: [a, null]}  #! schema.default_mismatch",
    "{type: object, properties: {a: {type: string}}, default: {b: 1}}  #! schema.default_mismatch",
    "{type: object, properties: {a: {type: string, required: true}}, default: {}}  #! schema.default_mismatch",
    "{type: object, properties: {a: {type: string, default: 3}}}  #! schema.default_mismatch",
    "{type: any, default: [9007199254740992]}  #! schema.invalid",
    "{type: strin, default: 3}  #! schema.invalid",
    "{type: string, enum: [3], default: 4}  #! schema.invalid #! schema.default_mismatch",
]


@pytest.mark.parametrize("line", SCHEMAS)
def test_schemas(line: str) -> None:
    check(with_schema(line))


def test_what_is_unknown_keeps_what_is_known() -> None:
    plan, _ = read(with_schema("{type: strin, required: true}"))
    assert plan is not None
    found = plan.input["f"]
    assert (found.type, found.required, found.guaranteed) == ("unknown", True, True)
    plan, _ = read(with_schema("{type: string, required: 3}"))
    assert plan is not None and not plan.input["f"].required and plan.input["f"].guaranteed
    plan, _ = read(with_schema("{type: array, items: {type: strin}}"))
    assert plan is not None and plan.input["f"].type == "array"


def test_numbers_are_in_their_normal_form() -> None:
    plan = check(with_schema("{type: integer, default: 5.0, enum: [5.0, 6]}"))
    assert plan is not None
    assert repr(plan.input["f"].default) == "5" and repr(plan.input["f"].enum) == "(5, 6)"


# -- values ------------------------------------------------------------------------------------------------------------

VALUES = [
    "{value: 3}",
    "{value: {a: [1, null]}}",
    "{value: ''}",
    "{ref: plan.input.a}",
    "{ref: ' plan.input.a '}",
    "{expr: '1 + 2'}",
    "{ref: a.b, default: 3}",
    "{ref: a.b, convert: {to: string}}",
    "{expr: a.b, convert: {to: string}}",
    "{ref: a.b, convert: {to: string, mode: concat, from: evidences}, default: ''}",
    "{ref: a.b, convert: {to: array, topK: 3}}",
    "{ref: a.b, convert: {to: array, from: evidences, topK: 3}}",
    "a.b  #! value.exclusive",
    "5  #! value.exclusive",
    "  #! value.exclusive",
    "[1]  #! value.exclusive",
    "{}  #! value.exclusive",
    "{refs: a.b}  #! value.exclusive",
    "{default: 3}  #! value.exclusive",
    "{value: null}  #! value.exclusive",
    "{value: 1, ref: a.b}  #! value.exclusive",
    "{value: null, ref: a.b}  #! value.exclusive",
    "{value: 1, ref: a.b, expr: c.d}  #! value.exclusive",
    "{ref: a.b, note: 3}  #! unknown_field",
    "{ref: a.b, defualt: 3}  #! unknown_field",
    "{value: 3, default: 3}  #! invalid_value",
    "{expr: a.b, default: 3}  #! invalid_value",
    "{value: 3, convert: {to: string}}  #! invalid_value",
    "{ref: a.b, default: null}  #! invalid_value",
    "{value: 9007199254740992}  #! invalid_value",
    "{value: [.nan]}  #! invalid_value",
    "{ref: a.b, default: [9007199254740992]}  #! invalid_value",
    "{ref: 5}  #! invalid_value",
    "{ref: null}  #! invalid_value",
    "{expr: true}  #! invalid_value",
    "{ref: '1 + 2'}  #! expr.syntax",
    "{ref: '{{ a.b }}'}  #! expr.syntax",
    "{ref: ''}  #! expr.syntax",
    "{expr: 'a.b and c.d'}  #! expr.syntax",
    "{ref: a.b, convert: string}  #! invalid_value",
    "{ref: a.b, convert: {}}  #! missing_field",
    "{ref: a.b, convert: {too: string}}  #! unknown_field",
    "{ref: a.b, convert: {to: string, form: evidences}}  #! unknown_field",
    "{ref: a.b, convert: {to: 5}}  #! invalid_value",
    "{ref: a.b, convert: {to: text}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: scope}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: string, mode: first}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: array, mode: concat}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: string, from: texts}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: string, from: text, mode: concat}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: filePath, from: evidence}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: string, topK: 3}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: array, from: text, topK: 3}}  #! convert.unsupported",
    "{ref: a.b, convert: {to: array, topK: 0}}  #! invalid_value",
    "{ref: a.b, convert: {to: array, topK: many}}  #! invalid_value",
]


@pytest.mark.parametrize("line", VALUES)
def test_values(line: str) -> None:
    check(with_value(line))


def test_the_parsed_value() -> None:
    plan = check(with_value("{ref: a.b, convert: {to: string, mode: concat, from: evidences}, default: 3}"))
    assert plan is not None and plan.edges[0].bindings is not None
    value = plan.edges[0].bindings["v"]
    assert (value.form, value.text, value.default) == ("ref", "a.b", 3)
    assert value.convert is not None and not value.convert.judged
    assert (value.convert.to, value.convert.mode, value.convert.source_kind) == ("string", "concat", "evidences")


# -- edges -------------------------------------------------------------------------------------------------------------

EDGES = [
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}}",
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, when: 'true', bindings: {}}",
    "a  #! invalid_value",
    "{source: {nodeId: a, port: x}, target: {nodeId: b, port: in}}  #! missing_field",
    "{id: e, target: {nodeId: b, port: in}}  #! missing_field",
    "{id: e, source: {nodeId: a}, target: {nodeId: b, port: in}}  #! missing_field",
    "{id: e, source: {nodeID: a, port: x}, target: {nodeId: b, port: in}}  #! unknown_field",
    "{id: e, source: {nodeId: 5, port: x}, target: b}  #! invalid_value #! invalid_value",
    "{id: 2e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}}  #! invalid_value",
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, when: true}  #! invalid_value",
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, when: null}  #! invalid_value",
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, when: 'a.b = 3'}  #! expr.syntax",
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, bindings: null}  #! invalid_value",
    "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, bindngs: {}}  #! unknown_field",
]


@pytest.mark.parametrize("line", EDGES)
def test_edges(line: str) -> None:
    check(with_edge(line))


def test_left_out_and_unreadable_bindings_differ() -> None:
    for line, valid in ((EDGES[0], True), (EDGES[-1], False), (EDGES[-2], False)):
        plan, _ = read(with_edge(line))
        assert plan is not None
        assert plan.edges[0].bindings is None and plan.edges[0].valid is valid


def test_more_edges_than_allowed() -> None:
    edge = "{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}}"
    for count, found in ((5000, []), (5001, ["limit.nodes"])):
        text = HEAD + "graph: {entry: {nodeId: a, port: in}, nodes: [], edges: [" + ", ".join([edge] * count) + "]}"
        assert [code for _, code in read(text)[1]] == found


def test_more_nodes_than_allowed() -> None:
    node = "{id: n, type: pass, pass: {}}"
    for count, found in ((1000, []), (1001, ["limit.nodes"])):
        text = HEAD + "graph: {entry: {nodeId: a, port: in}, edges: [], nodes: [" + ", ".join([node] * count) + "]}"
        assert [code for _, code in read(text)[1]] == found


def test_a_fault_in_a_text_stands_at_its_token() -> None:
    root, _ = load(with_edge("{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, when: 'a.b = 3'}"))
    report = Reporter()
    assert root is not None
    parse(root, report)
    (found,) = report.sorted()
    column = (
        with_edge("{id: e, source: {nodeId: a, port: x}, target: {nodeId: b, port: in}, when: 'a.b = 3'}")
        .split("\n")[6]
        .index("= 3")
        + 1
    )
    assert (found.code, found.column, found.path) == ("expr.syntax", column, "/graph/edges/0/when")


def test_an_unknown_field_is_placed_at_its_name() -> None:
    root, _ = load(HEAD + "colour:\n  red: 1\n" + GRAPH)
    report = Reporter()
    assert root is not None
    parse(root, report)
    (found,) = report.sorted()
    assert (found.line, found.column, found.path) == (3, 1, "/colour")


# -- whatever stands in a document -------------------------------------------------------------------------------------

ODD: list[Any] = [None, True, 0, -1, 1.5, 2**60, "", "a", "{{", "a.b", [], [None], [[]], {}, {"a": None}, {"value": {}}]
SEED = {
    "apiVersion": "loop.plan/v1",
    "kind": "PlanVersion",
    "metadata": {"name": "n"},
    "timeout": "P1D",
    "input": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "string"}}}}},
    "state": {"s": {"type": "string", "required": True, "default": "x", "enum": ["x", "y"], "minLength": 1}},
    "graph": {
        "entry": {"nodeId": "f", "port": "in", "input": {"a": {"ref": "plan.input.a", "default": {}}}},
        "nodes": [
            {"id": "f", "type": "fan_out", "fanOut": {"branches": ["l", "r"]}},
            {"id": "j", "type": "join", "join": {"fanOut": "f", "mode": "count", "count": 2, "merge": {}}},
            {
                "id": "m",
                "type": "send_message",
                "input": {"i": {"type": "any"}},
                "preconditions": ["i"],
                "sendMessage": {"scope": {"value": "s"}, "text": "{{ input.i }}", "thread": "open"},
                "retry": {"maxAttempts": 2, "backoff": "PT1S", "factor": 2, "maxBackoff": "PT5S"},
            },
            {"id": "c", "type": "condition", "condition": {"conditions": [{"expression": "e"}], "context": "none"}},
            {
                "id": "v",
                "type": "set_variable",
                "setVariable": {"assignments": [{"state": "s", "value": {"expr": "1"}}]},
            },
        ],
        "edges": [
            {
                "id": "e",
                "source": {"nodeId": "f", "port": "l"},
                "target": {"nodeId": "j", "port": "in"},
                "when": "true",
                "bindings": {"x": {"ref": "a.b", "convert": {"to": "string", "mode": "json", "from": "evidences"}}},
            }
        ],
    },
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


def swapped(path: tuple[Any, ...], odd: Any) -> Any:
    changed = json.loads(json.dumps(SEED))
    if not path:
        return odd
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = odd
    return changed


def test_nothing_in_a_document_is_an_exception() -> None:
    for path in places(SEED):
        for odd in ODD:
            root, faults = load(json.dumps(swapped(path, odd)))
            assert root is not None and not faults
            report = Reporter()
            plan = parse(root, report)
            assert plan is not None or report.has_errors
            for node in plan.nodes if plan else ():
                if node.type is not None:  # what the checker asks of every node
                    facts = (node.type.exits, node.type.outputs, node.type.parts, node.type.wait)
                    assert len([fact(node) for fact in facts]) == 4
                    assert node.type.contract(node, {}) is not None and node.place("count") is not None


def test_a_part_left_out_is_one_fault_at_most() -> None:
    """What is required is missed where it lacks; no more is said than that."""
    for path in places(SEED):
        if path:
            changed = swapped(path, None)
            inside = changed
            for key in path[:-1]:
                inside = inside[key]
            del inside[path[-1]]
            root, _ = load(json.dumps(changed))
            assert root is not None
            report = Reporter()
            parse(root, report)
            assert len(report.sorted()) <= 1, (path, report.sorted())


def test_parts_of_unknown_type_fit_everything() -> None:
    plan, _ = read(with_schema("{type: object, properties: {a: {type: strin}, b: {type: integer}}}"))
    assert plan is not None
    found, wanted = plan.input["f"], Schema("object", properties={"a": Schema("scope"), "b": Schema("number")})
    assert assignable(found, wanted) is None and assignable(wanted, found) is not None  # number is no integer
    assert literal({"a": 3, "b": 4}, found) == ({"a": 3, "b": 4}, None)
