"""Every route and every role: what the table says is what happens, before anything is read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from loopstep.access.roles import ROLES
from loopstep.api.access import OPEN, TABLE, needed
from loopstep.api.callers import caller_of, fingerprint

# Said once more, apart from the table: who may do what changes something. A GET is for viewers.
MAY: dict[str, list[str]] = {
    "operator": [
        *("POST /plans/<name>/runs", "POST /runs/<run>/start", "POST /runs/<run>/cancel", "POST /runs/<run>/redrive"),
        *("PUT /runs/<run>/files/<path>", "DELETE /runs/<run>/files/<path>"),
        *("POST /dead-letters/<letter>/redrive", "DELETE /dead-letters/<letter>", "POST /callbacks/<id>"),
        *(f"POST /plans/<name>/schedules/<schedule>/{verb}" for verb in ("enable", "disable")),
        *(f"POST /plans/<name>/triggers/<trigger>/{verb}" for verb in ("enable", "disable")),
    ],
    "approver": ["POST /approvals/<id>", "POST /callbacks/<id>"],
    "author": [
        *("PUT /plans/<name>", "POST /sources/<id>/documents"),
        *(f"{verb} /plans/<name>/schedules/<schedule>" for verb in ("PUT", "DELETE")),
        *(f"{verb} /plans/<name>/triggers/<trigger>" for verb in ("PUT", "DELETE")),
        *(f"{verb} /{kind}s/<id>" for verb in ("PUT", "DELETE") for kind in ("skill", "agent", "source")),
        *(f"{verb} /scopes/<path>" for verb in ("PUT", "DELETE")),
        *(f"{verb} /sources/<id>/documents/<document>" for verb in ("PUT", "DELETE")),
        *(f"POST /plans/<name>/schedules/<schedule>/{verb}" for verb in ("enable", "disable")),
        *(f"POST /plans/<name>/triggers/<trigger>/{verb}" for verb in ("enable", "disable")),
        *("POST /plans/check", "POST /plans/draw", "POST /canvas/import", "POST /canvas/mappings"),
    ],
    "viewer": ["POST /plans/check", "POST /plans/draw", "POST /canvas/import", "POST /canvas/mappings"],
}
FOR_ALL = ("GET /me", "GET /openapi.json")
FOR_ADMINS = ("GET /keys", "GET /keys/<path>")
BODY = json.dumps({"input": {}, "decision": "approved", "by": "a", "bytes": 1})


def routes(api: Any) -> list[str]:
    """ "METHOD rule" of every route that asks for a caller."""
    found = [f"{route.method} {route.path}" for route in api.app._static_routes + api.app._dynamic_routes]
    return [each for each in found if not each.partition(" ")[2].startswith(OPEN)]


def may(role: str, route: str) -> bool:
    if role == "admin" or route in FOR_ALL:
        return True
    if route.startswith("GET ") and route not in FOR_ADMINS:
        return role == "viewer"
    return route in MAY[role]


def ask(api: Any, route: str, id: str = "nobody") -> Any:
    method, _, rule = route.partition(" ")
    return api(method, re.sub(r"<\w+>", id, rule), raw=BODY if method != "GET" else None)


def as_(api: Any, *roles: str, id: str = "k") -> Any:
    """The same API as a caller with these roles."""
    api.stack.access().callers.put(registered(id, roles), None)
    return type(api)(api.stack, identity={"apiKeyId": id})


def registered(id: str, roles: tuple[str, ...]) -> Any:
    from loopstep.access.store import Registered

    return Registered(id, f"name of {id}", roles, "1", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")


def test_every_route_has_a_role(api: Any) -> None:
    every = routes(api)
    assert len(every) > 60
    assert [each for each in every if not each.startswith("GET ") and each not in TABLE] == []
    assert [each for each in TABLE if each not in every] == [], "the table names a route that is gone"
    assert needed("POST", "/something/new") == ("admin",), "what nobody declared is for admins"
    assert needed("GET", f"{OPEN}/<path>") is None


@pytest.mark.parametrize("role", ROLES)
def test_every_route_and_every_role(api: Any, role: str) -> None:
    mine = as_(api, role)
    wrong = []
    for route in routes(api):
        answer = ask(mine, route)
        denied = answer.status == 403 and answer.body["code"] == "access.denied"
        if denied == may(role, route):
            wrong.append((route, answer.status, answer.body))
    assert wrong == []


def test_without_a_role_there_is_only_oneself(api: Any) -> None:
    nobody = type(api)(api.stack, identity={"apiKeyId": "k"}, others=())
    assert [each for each in routes(api) if ask(nobody, each).status != 403] == list(FOR_ALL)
    assert nobody("GET", "/me").body == {"kind": "key", "id": "k", "name": None, "roles": []}


@pytest.mark.parametrize(
    "identity", [None, {}, {"apiKeyId": None}, {"apiKeyId": ""}, {"userArn": "arn:aws:iam::1:user/a"}]
)
def test_whom_the_gateway_does_not_name_may_nothing(api: Any, identity: Any) -> None:
    nobody = type(api)(api.stack, identity=identity)
    answers = [ask(nobody, each) for each in routes(api)]
    assert {(each.status, each.body["code"]) for each in answers} == {(403, "access.denied")}


def test_a_refusal_tells_the_roles_and_nothing_else(api: Any) -> None:
    """Whatever is asked for, there or not, well-formed or not."""
    api.stack.store_version("p")
    run = api("POST", "/plans/p/runs", {}).body["runId"]
    viewer = as_(api, "viewer")
    paths = [f"/runs/{each}/cancel" for each in (run, "nobody", "x" * 500, "%00", "a'--")]
    answers = [viewer("POST", each, raw=raw) for each in paths for raw in (None, "{", "x" * 2_000_000)]
    assert len({json.dumps(each.body) for each in answers}) == 1
    assert answers[0].body == {
        "type": "urn:loopstep:problem:access.denied",
        "title": "Forbidden",
        "status": 403,
        "code": "access.denied",
        "detail": "This needs the role operator.",
        "needs": ["operator"],
    }
    assert api("GET", f"/runs/{run}").body["status"] == "running"


def test_a_caller_may_hold_several_roles(api: Any) -> None:
    both = as_(api, "approver", "operator")
    assert ask(both, "POST /runs/<run>/cancel").status == 404
    assert both("POST", "/approvals/x", {"decision": "approved", "by": "a"}).status == 404
    assert ask(both, "GET /runs").status == 403


def test_callers_are_registered(api: Any) -> None:
    body = {"name": "The shop", "roles": ["viewer", "operator", "viewer"]}
    made = api("PUT", "/keys/k1", body)
    assert (made.status, made.body["roles"], made.body["name"]) == (201, ["viewer", "operator"], "The shop")
    assert made.body["updatedBy"] == {"kind": "key", "id": "root", "name": "admin"}
    again = api("PUT", "/keys/k1", body)
    assert (again.status, again.body) == (200, made.body)
    changed = api("PUT", "/keys/k1", {"name": "The shop", "roles": ["author"]})
    assert (changed.status, changed.body["roles"], changed.body["createdAt"]) == (
        200,
        ["author"],
        made.body["createdAt"],
    )
    arn = "arn:aws:sts::123456789012:assumed-role/Deploy"
    assert api("PUT", f"/keys/{arn}", body).body["id"] == arn
    assert api("GET", f"/keys/{arn.replace('/', '%2F')}").body["id"] == arn
    listed = api("GET", "/keys", query={"limit": "1"}).body
    rest = api("GET", "/keys", query={"limit": "1", "next": listed["next"]}).body
    assert [each["id"] for each in listed["items"] + rest["items"]] == [arn, "k1"]
    assert api("DELETE", "/keys/k1").body == {"id": "k1", "removed": True}
    for method in ("GET", "DELETE"):
        gone = api(method, "/keys/k1")
        assert (gone.status, gone.body["code"]) == (404, "key.unknown")


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"name": "a"}, {"roles": ["viewer"]}, {"name": "a", "roles": []}, {"name": "a", "roles": ["king"]}),
        *({"name": "", "roles": ["viewer"]}, {"name": "a\nb", "roles": ["viewer"]}, {"name": 7, "roles": ["viewer"]}),
        *({"name": "a", "roles": ["viewer"], "more": 1}, {"name": "a", "roles": "viewer"}, [], "x"),
    ],
)
def test_a_body_that_registers_nobody(api: Any, body: Any) -> None:
    assert api("PUT", "/keys/k1", body).status == 400
    assert api("GET", "/keys").body["items"] == []


@pytest.mark.parametrize("id", ["a b", "a%00", "..", "a/../b", "x" * 401, "é", "a//b", "a?b"])
def test_ids_that_no_caller_has(api: Any, id: str) -> None:
    assert api("PUT", f"/keys/{id}", {"name": "a", "roles": ["viewer"]}).status in (400, 404)
    assert api("GET", "/keys").body["items"] == []


def test_nobody_locks_itself_out(api: Any) -> None:
    mine = as_(api, "admin")
    for method, body in (("PUT", {"name": "a", "roles": ["viewer"]}), ("DELETE", None)):
        refused = mine(method, "/keys/k", body)
        assert (refused.status, refused.body["code"]) == (409, "key.own")
    assert mine("PUT", "/keys/k", {"name": "a", "roles": ["admin", "viewer"]}).status == 200
    assert mine("PUT", "/keys/root", {"name": "a", "roles": ["viewer"]}).status == 201
    assert api("GET", "/keys").status == 200, "the stack's own key stays what it is"


def test_a_change_counts_within_seconds(api: Any) -> None:
    """Another instance of the function has what it read before for a moment."""
    from loopstep.services.access import KEPT_SECONDS

    mine = as_(api, "operator")
    assert ask(mine, "POST /runs/<run>/cancel").status == 404
    reads = api.stack.dynamodb
    assert api("PUT", "/keys/k", {"name": "k", "roles": ["viewer"]}).status == 200
    assert ask(mine, "POST /runs/<run>/cancel").status == 404
    api.stack.slept.append(KEPT_SECONDS)
    assert ask(mine, "POST /runs/<run>/cancel").status == 403
    assert reads is api.stack.dynamodb


def test_a_caller_is_read_once(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = as_(api, "viewer")
    read: list[str] = []
    store = mine.app.guard._backend.access.callers
    get = store.get
    monkeypatch.setattr(store, "get", lambda id: read.append(id) or get(id))
    for _ in range(5):
        assert mine("GET", "/plans").status == 200
    assert read == ["k"]
    assert api("GET", "/plans").status == 200, "the stack's own key is not looked up"


def test_where_the_gateway_names_no_key_its_fingerprint_does() -> None:
    event = {"headers": {"X-API-Key": "a value of twenty or more"}, "requestContext": {"identity": {"sourceIp": "::1"}}}
    found = caller_of(event, "key")
    assert found is not None and found.actor.id == fingerprint("a value of twenty or more")
    assert re.fullmatch(r"sha256:[0-9a-f]{32}", found.actor.id)
    assert caller_of({**event, "requestContext": {"identity": {"apiKeyId": "k"}}}, "key").actor.id == "k"  # type: ignore[union-attr]
    assert caller_of(event, "iam") is None and caller_of(event, "jwt") is None


def test_by_iam_a_role_is_registered_and_its_session_named() -> None:
    arn = "arn:aws:sts::123456789012:assumed-role/Deploy/ada@example.com"
    found = caller_of({"requestContext": {"identity": {"userArn": arn}}}, "iam")
    assert found is not None and found.proven == arn
    assert found.actor == ("iam", "arn:aws:sts::123456789012:assumed-role/Deploy", "ada@example.com")
    user = caller_of({"requestContext": {"identity": {"userArn": "arn:aws:iam::123456789012:user/ada"}}}, "iam")
    assert user is not None and user.actor == ("iam", "arn:aws:iam::123456789012:user/ada", None)
    forged = {"authorizer": {"principalId": "root", "roles": "admin"}, "identity": {"apiKeyId": "root"}}
    assert caller_of({"requestContext": forged}, "iam") is None


def test_by_token_roles_come_with_it(api: Any) -> None:
    tokens = type(api)(api.stack, mode="jwt", authorizer={"principalId": "root", "name": "Ada", "roles": "operator x"})
    assert tokens("GET", "/me").body == {"kind": "jwt", "id": "root", "name": "Ada", "roles": ["operator"]}
    assert ask(tokens, "GET /keys").status == 403, "the id of the stack's key is no token's"
    tokens.authorizer = {"principalId": "bob", "name": "", "roles": ""}
    assert tokens("GET", "/me").body == {"kind": "jwt", "id": "bob", "name": None, "roles": ["viewer"]}


def test_records_say_who_it_was(api: Any) -> None:
    api.stack.store_version("p")
    mine = as_(api, "operator", "viewer", "author")
    who = {"kind": "key", "id": "k", "name": "name of k"}
    run = mine("POST", "/plans/p/runs", {}).body["runId"]
    assert api("GET", f"/runs/{run}").body["startedBy"] == who
    cancelled = api("POST", f"/runs/{run}/cancel").body
    assert cancelled["startedBy"] == who
    assert cancelled["cancelledBy"] == {"kind": "key", "id": "root", "name": "admin"}
    from tests.moto_stack import document

    assert mine("PUT", "/plans/greet", raw=document().decode()).status == 201
    assert api("GET", "/plans/greet/versions/1").body["publishedBy"] == who
