"""Runs that wait for people, on the deployed cloud: deciding, answering, timing out, and losing a race."""

from __future__ import annotations

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from loopstep.cli.remote import Refused
from tests.ending import awaited, ended

APPROVAL = """
apiVersion: loop.plan/v1
kind: PlanVersion
input: {what: {type: string, required: true}}
output: {by: {type: string, required: true}}
graph:
  entry: {nodeId: ask, port: in}
  nodes:
    - id: ask
      type: request_approval
      input: {what: {type: string, required: true}}
      requestApproval: {scope: {value: desk}, summary: "Approve {{ input.what }}?", timeout: TIMEOUT}
    - {id: yes, type: end, end: {outcome: succeeded}}
    - {id: no, type: end, end: {outcome: failed, code: turned_down}}
    - {id: late, type: end, end: {outcome: failed, code: too_late}}
  edges:
    - id: e1
      source: {nodeId: ask, port: approved}
      target: {nodeId: yes, port: in}
      bindings: {by: {ref: output.decidedBy}}
    - {id: e2, source: {nodeId: ask, port: rejected}, target: {nodeId: no, port: in}}
    - {id: e3, source: {nodeId: ask, port: timed_out}, target: {nodeId: late, port: in}}
"""

RACE = """
apiVersion: loop.plan/v1
kind: PlanVersion
output: {winner: {type: string, required: true}}
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [people, machine]}}
    - {id: ask, type: request_approval, requestApproval: {scope: {value: desk}, summary: "Quick?", timeout: PT300S}}
    - {id: pause, type: wait, wait: {duration: {value: PT2S}}}
    - id: first
      type: join
      input: {}
      output: {winner: {type: string, required: true}}
      join: {fanOut: split, mode: any, merge: {winner: {ref: winner.branch}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: people}, target: {nodeId: ask, port: in}, bindings: {}}
    - {id: b, source: {nodeId: split, port: machine}, target: {nodeId: pause, port: in}, bindings: {}}
    - {id: c, source: {nodeId: ask, port: approved}, target: {nodeId: first, port: in}, bindings: {}}
    - {id: d, source: {nodeId: ask, port: rejected}, target: {nodeId: first, port: in}, bindings: {}}
    - {id: e, source: {nodeId: ask, port: timed_out}, target: {nodeId: first, port: in}, bindings: {}}
    - {id: f, source: {nodeId: pause, port: completed}, target: {nodeId: first, port: in}, bindings: {}}
    - {id: g, source: {nodeId: first, port: completed}, target: {nodeId: done, port: in}}
"""


def start(api: Any, plan: str, given: dict[str, Any]) -> str:
    name = f"people_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{name}", raw=plan.encode())
    return str(api.call("POST", f"/plans/{name}/runs", {"input": given})["runId"])


def test_sixteen_decide_at_once(api: Any) -> None:
    run = start(api, APPROVAL.replace("TIMEOUT", "PT120S"), {"what": "the trip {{ x }}"})
    wait = awaited(api, run)
    assert wait["summary"] == "Approve the trip {{ x }}?"

    def decide(number: int) -> tuple[int, str]:
        try:
            body = {"decision": "approved", "by": f"person {number}"}
            return 200, str(api.call("POST", f"/approvals/{wait['id']}", body)["decidedBy"])
        except Refused as refused:
            return refused.status, str(refused.problem["decidedBy"])

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(decide, range(16)))
    assert sorted(status for status, _ in results) == [200, *[409] * 15]
    assert len({by for _, by in results}) == 1
    over = ended(api, run)
    assert (over["status"], over["output"]) == ("succeeded", {"by": results[0][1]})


def test_nobody_decides(api: Any) -> None:
    run = start(api, APPROVAL.replace("TIMEOUT", "PT2S"), {"what": "x"})
    wait = awaited(api, run)
    over = ended(api, run)
    assert (over["status"], over["error"]["code"]) == ("failed", "too_late")
    with pytest.raises(Refused) as refused:
        api.call("POST", f"/approvals/{wait['id']}", {"decision": "approved", "by": "a"})
    assert (refused.value.status, refused.value.problem["approval"]["status"]) == (410, "timed_out")


def test_cancelled_while_it_waits(api: Any, loopstep: Any) -> None:
    run = start(api, APPROVAL.replace("TIMEOUT", "PT120S"), {"what": "x"})
    wait = awaited(api, run)
    assert loopstep("cancel", run).code == 0
    done = loopstep("approve", wait["id"], "--by", "ada", "--json")
    assert (done.code, json.loads(done.stdout)["code"]) == (6, "approval.over")


def test_the_loser_of_a_race_is_asked_no_longer(api: Any) -> None:
    run = start(api, RACE, {})
    wait = awaited(api, run)
    over = ended(api, run)
    assert (over["status"], over["output"]) == ("succeeded", {"winner": "machine"})
    with pytest.raises(Refused) as refused:
        api.call("POST", f"/approvals/{wait['id']}", {"decision": "approved", "by": "a"})
    assert (refused.value.status, refused.value.problem["code"]) == (410, "approval.over")
    activations = {each["nodeId"]: each for each in api.call("GET", f"/runs/{run}/activations")["items"]}
    assert activations["ask"]["error"]["code"] == "join.decided"


def test_the_quicker_answer_wins(api: Any, loopstep: Any) -> None:
    run = start(api, RACE.replace("PT2S", "PT20S"), {})
    wait = awaited(api, run)
    done = loopstep("reject", wait["id"], "--by", "ada", "--comment", "no", "--json")
    assert (done.code, done.data["decision"], done.data["comment"]) == (0, "rejected", "no")
    assert ended(api, run)["output"] == {"winner": "people"}
