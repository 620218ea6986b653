"""The check of the API's description finds what breaks, and nothing else; and nothing breaks the last release."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopstep import __version__
from loopstep.api.openapi import FILE
from tests.golden.breaking import breaks, last_release, main

Json = dict[str, Any]
Change = Callable[[Json], Any]

THING = {
    "type": "object",
    "required": ["id", "status"],
    "properties": {
        "id": {"type": "string"},
        "status": {"type": "string", "enum": ["running", "failed"]},
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
        "data": {},
        "words": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
WANTED = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 9, "pattern": "^a"},
        "size": {"anyOf": [{"type": "number", "minimum": 1}, {"type": "null"}]},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "input": {},
    },
}


def content(schema: Json, kind: str = "application/json") -> Json:
    return {"content": {kind: {"schema": schema}}}


def api() -> Json:
    """A small description."""
    thing = {"$ref": "#/components/schemas/Thing"}
    name = {"in": "path", "name": "name", "required": True, "schema": {"type": "string"}}
    limit = {"in": "query", "name": "limit", "required": False, "schema": {"type": "integer", "maximum": 100}}
    read = {"operationId": "read", "parameters": [name, limit], "responses": {"200": content(thing), "404": {}}}
    make = {
        "operationId": "make",
        "parameters": [name],
        "requestBody": {"required": True, **content(WANTED)},
        "responses": {"201": content(thing)},
    }
    start = {"operationId": "start", "requestBody": {"required": False, **content({})}, "responses": {"202": {}}}
    key = {"type": "apiKey", "in": "header", "name": "x-api-key"}
    made = {
        "paths": {"/things/{name}": {"get": read, "post": make}, "/start": {"post": start}},
        "components": {"schemas": {"Thing": THING}, "securitySchemes": {"key": key}},
    }
    return copy.deepcopy(made)


def at(document: Json, path: str) -> Any:
    """What stands at `a.b.c`; `thing` and `wanted` are the two schemas, `read` and `make` the operations."""
    short = {
        "read": ["paths", "/things/{name}", "get"],
        "make": ["paths", "/things/{name}", "post"],
        "thing": ["components", "schemas", "Thing"],
        "wanted": [*["paths", "/things/{name}", "post", "requestBody", "content", "application/json", "schema"]],
    }
    first, *rest = path.split(".")
    found: Any = document
    for part in [*short.get(first, [first]), *rest]:
        found = found[int(part) if isinstance(found, list) else part]
    return found


def put(path: str, **values: Any) -> Change:
    return lambda document: at(document, path).update(copy.deepcopy(values))


def drop(path: str, name: str | int) -> Change:
    return lambda document: at(document, path).pop(name)


def renamed(document: Json) -> None:
    """A path's parameter by another name, which callers do not see."""
    document["paths"]["/things/{thing}"] = document["paths"].pop("/things/{name}")
    for operation in document["paths"]["/things/{thing}"].values():
        operation["parameters"][0]["name"] = "thing"


REQUIRED = {"in": "query", "name": "team", "required": True, "schema": {"type": "string"}}

BREAKING: dict[str, tuple[Change, str]] = {
    "a path gone": (drop("paths", "/start"), "/start: is gone"),
    "a method gone": (drop("paths./things/{name}", "get"), "GET /things/{name}: is gone"),
    "an answer gone": (drop("read.responses", "404"), "answer 404: is gone"),
    "an answer's media type gone": (
        put("make.responses", **{"201": content({}, "text/csv")}),
        "as application/json: is gone",
    ),
    "another operationId": (put("read", operationId="other"), "generated clients"),
    "a parameter gone": (drop("read.parameters", 1), "query parameter limit: is gone"),
    "a parameter required": (put("read.parameters.1", required=True), "limit: is required"),
    "a new required parameter": (lambda d: at(d, "read.parameters").append(REQUIRED), "team: is new and required"),
    "a parameter's maximum lower": (put("read.parameters.1.schema", maximum=50), "maximum was 100, is 50"),
    "a body gone": (drop("make", "requestBody"), "body: is gone"),
    "a body required": (put("paths./start.post.requestBody", required=True), "body: is required"),
    "a new required body": (put("read", requestBody={"required": True, **content({})}), "body: is new and required"),
    "a member required": (put("wanted", required=["name", "kind"]), "body/kind: is required"),
    "a new required member": (
        lambda d: (put("wanted.properties", more={"type": "string"})(d), put("wanted", required=["name", "more"])(d)),
        "body/more: is required",
    ),
    "a member that is sent gone": (drop("wanted.properties", "size"), "body/size: is gone"),
    "a type narrower": (put("wanted.properties", size={"type": "integer", "minimum": 1}), "body/size: was number"),
    "null no longer taken": (put("wanted.properties", size={"type": "number", "minimum": 1}), "body/size: was null"),
    "anything no longer taken": (put("wanted.properties", input={"type": "object"}), "body/input: was anything"),
    "an enum narrower": (put("wanted.properties.kind", enum=["a"]), "body/kind: is no longer b"),
    "a new enum": (put("wanted.properties.name", enum=["a"]), "body/name: is one of a"),
    "a shorter text": (put("wanted.properties.name", maxLength=8), "maxLength was 9, is 8"),
    "another pattern": (put("wanted.properties.name", pattern="^ab"), "pattern was ^a, is ^ab"),
    "a new minimum": (put("read.parameters.1.schema", minimum=1), "minimum was None, is 1"),
    "no other members": (
        lambda d: at(d, "paths./start.post.requestBody.content.application/json").update(
            schema={"type": "object", "additionalProperties": False}
        ),
        "was anything, is object",
    ),
    "a member that is read gone": (drop("thing.properties", "count"), "answer 200/count: is gone"),
    "a member that may be missing": (put("thing", required=["id"]), "/status: may be missing"),
    "a member that may be null": (
        put("thing.properties", id={"anyOf": [{"type": "string"}, {"type": "null"}]}),
        "/id: was string, is null",
    ),
    "another type": (put("thing.properties", id={"type": "integer"}), "/id: was string, is integer"),
    "any type": (put("thing.properties", id={}), "/id: was string, is anything"),
    "a value that never comes": (put("thing.properties.status", enum=["running"]), "/status: is no longer failed"),
    "values without a list": (drop("thing.properties.status", "enum"), "/status: may be any other value"),
    "other items": (put("thing.properties.parts", items={"type": "string"}), "/parts[]: was object, is string"),
    "other values of a map": (
        put("thing.properties.words", additionalProperties={"type": "integer"}),
        "/words/*: was string",
    ),
    "another header for the key": (put("components.securitySchemes.key", name="key"), "whoever identifies so"),
}
HARMLESS: dict[str, Change] = {
    "nothing": lambda document: None,
    "another path": put("paths", **{"/more": {"get": {"operationId": "more", "responses": {}}}}),
    "another method": put("paths./start", get={"operationId": "started", "responses": {}}),
    "another answer": put("read.responses", **{"410": {}}),
    "an optional parameter": lambda d: at(d, "read.parameters").append({**REQUIRED, "required": False}),
    "a parameter that need not be": put("make.requestBody", required=False),
    "an optional member": put("wanted.properties", more={"type": "string"}),
    "a member that need not be": put("wanted", required=[]),
    "a longer text": put("wanted.properties.name", maxLength=10),
    "any text": drop("wanted.properties.name", "pattern"),
    "another value taken": put("wanted.properties.kind", enum=["a", "b", "c"]),
    "any number taken": put("wanted.properties", size={"anyOf": [{"type": "number"}, {"type": "null"}]}),
    "null taken too": put("wanted.properties", kind={"type": ["string", "null"], "enum": ["a", "b", None]}),
    "anything taken": put("wanted.properties", size={}),
    "another member read": put("thing.properties", more={"type": "string"}),
    "a member that is always there": put("thing", required=["id", "status", "count"]),
    "a member that is never null": put("thing.properties", count={"type": "integer"}),
    "a value that is new": put("thing.properties.status", enum=["running", "failed", "paused"]),
    "a known type": put("thing.properties", data={"type": "object"}),
    "other words": put("thing", description="Says more."),
    "a parameter's name in a path": renamed,
}


@pytest.mark.parametrize("name", BREAKING)
def test_what_breaks_is_found(name: str) -> None:
    change, words = BREAKING[name]
    new = api()
    change(new)
    found = [str(each) for each in breaks(api(), new)]
    assert any(words in each for each in found), found


@pytest.mark.parametrize("name", HARMLESS)
def test_what_breaks_nobody_passes(name: str) -> None:
    new = api()
    HARMLESS[name](new)
    assert breaks(api(), new) == []


def test_a_change_in_a_shared_schema_is_told_once() -> None:
    new = api()
    drop("thing.properties", "count")(new)
    assert [str(each) for each in breaks(api(), new)] == [
        "GET /things/{name}, answer 200/count: is gone; breaks whoever reads it"
    ]


def test_a_whole_description_against_itself_and_without_each_of_its_schemas_members() -> None:
    whole = json.loads(FILE.read_text(encoding="utf-8"))
    assert breaks(whole, whole) == []
    for name in ("Run", "RunStarted", "Problem", "PlanVersion"):
        for member in whole["components"]["schemas"].get(name, {}).get("properties", {}):
            new = copy.deepcopy(whole)
            del new["components"]["schemas"][name]["properties"][member]
            assert breaks(whole, new), (name, member)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name, change in (("old", HARMLESS["nothing"]), ("new", BREAKING["a path gone"][0])):
        document = api()
        change(document)
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(document), encoding="utf-8")
    assert main([str(files[0]), str(files[1])]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "/start: is gone; breaks whoever calls it",
        "new.json against old.json: 1 breaks",
    ]
    assert main([str(files[1]), str(files[0])]) == 0


def test_this_version_is_kept() -> None:
    assert last_release().name == f"{__version__}.openapi.json", "python -m tests.golden.released"


def test_the_last_release_is_not_broken() -> None:
    old, new = (json.loads(each.read_text(encoding="utf-8")) for each in (last_release(), FILE))
    assert [str(each) for each in breaks(old, new)] == []
