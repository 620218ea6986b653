"""What plans refer to, on the deployed stack: looked up when publishing, pinned, and limits held while runs go on."""

from __future__ import annotations

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Refused, Remote
from tests.ending import ended
from tests.stack.conftest import Command

SKILL_MD = (
    "---\nname: Tone\ndescription: Says how it sounds.\ninputs: [letter]\n---\n# Tone\n\nSay how it sounds: 好.\n"
)


@pytest.fixture
def mine() -> str:
    """A beginning for ids that no other test has."""
    return f"t{uuid.uuid4().hex[:10]}"


def asking(agent: str) -> bytes:
    return f"""\
apiVersion: loop.plan/v1
kind: PlanVersion
output: {{r: {{type: string, required: true}}}}
graph:
  entry: {{nodeId: say, port: in, input: {{}}}}
  nodes:
    - {{id: say, type: agent, agent: {{agentId: {agent}}}, output: {{r: {{type: string, required: true}}}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - {{id: e, source: {{nodeId: say, port: completed}}, target: {{nodeId: done, port: in}}}}
""".encode()


def sending(scope: str) -> bytes:
    """Sends each of its texts to a scope, one after the other."""
    return f"""\
apiVersion: loop.plan/v1
kind: PlanVersion
input: {{texts: {{type: array, items: {{type: string}}, required: true}}}}
graph:
  entry: {{nodeId: each, port: in}}
  nodes:
    - id: each
      type: fan_out
      input: {{texts: {{type: array, items: {{type: string}}, required: true}}}}
      fanOut: {{items: {{ref: input.texts}}, maxConcurrency: 1}}
    - id: say
      type: send_message
      input: {{t: {{type: string, required: true}}}}
      sendMessage: {{scope: {{value: {scope}}}, text: "{{{{ input.t }}}}"}}
    - {{id: all, type: join, join: {{fanOut: each, mode: all}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - {{id: a, source: {{nodeId: each, port: item}}, target: {{nodeId: say, port: in}}, bindings: {{t: {{ref: item}}}}}}
    - {{id: b, source: {{nodeId: say, port: completed}}, target: {{nodeId: all, port: in}}, bindings: {{}}}}
    - {{id: c, source: {{nodeId: all, port: completed}}, target: {{nodeId: done, port: in}}}}
""".encode()


def refusal(act: Any) -> Refused:
    with pytest.raises(Refused) as told:
        act()
    return told.value


def test_an_unknown_agent_is_refused_and_a_new_version_changes_no_plan(api: Remote, mine: str) -> None:
    refused = refusal(lambda: api.call("PUT", f"/plans/{mine}", raw=asking(mine)))
    assert refused.status == 422
    assert [each["code"] for each in refused.problem["diagnostics"]] == ["registry.unknown"]
    made = api.call("PUT", f"/agents/{mine}", {"instructions": "One."})
    assert (made["version"], made["unchanged"]) == (1, False)
    assert api.call("PUT", f"/plans/{mine}", raw=asking(mine))["version"] == 1
    before = api.call("GET", f"/plans/{mine}/versions/1/definition")
    assert f"{{'agent':{{'{mine}':1}}}}" in json.dumps(before)
    assert api.call("PUT", f"/agents/{mine}", {"instructions": "Two."})["version"] == 2
    assert api.call("GET", f"/plans/{mine}/versions/1/definition") == before
    assert api.call("GET", f"/plans/{mine}/versions/1")["pins"] == {"agent": {mine: 1}}
    api.call("PUT", f"/plans/{mine}", raw=asking(mine))
    assert api.call("GET", f"/plans/{mine}/versions/2")["pins"] == {"agent": {mine: 2}}
    api.call("DELETE", f"/agents/{mine}")
    assert refusal(lambda: api.call("PUT", f"/plans/{mine}", raw=asking(mine))).status == 422
    assert api.call("GET", f"/agents/{mine}/versions/1")["instructions"] == "One."


def test_puts_at_the_same_time_give_consecutive_versions(api: Remote, mine: str) -> None:
    def put(number: int) -> int:
        made: int = api.call("PUT", f"/agents/{mine}", {"instructions": f"Do {number}. " * 5000})["version"]
        return made

    with ThreadPoolExecutor(4) as pool:
        versions = list(pool.map(put, range(8)))
    assert sorted(versions) == list(range(1, 9))
    contents = {api.call("GET", f"/agents/{mine}/versions/{number}")["instructions"][3] for number in versions}
    assert contents == set("01234567")


def test_a_skill_md_by_command(loopstep: Command, mine: str, tmp_path: Path) -> None:
    file = tmp_path / "SKILL.md"
    file.write_text(SKILL_MD, encoding="utf-8")
    assert loopstep("skills", "put", mine, str(file)).stdout == f"{mine} version 1\n"
    assert loopstep("skills", "put", mine, str(file)).stdout == f"{mine} version 1 (unchanged)\n"
    shown = loopstep("skills", "show", mine, "--json").data
    assert shown["instructions"] == "# Tone\n\nSay how it sounds: 好." and shown["inputs"][0]["name"] == "letter"
    assert mine in [each["id"] for each in loopstep("skills", "list", "--json", "--limit", "1000").data["items"]]
    wrong = loopstep("agents", "put", mine, "-", stdin='{"instructions": "Do.", "skills": ["' + mine + 'x"]}')
    assert wrong.code == 1 and "registry.unknown" in wrong.stderr
    assert loopstep("skills", "remove", mine).code == 0
    assert loopstep("skills", "show", mine).code == 5


@pytest.mark.parametrize("name", ["{}", "{}/desk", "{} a+b@c.d", "{}客服?#"])
def test_a_scope_of_any_name(api: Remote, mine: str, name: str) -> None:
    from loopstep.cli.remote import quoted

    path = f"/scopes/{quoted(name.format(mine))}"
    assert api.call("PUT", path, {"maxPerRun": 2})["id"] == name.format(mine)
    assert api.call("GET", path)["maxPerRun"] == 2
    assert api.call("DELETE", path)["removed"] is True
    assert refusal(lambda: api.call("GET", path)).problem["code"] == "scope.unknown"


def test_a_run_sends_no_more_than_a_scope_takes(api: Remote, mine: str) -> None:
    scope = f"{mine}/desk"
    api.call("PUT", f"/scopes/{mine}%2Fdesk", {"maxPerRun": 3})
    api.call("PUT", f"/plans/{mine}", raw=sending(scope))
    found = {}
    for count in (3, 5):
        started = api.call("POST", f"/plans/{mine}/runs", {"input": {"texts": [f"t{i}" for i in range(count)]}})
        run = ended(api, started["runId"])
        sent = list(api.items("/messages", runId=started["runId"]))
        found[count] = (run["status"], (run["error"] or {}).get("code"), len(sent))
    assert found == {3: ("succeeded", None, 3), 5: ("failed", "scope.limit", 3)}
