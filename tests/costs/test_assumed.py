"""What the estimate takes from elsewhere is what stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from loopstep.compiler.compile import compile
from loopstep.costs import activations
from loopstep.costs.activations import Assumptions
from loopstep.costs.estimate import estimate
from loopstep.costs.prices import PRICES, dollars, price
from loopstep.costs.work import Work
from loopstep.nodes.catalog import CATALOG
from loopstep.runs import keys

ROOT = Path(__file__).resolve().parents[2]


class Loader(yaml.SafeLoader):
    """Takes CloudFormation's short forms for what is in them."""


def _content(loader: Any, _: str, node: Any) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    return loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else loader.construct_mapping(node)


Loader.add_multi_constructor("!", _content)
TEMPLATE = yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), Loader)


def test_as_many_fences_as_the_table_has() -> None:
    assert activations.FENCES == keys.FENCES


def test_memory_as_the_template_gives_it() -> None:
    globals_, resources = TEMPLATE["Globals"]["Function"], TEMPLATE["Resources"]
    assert globals_["MemorySize"] == activations.NODE_MEMORY * 1024
    assert resources["ApiFunction"]["Properties"]["MemorySize"] == activations.API_MEMORY * 1024
    for node in CATALOG.values():
        function = resources["".join(map(str.capitalize, node.name.split("_"))) + "Function"]["Properties"]
        assert function.get("MemorySize", 512) == activations.demand(node.name).memory * 1024, node.name


def test_attempts_are_recorded_where_a_node_acts_outside() -> None:
    recording = {name for name, each in activations.DEMANDS.items() if each.attempts}
    assert {node.name for node in CATALOG.values() if node.acts_outside} <= recording
    assert CATALOG.keys() >= activations.DEMANDS.keys()


def test_every_amount_has_a_price() -> None:
    assert {each.field for each in PRICES} == {*Work._fields} - {"models", "items"}
    ones = Work(*(1 for _ in Work._fields))
    assert dollars(ones) == sum(price(ones, each) for each in PRICES)
    assert price(Work(states=1000), PRICES[0]) == 0.025


LOOP = """
apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {name: rounds}
graph:
  entry: {nodeId: again, port: in}
  nodes:
    - {id: again, type: loop, loop: {maxIterations: 50}}
    - {id: work, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: b, source: {nodeId: again, port: body}, target: {nodeId: work, port: in}}
    - {id: n, source: {nodeId: work, port: completed}, target: {nodeId: again, port: next}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
"""


def _states(**given: Any) -> tuple[float, float]:
    program = compile(LOOP).program
    assert program is not None
    least, most = estimate(program, Assumptions(**given))
    return least.states, most.states


def test_rounds_are_those_that_are_given() -> None:
    assert _states() == (3, 3 + 50 * 3)  # again, again.next, done; a round: work, again, again.next
    assert _states(rounds=7) == (3 + 7 * 3, 3 + 7 * 3)
    assert _states(rounds=70) == (3 + 50 * 3, 3 + 50 * 3)  # no more than the plan allows
    assert _states(rounds=0) == (3, 3)
