"""`skills`, `agents`, `sources`, `scopes`: what they ask of the API and what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.main import REGISTRY

MADE = {"id": "x", "version": 3, "unchanged": False, "diagnostics": []}
HEAD = {"id": "x", "version": 3, "name": "Tone", "description": "Says\nhow.", "createdAt": "t", "updatedAt": "t"}
SKILL_MD = "---\nname: a\n---\nDo.\n"


@pytest.mark.parametrize("group", REGISTRY)
@pytest.mark.parametrize("command", ["list", "put", "show", "remove"])
def test_every_group_has_the_same_commands(cli: Any, group: str, command: str) -> None:
    assert "--json" in cli(group, command, "--help").stdout


@pytest.mark.parametrize("kind", ["skill", "agent"])
@pytest.mark.parametrize(
    ("name", "media"),
    [
        ("SKILL.md", "text/markdown"),
        ("a.json", "application/json"),
        ("a.yaml", "application/yaml"),
        ("a", "application/yaml"),
    ],
)
def test_put_sends_the_file_as_what_it_is(
    cli: Any, service: Any, tmp_path: Path, kind: str, name: str, media: str
) -> None:
    service.on(f"PUT /{kind}s/x", (201, MADE))
    (tmp_path / name).write_text(SKILL_MD)
    done = cli(f"{kind}s", "put", "x", str(tmp_path / name))
    assert (done.exit_code, done.stdout) == (0, "x version 3\n")
    assert service.requests[0].body.decode() == SKILL_MD
    assert service.requests[0].headers["content-type"] == media


def test_put_from_stdin(cli: Any, service: Any) -> None:
    service.on("PUT /skills/x", (200, {**MADE, "unchanged": True}))
    assert cli("skills", "put", "x", "-", stdin=SKILL_MD).stdout == "x version 3 (unchanged)\n"
    assert json.loads(cli("skills", "put", "x", "-", "--json", stdin=SKILL_MD).stdout)["version"] == 3


def test_faults_are_said_with_their_place(cli: Any, service: Any) -> None:
    fault = {"line": 2, "column": 1, "severity": "error", "code": "registry.unknown", "message": "no skill \x1b`a`"}
    problem = {"code": "agent.invalid", "detail": "It has errors.", "diagnostics": [fault]}
    service.on("PUT /agents/x", (422, problem))
    done = cli("agents", "put", "x", "-", stdin="instructions: a")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "-:2:1: error[registry.unknown]: no skill \\u{1b}`a`\n"
    again = cli("agents", "put", "x", "-", "--json", stdin="instructions: a")
    assert (again.exit_code, json.loads(again.stdout)) == (1, problem)


def test_a_source_from_options(cli: Any, service: Any) -> None:
    service.on("PUT /sources/x", (201, MADE))
    cli("sources", "put", "x", "--kind", "GRAPH", "--name", "Parts")
    cli("sources", "put", "x", "--kind", "DOCUMENT", "--knowledge-base", "ABC", "--disabled", "--description", "d")
    assert [request.data for request in service.requests] == [
        {"kind": "GRAPH", "name": "Parts"},
        {"kind": "DOCUMENT", "description": "d", "managed": {"knowledgeBaseId": "ABC"}, "enabled": False},
    ]
    assert cli("sources", "put", "x").exit_code == 2
    assert cli("sources", "put", "x", "-", "--kind", "GRAPH", stdin="kind: GRAPH").exit_code == 2
    assert len(service.requests) == 2


def test_a_scope_with_any_name(cli: Any, service: Any) -> None:
    service.on("PUT /scopes/%E5%AE%A2%E6%9C%8D%20a", (201, MADE))
    assert cli("scopes", "put", "客服 a", "--max-per-run", "3").exit_code == 0
    assert service.requests[0].data == {"maxPerRun": 3}


def test_list(cli: Any, service: Any) -> None:
    service.on("GET /skills", (200, {"items": [HEAD], "next": None}))
    assert cli("skills", "list").stdout == "x  v3  Tone: Says how.\n"
    assert json.loads(cli("skills", "list", "--json").stdout) == {"items": [HEAD]}
    service.on("GET /sources", (200, {"items": [{**HEAD, "kind": "GRAPH", "enabled": False}], "next": None}))
    assert cli("sources", "list").stdout == "x  v3  GRAPH (disabled)  Tone: Says how.\n"
    service.on("GET /agents", (200, {"items": [], "next": None}))
    assert cli("agents", "list").stdout == "No agent is registered yet.\n"


def test_show(cli: Any, service: Any) -> None:
    field = {"name": "letter", "type": "string", "required": False, "description": ""}
    found = {**HEAD, "instructions": "Do.\n\x1b[2J It.", "inputs": [field], "outputs": [], "tools": None}
    service.on("GET /skills/x", (200, found))
    shown = cli("skills", "show", "x").stdout
    assert "letter: string?" in shown and "\x1b" not in shown and "outputs" not in shown
    assert shown.endswith("\n\nDo.\n\\u{1b}[2J It.\n")
    service.on("GET /skills/x/versions/2", (200, found))
    assert json.loads(cli("skills", "show", "x", "--version", "2", "--json").stdout) == found


def test_remove(cli: Any, service: Any) -> None:
    service.on("DELETE /agents/x", (200, {"id": "x", "removed": True}))
    assert cli("agents", "remove", "x").stdout == "x: removed\n"
    assert cli("agents", "remove", "y").exit_code == 5


@pytest.mark.parametrize("kind", ["skill", "agent", "source", "scope"])
def test_a_file_that_is_no_utf_8_is_not_sent(cli: Any, service: Any, tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.md").write_bytes(b"---\nname: \xff\n---\nDo.\n")
    done = cli(f"{kind}s", "put", "x", str(tmp_path / "a.md"))
    assert done.exit_code == 1 and "line 2: not UTF-8 (byte 11)" in done.stderr
    assert service.requests == []
