"""Seeded random plans on the deployed local cloud come out as the reference interpreter says."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli.remote import Remote
from tests.conformance.cases import faults, publish

SEEDS = range(15)
AT_ONCE = 6


def _module(name: str) -> Any:
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_PLANS, _REFERENCE = _module("random_plans").Plans, _module("reference").Reference


def drawn(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A plan whose outcome no order of its parts changes, and its case."""
    draw = random.Random(seed)
    while True:
        plan = _PLANS(draw, failures=draw.random() < 0.5).plan()
        inputs = {"n": draw.randint(0, 6), "list": [draw.randint(0, 9) for _ in range(draw.randint(0, 4))]}
        run = _REFERENCE(plan, inputs).run()
        if not run.racy and 8 <= len(run.activations) <= 60:
            break
    messages = [{"scope": scope, "text": text} for scope, text in run.messages]
    case = {"input": inputs, "status": run.status, "errorCode": run.code, "messages": messages}
    return plan, case | ({"output": run.output} if run.status == "succeeded" else {})


@pytest.fixture(scope="module")
def results(api: Remote) -> Iterator[dict[int, Future[list[str]]]]:
    def run(seed: int) -> list[str]:
        plan, case = drawn(seed)
        return faults(api, publish(api, f"random_{seed}", json.dumps(plan).encode()), case)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {seed: pool.submit(run, seed) for seed in SEEDS}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_is_what_the_document_says(results: dict[int, Future[list[str]]], seed: int) -> None:
    assert results[seed].result() == []
