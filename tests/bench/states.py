"""(d) States entered per run, divided by the nodes: on Standard workflows each one is paid for."""

from __future__ import annotations

from tests.bench.cloud import Cloud
from tests.bench.figures import Figure, Measurement, Target
from tests.bench.linear_plans import linear_plan

ONE = Target("==", 1)
INPUT = {"amount": 1, "label": "vip 1"}
TITLE = "states entered per run divided by nodes, from the execution's history"


def measure(cloud: Cloud, rounds: int = 1, nodes: int = 10) -> Measurement:
    """Exact, so `rounds` does not matter: set_variables, a send_message, a succeeded end; then one `when` in ten."""
    figures = []
    for name, title, whens in (("bench_linear", "linear path", False), ("bench_whens", "one `when` in ten", True)):
        cloud.publish(name, linear_plan(nodes, name, whens=whens, message=True))
        execution = cloud.start(name, INPUT)
        cloud.duration(execution)
        entered = states_entered(cloud, execution)
        figures.append(Figure(f"{title}, {nodes} nodes", len(entered) / nodes, "states/node", None if whens else ONE))
    medians = {figure.name: figure.value * nodes for figure in figures}
    return Measurement("states", TITLE, tuple(figures), medians, rounds)


def states_entered(cloud: Cloud, execution: str) -> list[str]:
    """The names of the states that an execution entered, in order (the emulator tells none inside Map and Parallel)."""
    names = []
    for page in cloud.client("stepfunctions").get_paginator("get_execution_history").paginate(executionArn=execution):
        for event in page["events"]:
            if event["type"].endswith("StateEntered"):
                names.append(event["stateEnteredEventDetails"]["name"])
    return names
