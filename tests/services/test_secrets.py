"""`secret: true` (LANGUAGE §3): found wherever it is declared, hidden wherever it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.services.secrets import hide, paths_of
from loopstep.types.schema import Schema


def fields(**schemas: Any) -> dict[str, Schema]:
    return {name: Schema.from_json(schema) for name, schema in schemas.items()}


def test_paths() -> None:
    declared = fields(
        open={"type": "string"},
        token={"type": "string", "secret": True},
        account={"type": "object", "properties": {"id": {"type": "string"}, "pin": {"type": "string", "secret": True}}},
        cards={
            "type": "array",
            "items": {"type": "object", "properties": {"number": {"type": "string", "secret": True}}},
        },
    )
    assert paths_of(declared) == [["token"], ["account", "pin"], ["cards", "*", "number"]]


@pytest.mark.parametrize(
    ("value", "path", "shown"),
    [
        ({"a": 1}, ["a"], {"a": "***"}),
        ({"a": {"b": 1, "c": 2}}, ["a", "b"], {"a": {"b": "***", "c": 2}}),
        ({"a": [{"b": 1}, {"c": 2}]}, ["a", "*", "b"], {"a": [{"b": "***"}, {"c": 2}]}),
        ({"a": [1, 2]}, ["a", "*"], {"a": ["***", "***"]}),
        ({}, ["a"], {}),
        ({"a": None}, ["a", "b"], {"a": None}),
        (None, ["a"], None),
        ({"a": "text"}, ["a", "*", "b"], {"a": "text"}),
    ],
)
def test_hiding(value: Any, path: list[str], shown: Any) -> None:
    before = repr(value)
    assert hide(value, [path]) == shown
    assert repr(value) == before


def test_what_a_version_declares(aws: Any) -> None:
    from loopstep.services.publish_plan import publish_plan

    document = aws.document("hi", "{key: {type: string, secret: true}, n: {type: integer}}")
    version = publish_plan(aws.publisher(), "p", document).version
    import json

    secrets = json.loads(aws.plans().text(version, "secrets"))
    assert secrets == {"input": [["key"]], "output": [], "state": [], "nodes": {}}
