"""`loopstep keys`: callers and their roles."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.cli import outcome, remote

SHOP = {
    "id": "k1",
    "name": "The shop",
    "roles": ["viewer", "operator"],
    "createdAt": "2026-01-01T00:00:00.000Z",
    "updatedAt": "2026-01-01T00:00:00.000Z",
    "updatedBy": None,
}


def test_who_one_is(cli: Any, service: Any) -> None:
    me = {"kind": "key", "id": "k1", "name": None, "roles": ["viewer"]}
    service.on("GET /me", (200, me))
    assert cli("keys", "me").stdout == "k1  viewer\n"
    assert json.loads(cli("keys", "me", "--json").stdout) == me
    service.on("GET /me", (200, {**me, "name": "The shop\x1b[2J", "roles": []}))
    assert cli("keys", "me").stdout.endswith("no role\n") and "\x1b" not in cli("keys", "me").stdout


def test_the_list(cli: Any, service: Any) -> None:
    service.on("GET /keys", (200, {"items": [SHOP], "next": None}))
    assert cli("keys", "list").stdout.split() == ["k1", "viewer,", "operator", "The", "shop"]
    assert json.loads(cli("keys", "list", "--json").stdout) == {"items": [SHOP]}
    service.on("GET /keys", (200, {"items": [], "next": None}))
    assert "Nobody" in cli("keys", "list").stdout


def test_put_and_remove(cli: Any, service: Any) -> None:
    service.on("PUT /keys/k1", (201, SHOP))
    done = cli("keys", "put", "k1", "--name", "The shop", "--role", "viewer", "--role", "operator")
    assert (done.exit_code, done.stdout) == (0, "k1: viewer, operator\n")
    assert service.requests[-1].data == {"name": "The shop", "roles": ["viewer", "operator"]}
    service.on("DELETE /keys/k1", (200, {"id": "k1", "removed": True}))
    assert cli("keys", "remove", "k1").stdout == "k1: removed\n"


def test_an_arn_keeps_its_slashes(cli: Any, service: Any) -> None:
    path = "/keys/arn%3Aaws%3Asts%3A%3A123456789012%3Aassumed-role/Deploy"
    service.on(f"DELETE {path}", (200, {"id": "x", "removed": True}))
    assert cli("keys", "remove", "arn:aws:sts::123456789012:assumed-role/Deploy").exit_code == 0


@pytest.mark.parametrize("id", ["", "/", "a/../b", ".", "a//b"])
def test_ids_that_nobody_has(cli: Any, service: Any, id: str) -> None:
    assert cli("keys", "remove", id).exit_code == outcome.USAGE
    assert service.requests == []


def test_a_role_that_there_is_not(cli: Any, service: Any) -> None:
    assert cli("keys", "put", "k1", "--name", "a", "--role", "king").exit_code == outcome.USAGE
    assert cli("keys", "put", "k1", "--name", "a").exit_code == outcome.USAGE
    assert service.requests == []


def test_a_token_goes_with_every_request(cli: Any, service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    service.on("GET /me", (200, {"kind": "jwt", "id": "ada", "name": "Ada", "roles": ["viewer"]}))
    cli("keys", "me")
    assert "authorization" not in service.requests[-1].headers
    monkeypatch.setenv(remote.TOKEN, "a.b.c")
    assert cli("keys", "me").stdout == "ada  Ada  viewer\n"
    assert service.requests[-1].headers["authorization"] == "Bearer a.b.c"
