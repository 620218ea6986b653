"""What changed between two plans, a line a change; nothing where nothing that means something changed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopstep.comparing.change import Comparison
from loopstep.comparing.compare import compare
from loopstep.compiler.compile import compile as compile_plan
from loopstep.compiler.model import Plan

ROOT = Path(__file__).resolve().parents[2]
REFUND: dict[str, Any] = yaml.safe_load((ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8"))
PLANS = [
    *sorted((ROOT / "tests" / "conformance" / "cases").glob("*.yaml")),
    *sorted((ROOT / "tests" / "golden" / "plans").glob("*.yaml")),
    *sorted((ROOT / "examples").glob("*.yaml")),
]
Edit = Callable[[dict[str, Any]], Any]


def plan(document: str | dict[str, Any]) -> Plan:
    text = document if isinstance(document, str) else json.dumps(document)
    found = compile_plan(text).plan
    assert found is not None
    return found


def compared(edit: Edit) -> Comparison:
    """The refund plan against what an edit makes of it; an edit that returns something gives that instead."""
    after = copy.deepcopy(REFUND)
    after = edit(after) or after
    return compare(plan(REFUND), plan(after))


def node(document: dict[str, Any], id: str) -> dict[str, Any]:
    return next(each for each in document["graph"]["nodes"] if each["id"] == id)


def edge(document: dict[str, Any], id: str) -> dict[str, Any]:
    return next(each for each in document["graph"]["edges"] if each["id"] == id)


def put(target: Callable[[dict[str, Any]], dict[str, Any]], name: str, value: Any) -> Edit:
    """An edit that sets one entry."""

    def edit(document: dict[str, Any]) -> None:
        target(document)[name] = value

    return edit


def drop(target: Callable[[dict[str, Any]], dict[str, Any]], name: str) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        del target(document)[name]

    return edit


def whole(document: dict[str, Any]) -> dict[str, Any]:
    return document


def inputs(document: dict[str, Any]) -> dict[str, Any]:
    return document["input"]


def outputs(document: dict[str, Any]) -> dict[str, Any]:
    return document["output"]


TEXT = {"type": "string"}
DECISION = {"type": "string", "required": True}
BREAKING = [
    (put(inputs, "more", {**TEXT, "required": True}), "added input.more", "required"),
    (drop(inputs, "reason"), "removed input.reason", "not declared"),
    (put(inputs, "reason", {**TEXT, "required": True}), "changed input.reason", "left out"),
    (put(inputs, "amount", {"type": "integer", "required": True}), "changed input.amount", "number does not fit"),
    (put(inputs, "customer", {**TEXT, "required": True, "enum": ["a"]}), "changed input.customer", "may hold more"),
    (
        put(inputs, "amount", {"type": "number", "required": True, "minimum": 1}),
        "changed input.amount",
        "its minimum is 1, it was 0",
    ),
    (put(inputs, "reason", {**TEXT, "maxLength": 9}), "changed input.reason", "its maxLength is 9"),
    (drop(outputs, "decision"), "removed output.decision", "finds nothing"),
    (put(outputs, "decision", {**DECISION, "enum": ["paid", "referred", "lost"]}), "changed output.decision", "more"),
    (put(outputs, "decision", {"type": "string", "enum": ["paid", "referred"]}), "changed output.decision", "absent"),
]
HARMLESS = [
    (put(inputs, "more", TEXT), ["added input.more"]),
    (put(inputs, "more", {**TEXT, "required": True, "default": "x"}), ["added input.more"]),
    (put(inputs, "customer", TEXT), ["changed input.customer"]),
    (put(inputs, "amount", {"type": "number", "required": True}), ["changed input.amount"]),
    (put(inputs, "customer", {**TEXT, "required": True, "secret": True}), ["changed input.customer"]),
    (put(outputs, "note", TEXT), ["added output.note"]),
    (put(outputs, "decision", {**DECISION, "enum": ["paid", "referred"], "minLength": 1}), ["changed output.decision"]),
    (put(lambda d: d["state"], "more", TEXT), ["added state.more"]),
    (put(lambda d: d["state"]["paid"], "default", 1), ["changed state.paid"]),
    (put(whole, "timeout", "PT1H"), ["changed timeout"]),
    (put(lambda d: d["metadata"], "title", "New"), ["changed title"]),
    (put(lambda d: node(d, "look"), "title", "New"), ["changed nodes.look.title"]),
    (put(lambda d: node(d, "refer"), "timeout", "PT20S"), ["added nodes.refer.timeout"]),
    (put(lambda d: node(d, "refer")["retry"], "maxAttempts", 4), ["changed nodes.refer.retry.maxAttempts"]),
    (put(lambda d: node(d, "refer")["sendMessage"], "text", "Hi"), ["changed nodes.refer.sendMessage.text"]),
    (put(lambda d: node(d, "too_much")["end"], "code", "other"), ["changed nodes.too_much.end.code"]),
    (
        put(lambda d: node(d, "look")["input"], "amount", {"type": "number", "required": True}),
        ["changed nodes.look.input.amount"],
    ),
    (put(lambda d: edge(d, "small"), "when", "input.amount < 50"), ["changed edges.small.when"]),
    (drop(lambda d: edge(d, "small"), "when"), ["removed edges.small.when"]),
    (
        put(lambda d: edge(d, "large")["bindings"], "reason", {"value": "none"}),
        ["changed edges.large.bindings.reason"],
    ),
    (
        put(lambda d: edge(d, "over_limit"), "target", {"nodeId": "done", "port": "in"}),
        ["changed edges.over_limit.target.nodeId"],
    ),
]


def told(comparison: Comparison) -> list[str]:
    return [f"{change.action} {change.place}" for change in comparison.changes]


@pytest.mark.parametrize(("edit", "change", "why"), BREAKING, ids=[row[1] for row in BREAKING])
def test_what_breaks_callers(edit: Edit, change: str, why: str) -> None:
    comparison = compared(edit)
    assert told(comparison) == [change]
    assert why in comparison.changes[0].breaks


@pytest.mark.parametrize(("edit", "changes"), HARMLESS, ids=[row[1][0] for row in HARMLESS])
def test_what_breaks_nobody(edit: Edit, changes: list[str]) -> None:
    comparison = compared(edit)
    assert told(comparison) == changes
    assert comparison.breaking == ()


def rename_node(document: dict[str, Any]) -> dict[str, Any]:
    renamed: dict[str, Any] = json.loads(json.dumps(document).replace('"refer"', '"hand_over"'))
    return renamed


def test_another_name_is_another_name() -> None:
    assert told(compared(rename_node)) == ["renamed nodes.refer"]

    def rename_edge(document: dict[str, Any]) -> None:
        edge(document, "large")["id"] = "big"

    assert told(compared(rename_edge)) == ["renamed edges.large"]


def test_what_is_renamed_and_changed_is_gone_and_new() -> None:
    def edit(document: dict[str, Any]) -> dict[str, Any]:
        renamed = rename_node(document)
        node(renamed, "hand_over")["sendMessage"]["text"] = "Hi"
        return renamed

    assert [each for each in told(compared(edit)) if " nodes." in each] == [
        "removed nodes.refer",
        "added nodes.hand_over",
    ]


def test_the_order_of_conditions_means_something() -> None:
    before = copy.deepcopy(REFUND)
    more = {**copy.deepcopy(edge(before, "large")), "id": "huge", "when": "input.amount > 1000"}
    before["graph"]["edges"].append(more)
    after = copy.deepcopy(before)
    after["graph"]["edges"].reverse()
    (change,) = compare(plan(before), plan(after)).changes
    assert (change.action, change.place) == ("moved", "nodes.look.completed")
    assert (change.before, change.after) == (["small", "huge"], ["huge", "small"])


CALLBACK: dict[str, Any] = {
    "apiVersion": "loop.plan/v1",
    "kind": "PlanVersion",
    "graph": {
        "entry": {"nodeId": "call", "port": "in"},
        "nodes": [
            {
                "id": "call",
                "type": "send_message",
                "output": {"score": {"type": "integer"}},
                "sendMessage": {"scope": {"value": "x"}, "text": "Score", "completion": "callback", "timeout": "PT1H"},
            },
            {"id": "done", "type": "end", "end": {"outcome": "succeeded"}},
        ],
        "edges": [
            {"id": f"e{port}", "source": {"nodeId": "call", "port": port}, "target": {"nodeId": "done", "port": "in"}}
            for port in ("completed", "timed_out")
        ],
    },
}


@pytest.mark.parametrize(
    ("output", "breaks"),
    [
        ({"score": {"type": "integer", "required": True}}, True),
        ({"score": {"type": "integer"}, "why": {"type": "string", "required": True}}, True),
        ({"score": {"type": "number"}}, False),
        ({"score": {"type": "integer"}, "why": {"type": "string"}}, False),
    ],
)
def test_who_answers_a_callback_is_a_caller_too(output: dict[str, Any], breaks: bool) -> None:
    after = copy.deepcopy(CALLBACK)
    after["graph"]["nodes"][0]["output"] = output
    comparison = compare(plan(CALLBACK), plan(after))
    assert len(comparison.changes) == 1
    assert bool(comparison.breaking) is breaks


# -- for every plan there is -----------------------------------------------------------------------------------------


def shuffled(data: Any, draw: random.Random) -> Any:
    """The same data with keys in another order."""
    if isinstance(data, dict):
        names = list(data)
        draw.shuffle(names)
        return {name: shuffled(data[name], draw) for name in names}
    return [shuffled(each, draw) for each in data] if isinstance(data, list) else data


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_a_plan_is_no_other_than_itself(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if compile_plan(text).program is None:
        pytest.skip("a plan with errors is not compared")
    assert compare(plan(text), plan(f"# a comment\n{text}")).changes == ()


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_each_part_that_is_taken_away_or_added_is_told(path: Path) -> None:
    """Of nodes and edges, one at a time, both ways; the plans need not be sound for that."""
    text = path.read_text(encoding="utf-8")
    before = plan(text)
    if before.entry is None:
        pytest.skip("a plan without an entry is not compared")
    for index, each in enumerate(before.nodes):
        less = before._replace(nodes=[*before.nodes[:index], *before.nodes[index + 1 :]])
        assert told(compare(before, less)) == [f"removed nodes.{each.id}"]
        assert told(compare(less, before)) == [f"added nodes.{each.id}"]
    for index, one in enumerate(before.edges):
        fewer = before._replace(edges=[*before.edges[:index], *before.edges[index + 1 :]])
        assert told(compare(before, fewer)) == [f"removed edges.{one.id}"]
        assert told(compare(fewer, before)) == [f"added edges.{one.id}"]


def test_the_order_of_keys_is_no_difference() -> None:
    for seed in range(20):
        assert compare(plan(REFUND), plan(shuffled(REFUND, random.Random(seed)))).changes == ()


def test_a_ref_and_the_expression_that_names_it_are_the_same() -> None:
    def edit(document: dict[str, Any]) -> None:
        edge(document, "large")["bindings"]["amount"] = {"expr": " ( input.amount ) "}
        edge(document, "small")["when"] = "input.amount<=50"
        inputs(document)["reason"]["required"] = False

    assert compared(edit).changes == ()
