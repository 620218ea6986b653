"""The conformance cases in this process: in every order, with the local cloud's manners, and whatever call dies."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from runtime_engine import Engine
from runtime_world import Dying, repeating

from loopstep.compiler.compile import compile as compile_document
from loopstep.runs import keys
from loopstep.runs.values import decode
from loopstep.types.conform import conform_fields

PEOPLE = ("request_approval", "completion: callback")  # nobody answers here
CASES = [
    plan
    for plan in sorted((Path(__file__).parents[1] / "conformance" / "cases").glob("*.yaml"))
    if not any(word in plan.read_text(encoding="utf-8") for word in PEOPLE)
]
RUNS = {plan: json.loads(plan.with_suffix(".json").read_text(encoding="utf-8"))["runs"] for plan in CASES}
ALONE = {plan: [run for run in runs if "status" in run and "steps" not in run] for plan, runs in RUNS.items()}
# in a part of a region time decides who is first, and here no time passes
TIMED = ("a_race_between_branches",)
REGIONS = [plan for plan in CASES if "fan_out" in plan.read_text(encoding="utf-8") and plan.stem not in TIMED]
QUIET = [plan for plan in REGIONS if not {"mode: any", "mode: count"} & {*re.findall("mode: [a-z]+", plan.read_text())}]


def outcome(world: Any) -> dict[str, Any]:
    """What the cases speak of."""
    run, items, values = world.run(), world.items(), world.store().values
    sent = [each for each in items if each["sk"]["S"].startswith(keys.MESSAGE)]
    return {
        "status": run["status"],
        "errorCode": run["error"]["code"] if run["error"] else None,
        "output": run["output"],
        "activations": Counter(each["node"]["S"] for each in items if each["sk"]["S"].startswith(keys.ACTIVATION)),
        "messages": sorted((each["scope"]["S"], values.read(decode(each["text"]))) for each in sent),
    }


def assert_as_expected(world: Any, case: dict[str, Any], exact: bool = True) -> None:
    """`exact`: nothing else may have happened before a failure decided."""
    found = outcome(world)
    assert (found["status"], found["errorCode"]) == (case["status"], case.get("errorCode"))
    if "output" in case:
        assert found["output"] == case["output"]
    if exact and "activations" in case:
        assert {node: found["activations"][node] for node in case["activations"]} == case["activations"]
    if exact and "messages" in case:
        assert found["messages"] == sorted((each["scope"], each["text"]) for each in case["messages"])


@pytest.mark.parametrize("plan", CASES, ids=lambda plan: plan.stem)
def test_a_case(memory: Any, plan: Path) -> None:
    for case in RUNS[plan]:
        memory.clear()
        if "rejected" in case:
            compiled = compile_document(plan.read_bytes(), "p").plan
            assert compiled is not None
            assert set(case["rejected"]) <= {each.path for each in conform_fields(case["input"], compiled.input)[1]}
        elif case in ALONE[plan] and plan.stem not in TIMED:
            Engine(memory, plan.read_text(encoding="utf-8")).run(case["input"])
            assert_as_expected(memory, case)


@pytest.mark.parametrize("plan", QUIET, ids=lambda plan: plan.stem)
@pytest.mark.parametrize(("stops", "named"), [(True, True), (False, False)])
def test_a_case_in_other_orders(memory: Any, plan: Path, stops: bool, named: bool) -> None:
    document = plan.read_text(encoding="utf-8")
    for seed in range(3):
        for case in ALONE[plan]:
            memory.clear()
            Engine(memory, document, order=random.Random(seed), stops=stops, named=named).run(case["input"])
            assert_as_expected(memory, case, exact=case["status"] == "succeeded" and "code" not in case["output"])


@pytest.mark.parametrize("plan", REGIONS, ids=lambda plan: plan.stem)
def test_a_region_comes_out_the_same_whatever_call_dies(memory: Any, plan: Path) -> None:
    document = plan.read_text(encoding="utf-8")
    for case in ALONE[plan][:2]:
        memory.clear()
        count = Dying(-1, False)
        Engine(memory, document, count).run(case["input"])
        expected = outcome(memory)
        for at in range(count.calls):
            for after in (False, True):
                memory.clear()
                Engine(memory, document, Dying(at, after)).run(case["input"])
                assert outcome(memory) == expected, f"died at call {at}, {'after' if after else 'before'} it"


@pytest.mark.parametrize("plan", REGIONS, ids=lambda plan: plan.stem)
def test_a_region_comes_out_the_same_when_every_reply_is_lost_once(memory: Any, plan: Path) -> None:
    document = plan.read_text(encoding="utf-8")
    for case in ALONE[plan]:
        memory.clear()
        Engine(memory, document).run(case["input"])
        expected = outcome(memory)
        memory.clear()
        Engine(memory, document, repeating).run(case["input"])
        assert outcome(memory) == expected
