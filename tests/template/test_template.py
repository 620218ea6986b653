"""template.yaml against the code that runs in it: tables, functions, environment, permissions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopstep.plans import schema as plans_schema
from loopstep.runs import schema as runs_schema

ROOT = Path(__file__).resolve().parents[2]


class _Loader(yaml.SafeLoader):
    """Reads intrinsics of the short form as {"!Tag": value}."""


def _intrinsic(loader: _Loader, tag: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        return {f"!{tag}": loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {f"!{tag}": loader.construct_sequence(node, deep=True)}
    return {f"!{tag}": loader.construct_mapping(node, deep=True)}  # type: ignore[arg-type]


_Loader.add_multi_constructor("!", _intrinsic)

TEMPLATE = yaml.load((ROOT / "template.yaml").read_text(), _Loader)
RESOURCES: dict[str, Any] = TEMPLATE["Resources"]
FUNCTIONS = {name: each for name, each in RESOURCES.items() if each["Type"] == "AWS::Serverless::Function"}
UNSCOPED = {"states:SendTaskSuccess", "states:SendTaskFailure"}  # these know no resource


@pytest.mark.parametrize(
    ("resource", "definition"),
    [("RunsTable", runs_schema.table_definition("t")), ("PlansTable", plans_schema.table_definition("t"))],
)
def test_tables_are_the_stores_own(resource: str, definition: dict[str, Any]) -> None:
    properties = RESOURCES[resource]["Properties"]
    for key in ("BillingMode", "KeySchema"):
        assert properties[key] == definition[key]
    for key, by in (("AttributeDefinitions", "AttributeName"), ("GlobalSecondaryIndexes", "IndexName")):
        assert sorted(properties[key], key=lambda each: str(each[by])) == sorted(
            definition[key], key=lambda each: str(each[by])
        )
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"] == {"SSEEnabled": True}


def test_finished_runs_expire() -> None:
    expected = {"AttributeName": runs_schema.TTL_ATTRIBUTE, "Enabled": True}
    assert RESOURCES["RunsTable"]["Properties"]["TimeToLiveSpecification"] == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_a_folder_with_a_log_group_and_a_name(name: str) -> None:
    function = FUNCTIONS[name]
    properties = function["Properties"]
    folder = properties["CodeUri"].removeprefix("functions/")
    assert properties["FunctionName"] == {"!Sub": f"${{AWS::StackName}}-{folder}"}
    assert function["Metadata"] == {"SkipBuild": True}
    assert properties["AutoPublishAliasAllProperties"] is True
    logs = RESOURCES[properties["LoggingConfig"]["LogGroup"]["!Ref"]]["Properties"]
    assert logs["LogGroupName"] == {"!Sub": f"/aws/lambda/${{AWS::StackName}}-{folder}"}
    assert logs["RetentionInDays"] == {"!Ref": "LogRetentionDays"}


def test_every_function_has_a_handler_and_every_handler_a_function() -> None:
    declared = {each["Properties"]["CodeUri"] for each in FUNCTIONS.values()}
    assert declared == {str(each.parent.relative_to(ROOT)) for each in (ROOT / "functions").glob("*/handler.py")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_handler_finds_the_environment_that_it_reads(name: str) -> None:
    properties = FUNCTIONS[name]["Properties"]
    given = {*TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]}
    given |= {*properties.get("Environment", {}).get("Variables", {})}
    text = (ROOT / properties["CodeUri"] / "handler.py").read_text()
    assert {*re.findall(r"environ(?:ment)?\[\"(\w+)\"\]", text)} <= given


def _statements(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [found for each in value for found in _statements(each)]
    if not isinstance(value, dict):
        return []
    own = [value] if value.get("Effect") == "Allow" and "Resource" in value else []
    return own + [found for each in value.values() for found in _statements(each)]


def test_nothing_is_allowed_on_everything() -> None:
    for statement in _statements(RESOURCES):
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        assert not any("*" in action for action in actions)
        assert statement["Resource"] != "*" or {*actions} <= UNSCOPED, statement


def test_the_machine_role_reaches_the_functions_of_the_definitions() -> None:
    statement = next(each for each in _statements(RESOURCES["MachineRole"]) if each["Sid"] == "InvokeNodes")
    allowed = {each["!Sub"] for each in statement["Resource"]}
    apart = {"ApiFunction", "AuthorizeFunction", "CompilePlanFunction", "StartRunFunction", "SweepFunction"}
    apart |= {"TriggerFunction"}
    assert allowed == {f"${{{name}.Arn}}:live" for name in FUNCTIONS.keys() - apart}


def test_the_api_has_explicit_methods_and_a_preflight_without_a_key() -> None:
    events = [each["Properties"] for each in FUNCTIONS["ApiFunction"]["Properties"]["Events"].values()]
    allowed = {(each["Method"].lower(), each["Path"]) for each in events}
    paths = RESOURCES["Api"]["Properties"]["DefinitionBody"]["paths"]
    assert {(method, path) for path, methods in paths.items() for method in methods} == allowed
    asked = {(method, path) for path, methods in paths.items() for method, one in methods.items() if "security" in one}
    assert asked == {(method, "/{proxy+}") for method in ("get", "post", "put", "delete")}
    assert all(paths[path][method]["security"] == [{"caller": []}] for method, path in asked)


def test_how_callers_are_known_is_one_parameters_to_say() -> None:
    """By key unless it is said otherwise; whatever it says, a method that asks for a caller has a way to know one."""
    api = RESOURCES["Api"]["Properties"]
    condition, by_key, (_, by_token, by_iam) = _choice(api["DefinitionBody"]["components"]["securitySchemes"]["caller"])
    assert (condition, by_key["name"]) == ("AsksForKeys", "x-api-key")
    assert by_token["x-amazon-apigateway-authorizer"]["type"] == "token"
    assert by_iam["x-amazon-apigateway-authtype"] == "awsSigv4"
    assert TEMPLATE["Parameters"]["ApiAuth"]["Default"] == "key"
    assert TEMPLATE["Parameters"]["UnregisteredCallers"]["Default"] == "viewer"
    assert api["AlwaysDeploy"] is True, "or a stage asks as before when that parameter alone changes"


def _choice(value: Any) -> Any:
    """The condition of an !If and what it chooses from, inner ones likewise."""
    return [_choice(each) for each in value["!If"]] if isinstance(value, dict) and "!If" in value else value


def test_the_bucket_is_private_and_keeps_what_versions_need() -> None:
    properties = RESOURCES["ValuesBucket"]["Properties"]
    assert all(properties["PublicAccessBlockConfiguration"].values())
    expiring = [each for each in properties["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in each]
    assert [each["Prefix"] for each in expiring] == ["run/", "files/", "replies/", "results/"]  # versions live in plan/


def test_samconfig_has_both_environments_and_no_secret() -> None:
    text = (ROOT / "samconfig.toml").read_text()
    config = tomllib.loads(text)
    assert {"default", "local"} <= config.keys()
    assert config["local"]["global"]["parameters"]["stack_name"] == "loopstep-local"
    assert not re.search(r"(?i)secret|password|akia", text)


def _pins(text: str) -> dict[str, str]:
    return dict(re.findall(r"(?m)^\s*\"?([A-Za-z0-9_.-]+)==([^\s\",]+)", text.replace("_", "-").lower()))


def test_the_layer_and_the_tests_use_the_same_packages() -> None:
    everything = _pins((ROOT / "requirements" / "dev.txt").read_text())
    for file in ("layers/dependencies/requirements.txt", "layers/tokens/requirements.txt", "pyproject.toml"):
        pins = _pins((ROOT / file).read_text())
        assert pins and pins.items() <= everything.items(), file
