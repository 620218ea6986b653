"""Checks of a stack, by its API alone: version, sweeper, what is stuck; by runs of small plans, what functions do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from loopstep import __version__
from loopstep.cli import outcome, remote
from loopstep.cli.examination import FAILED, OK, WARNING, Finding

SILENT = 180.0  # seconds without the sweeper: it comes every 60
RUN_SECONDS = 120.0
_ENDED = ("succeeded", "failed", "cancelled", "timed_out")

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {name: loopstep_doctor, title: Made by `loopstep doctor`}
state: {seen: {type: boolean, required: true, default: false}}
output: {seen: {type: boolean, required: true}}
graph:
  entry: {nodeId: look, port: in}
  nodes:
    - {id: look, type: pass, pass: {}}
    - {id: note, type: set_variable, setVariable: {assignments: [{state: seen, value: {value: true}}]}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: look, port: completed}, target: {nodeId: note, port: in}}
    - id: b
      source: {nodeId: note, port: completed}
      target: {nodeId: done, port: in}
      bindings: {seen: {ref: state.seen}}
"""
MODEL_PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {name: loopstep_doctor_model, title: Made by `loopstep doctor --model`}
output: {said: {type: string, required: true}}
graph:
  entry: {nodeId: ask, port: in}
  nodes:
    - {id: ask, type: llm, llm: {prompt: "Answer with the word: ready"}, output: {said: {type: string, required: true}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: ask, port: completed}, target: {nodeId: done, port: in}}
"""


def examine_remote(runs: bool, model: bool) -> Iterator[Finding]:
    """One finding after the other; nothing more where the API does not answer."""
    try:
        api = remote.connect()
        health: dict[str, Any] = api.call("GET", "/health")
    except outcome.Failure as fault:
        yield _unreachable(fault)
        return
    yield Finding("api", OK, "answers, and takes the key")
    yield _version(health)
    yield _sweeper(health)
    yield _stuck(health)
    yield _overdue(health)
    yield _dead_letters(api)
    if runs:
        yield _tried("functions", api, PLAN, "pass, set_variable and end answer")
    if model:
        yield _tried("model", api, MODEL_PLAN, "answers")


def _unreachable(fault: outcome.Failure) -> Finding:
    if isinstance(fault, remote.Refused) and fault.status in (401, 403):
        return Finding("api", FAILED, "the key is refused", f"{remote.KEY} has to be a key of this stack.")
    return Finding("api", FAILED, fault.message, fault.hint)


def _version(health: dict[str, Any]) -> Finding:
    if health["version"] == __version__:
        return Finding("version", OK, __version__)
    detail = f"the stack has {health['version']}, this is {__version__}"
    return Finding("version", WARNING, detail, "Deploy the stack anew, or use the command of its version.")


def _sweeper(health: dict[str, Any]) -> Finding:
    hint = "Lost starts and answers wait for it: look at the logs of the function `sweep`, and at its schedule."
    if health["sweptAt"] is None:
        return Finding("sweeper", WARNING, "was never here; a fresh stack sees it within two minutes", hint)
    silent = (_moment(health["at"]) - _moment(health["sweptAt"])).total_seconds()
    detail = f"was here {max(0, round(silent))} s ago"
    return Finding("sweeper", FAILED, detail, hint) if silent > SILENT else Finding("sweeper", OK, detail)


def _stuck(health: dict[str, Any]) -> Finding:
    stuck = health["stuckRuns"]
    if not stuck:
        return Finding("stuck runs", OK, "none")
    hint = "They go on after their timeout. `loopstep show RUN`, then `loopstep cancel RUN`."
    return Finding("stuck runs", FAILED, ", ".join(stuck), hint)


def _overdue(health: dict[str, Any]) -> Finding:
    if not health["overdue"]:
        return Finding("overdue", OK, "nothing")
    detail = f"{health['overdue']} decisions or regions wait for the sweeper for more than five minutes"
    return Finding("overdue", FAILED, detail, "The logs of the function `sweep` say what it cannot do.")


def _dead_letters(api: remote.Remote) -> Finding:
    try:
        waiting = len(api.call("GET", "/dead-letters")["items"])
    except outcome.Failure as fault:
        return Finding("dead letters", FAILED, fault.message, fault.hint)
    if not waiting:
        return Finding("dead letters", OK, "none")
    hint = "`loopstep dead-letters list` says why, `loopstep dead-letters redrive ID` tries once more."
    return Finding("dead letters", WARNING, f"{waiting} events or firings could start no run", hint)


def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at.replace("Z", "+00:00"))


def _tried(name: str, api: remote.Remote, plan: str, good: str) -> Finding:
    """Publish a plan, run it, wait for its end."""
    title = plan.partition("name: ")[2].partition(",")[0]
    began = time.monotonic()
    try:
        api.call("PUT", f"/plans/{title}", raw=plan.encode())
        run: dict[str, Any] = api.call("POST", f"/plans/{title}/runs", {"input": {}})
        while run["status"] not in _ENDED and time.monotonic() - began < RUN_SECONDS:
            run = api.call("GET", f"/runs/{run['runId']}?wait=20")
    except outcome.Failure as fault:
        return Finding(name, FAILED, fault.message, fault.hint)
    detail = f"{good}; {time.monotonic() - began:.1f} s, run {run['runId']}"
    if run["status"] == "succeeded":
        return Finding(name, OK, detail)
    code = (run.get("error") or {}).get("code", "")
    return Finding(name, FAILED, f"run {run['runId']} is {run['status']} {code}".rstrip(), "`loopstep show RUN`")
