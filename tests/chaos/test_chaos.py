"""The chaos run's own parts: rules for every call that functions make, plans that compile, checks that find faults."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest
from botocore import xform_name
from botocore.session import get_session

from loopstep.compiler.compile import compile as compile_plan
from loopstep.runs.records import Message
from tests.chaos import checking
from tests.chaos.cases import KINDS, PLANS, Case, cases, once
from tests.chaos.playing import Played
from tests.chaos.rules import FAULTS, RARE, rules
from tests.house.modules import ROOT

SOURCES = ("layers/loopstep/python/loopstep", "functions")
NOT_IN_A_FUNCTION = ("cli",)
CLIENTS = ("dynamodb", "s3", "events", "stepfunctions", "lambda", "bedrock-runtime")
# Made when triggers and schedules are put and removed; their own tests fail each of these calls.
ELSEWHERE = {
    ("events", "PutRule"),
    ("events", "PutTargets"),
    ("events", "RemoveTargets"),
    ("events", "DeleteRule"),
    ("dynamodb", "DeleteItem"),
}
OUR_OWN = {"list_runs", "list_activations", "list_messages"}  # methods of ours that AWS names too, if it does


def operations() -> dict[str, tuple[str, str]]:
    """Every operation of these services by the name of its client's method."""
    session = get_session()
    found = {}
    for service in CLIENTS:
        for name in session.get_service_model(service).operation_names:
            found[xform_name(name)] = (service, name)
    return found


def calls_of_functions() -> Iterator[tuple[str, str]]:
    """The AWS calls in the source of what runs in functions: `<a client>.<method>(Argument=…)`."""
    known = operations()
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            if not set(path.relative_to(ROOT / folder).parts) & set(NOT_IN_A_FUNCTION):
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                        aws = node.args == [] and node.keywords and node.func.attr in known
                        if aws and node.func.attr not in OUR_OWN:
                            yield known[node.func.attr]


def test_every_kind_of_call_that_functions_make_is_failed() -> None:
    assert set(calls_of_functions()) == set(FAULTS) | ELSEWHERE
    assert set(FAULTS) >= RARE


def test_the_same_seed_gives_the_same_rules_and_runs() -> None:
    assert rules(7) == rules(7) != rules(8)
    assert [each.name for each in rules(7)] != [each.name for each in rules(8)]
    assert [(each.plan, each.input) for each in cases(7, 50, "t")] == [
        (each.plan, each.input) for each in cases(7, 50, "t")
    ]


def test_every_plan_compiles_and_is_played() -> None:
    played = {case.plan for case in cases(1, len(KINDS), "t")}
    assert {path.stem for path in PLANS.glob("*.yaml")} == played
    for path in PLANS.glob("*.yaml"):
        compiled = compile_plan(path.read_bytes(), path.stem)
        assert compiled.program is not None, (path, compiled.diagnostics)
        assert {each.code for each in compiled.diagnostics} <= {"registry.unknown"}, (path, compiled.diagnostics)


def test_expected_nodes_are_nodes_of_the_plan() -> None:
    for case in cases(1, 60, "t"):
        compiled = compile_plan((PLANS / f"{case.plan}.yaml").read_bytes(), case.plan)
        assert compiled.program is not None
        assert case.nodes.keys() <= compiled.program.steps.keys(), case.plan


# -- the checks find what they are for -------------------------------------------------------------------------------

RUN = "r"
CASE = Case("order", {"team": "t"}, output=lambda output: output == {"n": 1}, nodes=once("set", "say"), sends={"hi": 1})


def item(sort_key: str, **fields: Any) -> dict[str, Any]:
    kinds = {str: "S", int: "N", list: "L"}
    return {
        "run": {"S": RUN},
        "sk": {"S": sort_key},
        **{
            name: {kinds[type(value)]: value if isinstance(value, list) else str(value)}
            for name, value in fields.items()
        },
    }


def good() -> dict[str, dict[str, Any]]:
    """The items of a run that went well."""
    activation = {"path": "", "act_status": "completed", "epoch": 1, "began_at": "a", "edge": "e", "port": "completed"}
    head = {"plan": "order", "version": 1, "epoch": 1, "started_at": "a", "input": "{}", "ended_at": "z"}
    items = [
        item("head", status="succeeded", **head),
        item("state", rev=1, f_total="5"),
        item("act#set#", node="set", w_total="5", rev=1, **activation),
        item(
            "act#say#", node="say", attempts=[{"S": '{"number":1,"epoch":1,"startedAt":"a","owner":"o"}'}], **activation
        ),
        item("msg#1", node="say", activation="say#", scope="t", text='"hi"', sent_at="a"),
        item("fence#00", fence="succeeded", epoch=1),
        item("race#join#", taken=1, lost=0, decided=1),
        item("arr#join##000000", slot=0, value='{"n":1}'),
    ]
    return {each["sk"]["S"]: each for each in items}


def found(items: dict[str, dict[str, Any]], **view: Any) -> list[str]:
    shown = {"status": "succeeded", "output": {"n": 1}, "error": None, "endedAt": "z"}
    seen = dict(shown)
    records = checking.records_of(items.values())
    return checking.problems(Played(CASE, RUN, seen), shown | view, records, lambda key: "")


def test_a_good_run_has_no_problems() -> None:
    assert found(good()) == []


@pytest.mark.parametrize(
    ("sort_key", "fields", "words"),
    [
        ("head", {"status": {"S": "running"}}, "has not ended"),
        ("head", {"status": {"S": "failed"}}, "ended as failed"),
        ("act#say#", {"act_status": {"S": "running"}}, "still running"),
        ("act#set#", {"rev": {"N": "2"}}, "revision 1"),
        ("act#set#", {"w_total": {"S": "6"}}, "lost what was written to total"),
        ("msg#1", {"text": {"S": '"ho"'}}, "sent {'ho': 1}"),
        ("msg#1", {"scope": {"S": "other"}}, "sent to {'other'}"),
        ("fence#00", {"fence": {"S": "running"}}, "fences say"),
        ("race#join#", {"taken": {"N": "2"}}, "counted 2 arrivals"),
        ("race#join#", {"due": {"S": "sweep"}}, "the sweeper has not done"),
    ],
)
def test_a_fault_in_the_records_is_found(sort_key: str, fields: dict[str, Any], words: str) -> None:
    items = good()
    items[sort_key] |= fields
    assert any(words in each for each in found(items)), found(items)


def test_a_repeated_effect_is_found() -> None:
    twice = good() | {"msg#2": good()["msg#1"] | {"sk": {"S": "msg#2"}}}
    assert any("several messages of say#" in each for each in found(twice))
    again = good() | {"act#set#0": good()["act#set#"] | {"sk": {"S": "act#set#0"}, "path": {"S": "0"}}}
    assert any("set has 2 activations" in each for each in found(again))


def test_an_end_that_changes_is_found() -> None:
    assert any("changed after its end: output" in each for each in found(good(), output={"n": 2}))


def test_published_messages_are_counted_by_id() -> None:
    stored = [(RUN, Message("1", "say", "say#", "t", '"hi"', "a"))]
    event = {"messageId": "1", "runId": RUN, "text": "hi"}
    assert checking.published(stored, [event, event]) == []
    assert checking.published(stored, []) == ["message 1 of run r was never published"]
    assert len(checking.published(stored, [event, event | {"text": "ho"}])) == 1
    assert len(checking.published([], [event])) == 1


def test_executions_are_counted_by_name() -> None:
    assert checking.executions({RUN: 1}, [("r-1", "SUCCEEDED")]) == []
    assert len(checking.executions({RUN: 1}, [])) == 1
    assert len(checking.executions({RUN: 1}, [("r-1", "SUCCEEDED"), ("r-1", "FAILED")])) == 1
    assert checking.executions({RUN: 1}, [("r-1", "RUNNING")]) == ["execution r-1 still runs"]
    assert checking.executions({RUN: 2}, [("r-1", "FAILED"), ("r-2", "SUCCEEDED")]) == []
    assert len(checking.executions({RUN: 2}, [("r-1", "FAILED")])) == 1
