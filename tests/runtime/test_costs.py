"""`loopstep cost` beside what runs do: states entered, functions invoked, units of DynamoDB, counted here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runtime_engine import Engine
from runtime_world import Wrapped

from loopstep.compiler.compile import compile as compile_document
from loopstep.costs import activations
from loopstep.costs.activations import Assumptions
from loopstep.costs.estimate import estimate
from loopstep.costs.work import Work
from loopstep.runs import keys
from loopstep.runs.schema import INDEX_KEYS

NOTHING_TO_WRITE = ("absent_source_leaves_state", "set_paths_within_objects")  # a set_variable may leave state alone
PEOPLE = ("request_approval", "completion: callback")  # nobody answers here
CASES = [
    (plan, case)
    for plan in sorted((Path(__file__).parents[1] / "conformance" / "cases").glob("*.yaml"))
    if not any(word in plan.read_text(encoding="utf-8") for word in PEOPLE)
    for case in json.loads(plan.with_suffix(".json").read_text(encoding="utf-8"))["runs"]
    if case.get("status") == "succeeded" and "steps" not in case
]


class Meter:
    """Counts as AWS does: two units an item of a transaction, and what its indexes take."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.writes = self.reads = 0

    def __call__(self, name: str, arguments: Any, call: Any) -> Any:
        if name == "batch_get_item":
            self.reads += sum(len(each["Keys"]) for each in arguments["RequestItems"].values())
        before = self._entries() if name == "transact_write_items" else {}
        reply = call()
        if name == "transact_write_items":
            self.writes += 2 * len(arguments["TransactItems"]) + self._moved(before, self._entries())
        return reply

    def _entries(self) -> dict[Any, Any]:
        """Every entry of every index."""
        return {
            (item["sk"]["S"], index): tuple(item[each]["S"] for each in pair)
            for item in self._table.scan("runs")["Items"]
            for index, pair in INDEX_KEYS.items()
            if all(each in item for each in pair)
        }

    @staticmethod
    def _moved(before: dict[Any, Any], after: dict[Any, Any]) -> int:
        both = before.keys() & after.keys()
        return len(before.keys() ^ after.keys()) + 2 * sum(before[each] != after[each] for each in both)


class Metered(Engine):
    """Counts the invocations of functions."""

    invoked = 0

    def _function(self, kind: str) -> Any:
        self.invoked += 1
        return super()._function(kind)


def measured(memory: Any, plan: Path, given: Any) -> tuple[Work, bool]:
    """What a run took, and whether none of its nodes failed."""
    memory.clear()
    table = memory.dynamodb
    meter = Meter(table)
    memory.dynamodb = Wrapped(table, meter)
    try:
        engine = Metered(memory, plan.read_text(encoding="utf-8"))
        assert engine.run(given) == "SUCCEEDED"
    finally:
        memory.dynamodb = table
    items = table.scan("runs")["Items"]
    records = [each for each in items if each["sk"]["S"].startswith(keys.ACTIVATION)]
    well = all(each["act_status"]["S"] == "completed" for each in records)
    work = Work(
        states=len(engine.entered),
        invocations=engine.invoked,
        writes=meter.writes,
        reads=meter.reads,
        events=len(memory.events.published),
        items=len(items),
    )
    return work, well


@pytest.mark.parametrize(("plan", "case"), CASES, ids=lambda value: getattr(value, "stem", ""))
def test_runs_take_what_the_estimate_says(memory: Any, plan: Path, case: Any) -> None:
    found, well = measured(memory, plan, case["input"])
    if not well:
        return  # failures are beside the estimate
    program = compile_document(plan.read_bytes(), "p").program
    assert program is not None
    least, most = estimate(program)
    if plan.stem in NOTHING_TO_WRITE:
        least = least._replace(writes=least.writes - activations.WRITE)
    request = activations.asked(Assumptions())
    for field in ("states", "events", "items"):
        assert getattr(least, field) <= getattr(found, field) <= getattr(most, field), field
    for field in ("invocations", "writes"):
        outside = getattr(request, field)
        at_least, at_most = (
            getattr(each, field) - outside - getattr(activations.ended(each, Assumptions()), field)
            for each in (least, most)
        )
        assert at_least <= getattr(found, field) <= at_most, field
    assert found.reads <= most.reads
