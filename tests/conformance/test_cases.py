"""Every case in `cases/`: drop a plan and a JSON file of the same name in, get a test of each run (form: `cases.py`).

Runs wait for engines more than for processors, so several are under way at a time; the first test begins them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Remote
from tests.conformance.cases import faults, publish

AT_ONCE = 8
PLANS = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
RUNS = {plan.stem: json.loads(plan.with_suffix(".json").read_text(encoding="utf-8"))["runs"] for plan in PLANS}
Results = dict[tuple[str, int], Future[list[str]]]


@pytest.fixture(scope="module")
def results(api: Remote, request: pytest.FixtureRequest) -> Iterator[Results]:
    """The faults of each run that was chosen."""
    chosen = {
        (item.callspec.params["plan"], item.callspec.params["number"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.path == request.path
    }
    plans = [plan for plan in PLANS if any(plan.stem == stem for stem, _ in chosen)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = {plan.stem: pool.submit(publish, api, plan.stem, plan.read_bytes()) for plan in plans}

        def run(stem: str, case: dict[str, Any]) -> list[str]:
            return faults(api, names[stem].result(), case)

        ordered = sorted(chosen, key=lambda each: each[1])
        yield {(stem, number): pool.submit(run, stem, RUNS[stem][number]) for stem, number in ordered}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize(
    ("plan", "number"), [(stem, number) for stem, runs in RUNS.items() for number in range(len(runs))]
)
def test_case(results: Results, plan: str, number: int) -> None:
    assert results[plan, number].result() == []
