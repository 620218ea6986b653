"""Routes below /plans (ARCHITECTURE §5)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest


def publish(api: Any, name: str = "greet", text: str = "hello") -> Any:
    return api("PUT", f"/plans/{name}", raw=api.stack.document(text).decode(), content_type="application/yaml")


def test_publish_and_read(api: Any) -> None:
    first = publish(api)
    assert (first.status, first.body["version"], first.body["unchanged"]) == (201, 1, False)
    assert publish(api).status == 200
    assert publish(api, text="other").body["version"] == 2
    plan = api("GET", "/plans/greet").body
    assert (plan["name"], plan["version"], plan["title"]) == ("greet", 2, "问候")
    assert plan["input"] == plan["output"] == plan["state"] == {}
    version = api("GET", "/plans/greet/versions/1").body
    assert version["document"].encode() == api.stack.document("hello")
    assert version["diagnostics"] == [] and version["machineArn"] == first.body["machineArn"]
    definition = api("GET", "/plans/greet/versions/1/definition").body
    assert definition["StartAt"] == "say"
    graph = api("GET", "/plans/greet/versions/1/graph").body
    assert [node["id"] for node in graph["nodes"]] == ["say", "done"]
    assert graph["nodes"][0]["enclosing"] == graph["regions"] == []
    versions = api("GET", "/plans/greet/versions").body
    assert [item["version"] for item in versions["items"]] == [2, 1] and versions["next"] is None


def test_the_compiler_gets_the_bytes(api: Any) -> None:
    api.reply = {"status": 200, "body": {}}
    document = '名: "x"\n'
    api("PUT", "/plans/p", raw=document, content_type="application/json")
    api("PUT", "/plans/p", raw=base64.b64encode(b"\xff\x00").decode(), base64=True)
    assert [base64.b64decode(asked["document"]) for asked in api.compiled] == [document.encode(), b"\xff\x00"]
    assert {asked["action"] for asked in api.compiled} == {"publish"}
    refused = api("PUT", "/plans/p", raw="%%%", base64=True)
    assert (refused.status, refused.body["code"]) == (400, "request.malformed")


def test_check_is_200_either_way(api: Any) -> None:
    fine = api("POST", "/plans/check", raw=api.stack.document().decode())
    assert (fine.status, fine.body) == (200, {"valid": True, "diagnostics": []})
    wrong = api("POST", "/plans/check", raw="")
    assert (wrong.status, wrong.body["valid"]) == (200, False)
    assert wrong.body["diagnostics"][0]["code"] == "document.syntax"
    assert api("GET", "/plans").body["items"] == []


def test_errors_are_422_with_diagnostics(api: Any) -> None:
    document = api.stack.document().decode().replace("port: completed", "port: complete")
    refused = api("PUT", "/plans/greet", raw=document)
    assert (refused.status, refused.body["code"]) == (422, "plan.invalid")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert "graph.unknown_port" in [each["code"] for each in refused.body["diagnostics"]]
    assert api("GET", "/plans/greet").status == 404


def test_json_documents(api: Any) -> None:
    plan = {
        "apiVersion": "loop.plan/v1",
        "kind": "PlanVersion",
        "graph": {
            "entry": {"nodeId": "done", "port": "in", "input": {}},
            "nodes": [{"id": "done", "type": "end", "end": {"outcome": "succeeded"}}],
            "edges": [],
        },
    }
    assert api("PUT", "/plans/j", raw=json.dumps(plan), content_type="application/json").status == 201


def test_a_plan_may_be_named_check(api: Any) -> None:
    assert publish(api, "check").status == 201
    assert api("GET", "/plans/check").body["name"] == "check"


def test_a_document_over_1_mib(api: Any) -> None:
    document = api.stack.document("x" * (1024 * 1024)).decode()
    for method, path in (("PUT", "/plans/p"), ("POST", "/plans/check")):
        refused = api(method, path, raw=document)
        assert (refused.status, refused.body["code"]) == (413, "document.too_large")
    assert api.compiled == []


@pytest.mark.parametrize("name", ["1a", "a-b", "a b", "x" * 64, "名", "a.b", "%20"])
def test_names_are_checked(api: Any, name: str) -> None:
    for method, path in (
        ("PUT", "/plans/{}"),
        ("GET", "/plans/{}"),
        ("GET", "/plans/{}/versions"),
        ("GET", "/plans/{}/versions/1"),
        ("POST", "/plans/{}/runs"),
    ):
        refused = api(method, path.format(name), raw="x" if method != "GET" else None)
        assert (refused.status, refused.body["code"]) == (400, "request.invalid"), (method, path)
        assert refused.body["errors"][0]["path"] == "/path/name"
    assert api.compiled == []


@pytest.mark.parametrize("number", ["0", "x", "-1", "1.5", "1000000"])
def test_version_numbers_are_checked(api: Any, number: str) -> None:
    publish(api)
    for path in ("", "/graph", "/definition"):
        assert api("GET", f"/plans/greet/versions/{number}{path}").status == 400


def test_what_does_not_exist(api: Any) -> None:
    publish(api)
    for path in ("/plans/other", "/plans/other/versions", "/plans/other/versions/1", "/plans/other/versions/1/graph"):
        assert api("GET", path).body["code"] == "plan.unknown"
    for path in ("/plans/greet/versions/2", "/plans/greet/versions/2/definition"):
        assert api("GET", path).body["code"] == "plan.version_unknown"
    assert api("POST", "/plans/other/runs", {}).body["code"] == "plan.unknown"


def test_plans_are_listed_by_name(api: Any) -> None:
    for name in ("b", "a", "c"):
        publish(api, name)
    page = api("GET", "/plans", query={"limit": "2"}).body
    rest = api("GET", "/plans", query={"limit": "2", "next": page["next"]}).body
    assert [item["name"] for item in page["items"] + rest["items"]] == ["a", "b", "c"]
    assert rest["next"] is None
    versions = api("GET", "/plans/a/versions", query={"next": page["next"]})
    assert (versions.status, versions.body["code"]) == (400, "request.cursor")


def test_a_published_plan_runs(api: Any) -> None:
    publish(api)
    started = api("POST", "/plans/greet/runs", {})
    assert started.status == 202
    assert [each["name"] for each in api.stack.executions()] == [f"{started.body['runId']}-1"]


def test_pictures(api: Any) -> None:
    publish(api)
    path = "/plans/greet/versions/1/graph"
    drawn = text_of(api, path, "svg")
    assert drawn[0] == "image/svg+xml; charset=utf-8" and drawn[1].startswith("<svg ") and "问候" in drawn[1]
    assert "default-src 'none'" in drawn[2]["Content-Security-Policy"]
    assert text_of(api, path, "mermaid")[:2] == ("text/vnd.mermaid; charset=utf-8", drawn_mermaid())
    assert api("GET", path, query={"format": "json"}).body == api("GET", path).body
    assert api("GET", path, query={"format": "png"}).status == 400
    assert api("GET", "/plans/other/versions/1/graph", query={"format": "svg"}).status == 404


def text_of(api: Any, path: str, form: str) -> tuple[str, str, dict[str, str]]:
    """Content type, body and headers of an answer that is not JSON."""
    event = {
        "httpMethod": "GET",
        "path": path,
        "headers": None,
        "multiValueHeaders": None,
        "queryStringParameters": {"format": form},
        "multiValueQueryStringParameters": {"format": [form]},
        "requestContext": {"requestId": "r", "stage": "v1", "identity": {"apiKeyId": "root"}},
        "body": None,
    }
    reply = api.app.resolve(event, None)
    headers = {name: values[0] for name, values in reply["multiValueHeaders"].items()}
    return headers["Content-Type"], reply["body"], headers


def drawn_mermaid() -> str:
    from loopstep.services.compile_document import compile_document
    from loopstep.services.draw_plan import MERMAID, draw_graph
    from tests.moto_stack import document

    draft = compile_document(document("hello"), "greet", lambda kind: f"arn:{kind}").draft
    assert draft is not None
    return draw_graph(json.loads(draft.texts["graph"]), MERMAID)
