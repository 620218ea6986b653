"""The log line of an invocation, and the metrics in it as CloudWatch reads them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from runtime_engine import Engine

from loopstep.runtime.observe import SECONDS, STACK, Observation

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
input: {n: {type: integer, required: true}}
graph:
  entry: {nodeId: look, port: in}
  nodes:
    - {id: look, type: pass, input: {n: {type: integer, required: true, maximum: 5}}, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: look, port: completed}, target: {nodeId: done, port: in}}
"""


def line(seen: Observation, stream: io.StringIO) -> Any:
    seen.write()
    return json.loads(stream.getvalue())


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_a_metric_is_embedded_in_the_line(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STACK, "s")
    seen = Observation(stream, level="INFO", run="r")
    seen.count("A")
    seen.count("B", 2.5, SECONDS)
    found = line(seen, stream)
    directive = {
        "Namespace": "loopstep",
        "Dimensions": [["stack"]],
        "Metrics": [{"Name": "A", "Unit": "Count"}, {"Name": "B", "Unit": "Seconds"}],
    }
    assert found.pop("_aws")["CloudWatchMetrics"] == [directive]
    assert found == {"level": "INFO", "run": "r", "stack": "s", "A": 1, "B": 2.5}


def test_nothing_is_embedded_without_a_stack_or_a_metric(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STACK, raising=False)
    seen = Observation(stream, run="r")
    seen.count("A")
    assert line(seen, stream) == {"run": "r"}
    monkeypatch.setenv(STACK, "s")
    other = io.StringIO()
    assert line(Observation(other, run="r"), other) == {"run": "r"}


def _counted(memory: Any, given: Any, capsys: Any) -> list[tuple[str, int]]:
    memory.clear()
    Engine(memory, PLAN).run(given)
    lines = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    return [(each["node"], each["FailedActivations"]) for each in lines if "FailedActivations" in each]


def test_a_failed_activation_is_counted_once(memory: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv(STACK, "s")
    assert _counted(memory, {"n": 1}, capsys) == []
    assert _counted(memory, {"n": 9}, capsys) == [("look", 1)]
