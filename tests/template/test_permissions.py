"""Least privilege, statically: every action that a function may do stands in code that the function can reach."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

import pytest

from tests.house.modules import Module, modules
from tests.template.test_template import FUNCTIONS, RESOURCES, ROOT, _statements

# action → what stands in the code that asks for it; of clients the method's name
WORDS = {
    "dynamodb:BatchGetItem": ("batch_get_item(",),
    "dynamodb:ConditionCheckItem": ('"ConditionCheck"',),
    "dynamodb:DeleteItem": ("delete_item(", '"Delete"'),
    "dynamodb:GetItem": (".get_item(", "batch_get_item("),
    "dynamodb:PutItem": (".put_item(", '"Put"'),
    "dynamodb:Query": (".query(",),
    "dynamodb:UpdateItem": ("update_item(", '"Update"'),
    "s3:GetObject": ("get_object(", '"get_object"', "head_object("),
    "s3:PutObject": ("put_object(", '"put_object"'),
    "s3:DeleteObject": ("delete_object(", "delete_objects("),
    "s3:ListBucket": ("list_objects_v2",),
    "states:SendTaskSuccess": ("send_task_success(",),
    "states:SendTaskFailure": ("send_task_failure(",),
    "states:StartExecution": ("start_execution(",),
    "states:StopExecution": ("stop_execution(",),
    "states:DescribeExecution": ("describe_execution(",),
    "states:CreateStateMachine": ("create_state_machine(",),
    "states:TagResource": ("tags=",),
    "iam:PassRole": ("roleArn=", "RoleArn", "role_arn"),
    "lambda:InvokeFunction": ("invoke(",),
    "events:PutEvents": ("put_events(",),
    "events:PutRule": ("put_rule(",),
    "events:DeleteRule": ("delete_rule(",),
    "events:PutTargets": ("put_targets(",),
    "events:RemoveTargets": ("remove_targets(",),
    "events:EnableRule": ("enable_rule(",),
    "events:DisableRule": ("disable_rule(",),
    "events:DescribeRule": ("describe_rule(",),
    "bedrock:InvokeModel": (".converse(",),
    "bedrock:Converse": (".converse(",),
    "bedrock:Retrieve": (".retrieve(",),
    "scheduler:CreateSchedule": ("create_schedule(",),
    "scheduler:UpdateSchedule": ("update_schedule(",),
    "scheduler:DeleteSchedule": ("delete_schedule(",),
    "scheduler:GetSchedule": ("get_schedule(",),
    "sqs:SendMessage": ("send_message(",),
    "sqs:ReceiveMessage": ("receive_message(",),
    "sqs:DeleteMessage": ("delete_message(",),
    "sqs:GetQueueAttributes": ("get_queue_attributes(",),
    "sqs:ChangeMessageVisibility": ("change_message_visibility(",),
}


COMPOSITION = "loopstep.runtime.composition"  # makes what one handler or the other needs, and imports it then


@cache
def _by_name() -> dict[str, Module]:
    return {module.name: module for module in modules()}


@cache
def _not_composed(handler: Module) -> frozenset[int]:
    """Lines of the composition that a handler never runs: functions that neither it nor what it composes calls."""
    tree = ast.parse(_by_name()[COMPOSITION].path.read_text(encoding="utf-8"))
    makers = {each.name: each for each in tree.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    open_ = [each.name.rpartition(".")[2] for each in handler.imports if each.name.startswith(COMPOSITION)]
    composed: set[str] = set()
    while open_:
        name = open_.pop()
        if name in makers and name not in composed:
            composed.add(name)
            open_ += [node.id for node in ast.walk(makers[name]) if isinstance(node, ast.Name)]
    apart = [maker for name, maker in makers.items() if name not in composed]
    return frozenset(line for each in apart for line in range(each.lineno, (each.end_lineno or each.lineno) + 1))


@cache
def text_of(folder: str) -> str:
    """The code of all modules that a function's handler can load, also later."""
    found: set[str] = set()
    handler = _by_name()[f"functions.{folder}.handler"]
    open_ = [handler.name]
    while open_:
        module = _by_name().get(open_.pop())
        if module is None or module.name in found:
            continue
        found.add(module.name)
        skipped = _not_composed(handler) if module.name == COMPOSITION else frozenset()
        for each in module.imports:
            if not each.typing and each.line not in skipped:
                parts = each.name.split(".")
                open_.extend(".".join(parts[:length]) for length in range(1, len(parts) + 1))
    paths = [ROOT / "functions" / folder / "handler.py"]
    package = ROOT / "layers/loopstep/python"
    for name in found:
        path = package.joinpath(*name.split("."))
        paths += [each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def actions(value: Any) -> set[str]:
    """What some policies allow."""
    found: set[str] = set()
    for statement in _statements(value):
        said = statement["Action"]
        found |= {said} if isinstance(said, str) else {*said}
    return found


def allowed(name: str) -> set[str]:
    """What a function may do: its own statements and those of the policies that it names."""
    policies = FUNCTIONS[name]["Properties"].get("Policies", [])
    named = [RESOURCES[each["!Ref"]] for each in policies if "!Ref" in each]
    return actions(policies) | actions(named)


def unused(given: set[str], text: str) -> set[str]:
    """The actions that a text of code does not ask for."""
    return {action for action in given if not any(word in text for word in WORDS[action])}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_asks_for_everything_that_it_may_do(name: str) -> None:
    text = text_of(FUNCTIONS[name]["Properties"]["CodeUri"].removeprefix("functions/"))
    unknown = allowed(name) - WORDS.keys()
    assert unknown == set(), "say in WORDS how code asks for it"
    assert unused(allowed(name), text) == set()


def test_what_is_not_asked_for_is_seen() -> None:
    given = {"dynamodb:UpdateItem", "events:PutEvents", "bedrock:InvokeModel", "states:StartExecution"}
    assert unused(given, text_of("pass")) == given - {"dynamodb:UpdateItem"}
    assert unused(given, text_of("send_message")) == {"bedrock:InvokeModel", "states:StartExecution"}


def test_only_who_acts_on_people_or_races_answers_the_engine() -> None:
    answering = {name for name in FUNCTIONS if "states:SendTaskSuccess" in allowed(name)}
    assert answering == {
        *("ApiFunction", "SweepFunction", "JoinFunction", "SendMessageFunction", "RequestApprovalFunction")
    }


def test_nobody_may_change_functions_tables_or_roles() -> None:
    services = {action.partition(":")[0] for name in FUNCTIONS for action in allowed(name)}
    assert services <= {
        "dynamodb",
        "s3",
        "states",
        "iam",
        "lambda",
        "events",
        "bedrock",
        "scheduler",
        "sqs",
        "apigateway",
    }
    passing = {name for name in FUNCTIONS if "iam:PassRole" in allowed(name)}
    for name in passing:
        for statement in _statements(FUNCTIONS[name]):
            if "iam:PassRole" in str(statement["Action"]):
                assert statement["Resource"] != "*" and "iam:PassedToService" in str(statement["Condition"]), name


def test_node_functions_reach_no_other_run_of_the_bucket_than_by_key() -> None:
    """No function lists the bucket but by the prefix of working directories."""
    for resource in RESOURCES.values():
        for statement in _statements(resource):
            if "s3:ListBucket" in str(statement["Action"]):
                assert statement["Condition"] == {"StringLike": {"s3:prefix": "files/*"}}


def test_state_machines_log_no_data() -> None:
    """A machine is made without logging, so no payload reaches CloudWatch by the engine."""
    text = text_of("compile_plan")
    assert "create_state_machine(" in text and "loggingConfiguration" not in text
