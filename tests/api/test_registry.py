"""Routes of the registry, and what publishing makes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

SKILL_MD = "---\nname: Tone\ndescription: Says how it sounds.\n---\nSay how it sounds.\n"
BODIES = {
    "skill": {"instructions": "Do it."},
    "agent": {"instructions": "Do it."},
    "source": {"kind": "DOCUMENT"},
    "scope": {"description": "A desk."},
}
PLAN = """\
apiVersion: loop.plan/v1
kind: PlanVersion
output: {r: {type: string, required: true}}
graph:
  entry: {nodeId: say, port: in, input: {}}
  nodes:
    - {id: say, type: agent, agent: {agentId: writer}, output: {r: {type: string, required: true}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: say, port: completed}, target: {nodeId: done, port: in}}
"""


@pytest.mark.parametrize("kind", BODIES)
def test_put_read_list_remove(api: Any, kind: str) -> None:
    path = f"/{kind}s/one"
    made = api("PUT", path, BODIES[kind])
    assert (made.status, made.body["version"], made.body["unchanged"], made.body["id"]) == (201, 1, False, "one")
    assert api("PUT", path, BODIES[kind]).status == 200
    found = api("GET", path).body
    assert found["id"] == "one" and found["version"] == 1 and found.items() >= BODIES[kind].items()
    assert api("PUT", path, found).body["unchanged"] is True  # what is shown can be put again
    changed = api("PUT", path, {**BODIES[kind], "description": "Another."})
    assert (changed.status, changed.body["version"]) == (201, 2)
    api("PUT", f"/{kind}s/two", BODIES[kind])
    page = api("GET", f"/{kind}s", query={"limit": "1"}).body
    assert [each["id"] for each in page["items"]] == ["one"]
    assert api("GET", f"/{kind}s", query={"next": page["next"]}).body["items"][0]["id"] == "two"
    gone = api("DELETE", path)
    assert (gone.status, gone.body) == (200, {"id": "one", "removed": True})
    for method in ("GET", "DELETE"):
        again = api(method, path)
        assert (again.status, again.body["code"]) == (404, f"{kind}.unknown")
    assert [each["id"] for each in api("GET", f"/{kind}s").body["items"]] == ["two"]
    assert api("PUT", path, BODIES[kind]).body["version"] == 3


@pytest.mark.parametrize("kind", ["skill", "agent", "source"])
def test_versions_stay_readable(api: Any, kind: str) -> None:
    path = f"/{kind}s/one"
    for text in ("One.", "Two."):
        api("PUT", path, {**BODIES[kind], "description": text})
    versions = api("GET", f"{path}/versions", query={"limit": "1"}).body
    assert [each["version"] for each in versions["items"]] == [2]
    rest = api("GET", f"{path}/versions", query={"limit": "1", "next": versions["next"]}).body
    assert [each["version"] for each in rest["items"]] == [1]
    api("DELETE", path)
    assert [api("GET", f"{path}/versions/{n}").body["description"] for n in (1, 2)] == ["One.", "Two."]
    gone = api("GET", f"{path}/versions/3")
    assert (gone.status, gone.body["code"]) == (404, f"{kind}.version_unknown")
    assert api("GET", f"/{kind}s/two/versions").body["code"] == f"{kind}.unknown"


def test_a_skill_md(api: Any) -> None:
    made = api("PUT", "/skills/tone", raw=SKILL_MD, content_type="text/markdown; charset=utf-8")
    assert made.status == 201
    assert api("GET", "/skills/tone").body["instructions"] == "Say how it sounds."
    bare = api("PUT", "/skills/tone", raw="Say how it sounds.", content_type="text/markdown")
    assert (bare.status, bare.body["code"]) == (422, "skill.invalid")
    assert bare.body["diagnostics"][0]["code"] == "document.syntax"


@pytest.mark.parametrize("id", ["-a", "a b", "a.b", "a" * 64, "a%2Fb", "é"])
def test_an_id_is_checked(api: Any, id: str) -> None:
    for method, path in (("GET", ""), ("DELETE", ""), ("PUT", ""), ("GET", "/versions"), ("GET", "/versions/1")):
        answer = api(method, f"/agents/{id}{path}", BODIES["agent"] if method == "PUT" else None)
        assert (answer.status, answer.body["code"]) == (400, "request.invalid")
    assert api.compiled == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("team%20a", "team a"),
        ("team a", "team a"),
        ("客服", "客服"),
        ("%E5%AE%A2%E6%9C%8D", "客服"),
        ("a@b.c", "a@b.c"),
        ("team%2Fdesk", "team/desk"),
        ("team/desk", "team/desk"),
        ("a%3Fb%23", "a?b#"),
        ("a/versions/1", "a/versions/1"),
    ],
)
def test_scopes_have_names_of_their_own(api: Any, path: str, name: str) -> None:
    made = api("PUT", f"/scopes/{path}", {"maxPerRun": 3})
    assert (made.status, made.body["id"]) == (201, name)
    assert api("GET", f"/scopes/{path}").body["maxPerRun"] == 3
    page = api("GET", "/scopes", query={"limit": "1"}).body
    assert page["items"][0]["name"] == name
    assert api("DELETE", f"/scopes/{path}").status == 200


@pytest.mark.parametrize("path", ["a%00", "a" * 257, "a%2541", "a//b", "../a", "a%2F..", "%FF", "/a"])
def test_what_no_path_can_name_is_no_scope_to_register(api: Any, path: str) -> None:
    assert api("PUT", f"/scopes/{path}", {}).status == 400


def test_a_list_takes_its_own_cursor_only(api: Any) -> None:
    for id in ("a", "b"):
        api("PUT", f"/agents/{id}", BODIES["agent"])
        api("PUT", f"/skills/{id}", BODIES["skill"])
    cursor = api("GET", "/agents", query={"limit": "1"}).body["next"]
    assert api("GET", "/skills", query={"next": cursor}).body["code"] == "request.cursor"


def test_what_is_wrong_is_said_with_its_place(api: Any) -> None:
    answer = api("PUT", "/agents/a", {"instructions": "Do.", "skills": ["nope"]})
    assert (answer.status, answer.body["code"]) == (422, "agent.invalid")
    assert [(each["code"], each["path"]) for each in answer.body["diagnostics"]] == [("registry.unknown", "/skills/0")]


def test_an_unknown_agent_is_not_published(api: Any) -> None:
    checked = api("POST", "/plans/check", raw=PLAN)
    assert (checked.status, checked.body["valid"]) == (200, False)
    refused = api("PUT", "/plans/p", raw=PLAN)
    assert (refused.status, refused.body["code"]) == (422, "plan.invalid")
    assert [each["code"] for each in refused.body["diagnostics"]] == ["registry.unknown"]
    assert api("GET", "/plans/p").status == 404
    api("PUT", "/agents/writer", BODIES["agent"])
    assert api("POST", "/plans/check", raw=PLAN).body == {"valid": True, "diagnostics": []}
    assert api("PUT", "/plans/p", raw=PLAN).status == 201


def test_a_new_version_of_an_agent_changes_no_published_plan(api: Any) -> None:
    api("PUT", "/skills/tone", BODIES["skill"])
    api("PUT", "/agents/writer", {"instructions": "One.", "skills": ["tone"]})
    first = api("PUT", "/plans/p", raw=PLAN).body
    definition = api("GET", "/plans/p/versions/1/definition").body
    api("PUT", "/agents/writer", {"instructions": "Two."})
    api("DELETE", "/skills/tone")
    assert api("GET", "/plans/p/versions/1/definition").body == definition
    assert api("GET", "/plans/p/versions/1").body["pins"] == {"agent": {"writer": 1}, "skill": {"tone": 1}}
    second = api("PUT", "/plans/p", raw=PLAN).body  # the same document, another definition
    assert (second["version"], second["unchanged"]) == (2, False)
    assert second["documentDigest"] == first["documentDigest"] and second["machineArn"] != first["machineArn"]
    assert api("GET", "/plans/p/versions/2").body["pins"] == {"agent": {"writer": 2}}
    assert api("PUT", "/plans/p", raw=PLAN).body["unchanged"] is True
    pinned = json.dumps(api("GET", "/plans/p/versions/2/definition").body)
    assert "'pins':{'agent':{'writer':2}}" in pinned


def test_an_agent_that_lost_its_skill_is_not_published(api: Any) -> None:
    api("PUT", "/skills/tone", BODIES["skill"])
    api("PUT", "/agents/writer", {"instructions": "One.", "skills": ["tone"]})
    api("DELETE", "/skills/tone")
    refused = api("PUT", "/plans/p", raw=PLAN)
    assert (refused.status, [each["code"] for each in refused.body["diagnostics"]]) == (422, ["registry.unknown"])


def test_a_removed_agent_cannot_be_published_again(api: Any) -> None:
    api("PUT", "/agents/writer", BODIES["agent"])
    assert api("PUT", "/plans/p", raw=PLAN).status == 201
    api("DELETE", "/agents/writer")
    assert api("PUT", "/plans/p", raw=PLAN).status == 422
    assert api("GET", "/plans/p").body["version"] == 1
