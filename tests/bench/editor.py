"""(l) What an editor waits for: completion and hover of `loopstep lsp` while a plan of 200 nodes is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from tests.bench.figures import Figure, Measurement, Target, quartiles
from tests.bench.linear_plans import linear_plan
from tests.editor.client import Client, place

NODES = 200
TARGET = Target("<=", 50)
WORDS = ("input.amount", "state.total", "plan.input.amount")


def measure(rounds: int = 12, nodes: int = NODES) -> Measurement:
    """Each round writes a reference letter by letter somewhere in the plan, asks after each, and looks around.

    Before a round the server has had time to check the text, as it has before a person writes on.
    """
    plan = linear_plan(nodes, whens=True)
    client = Client()
    try:
        client.initialize()
        client.open(plan)
        client.diagnostics()
        taken: dict[str, list[float]] = {"first": [], "further": [], "hover": [], "checked": []}
        places = [at for at in range(len(plan)) if plan.startswith('{expr: "input.amount + ', at)]
        for number in range(rounds):
            at = places[number * 7919 % len(places)]
            _write(client, plan, at, WORDS[number % len(WORDS)], taken)
            _look(client, plan, at, taken)
    finally:
        client.kill()
    completion = [*taken["first"], *taken["further"]]
    return Measurement(
        "editor",
        f"the language server on a plan of {nodes} nodes, {plan.count(chr(10))} lines, from request to answer",
        (
            _figure("completion", completion, TARGET),
            _figure("completion, of a word's first letter", taken["first"]),
            _figure("hover", taken["hover"], TARGET),
            _figure("diagnostics after a change, without the pause", taken["checked"]),
        ),
        {f"{name}, ms": median(values) for name, values in taken.items()},
        rounds,
        (f"{len(completion)} completions, {len(taken['hover'])} hovers",),
    )


def _figure(name: str, values: list[float], target: Target | None = None) -> Figure:
    return Figure(name, median(values), "ms", target, quartiles(values))


def _write(client: Client, plan: str, at: int, word: str, taken: dict[str, list[float]]) -> None:
    end = plan.index("}", at)
    for length in range(1, len(word) + 1):
        before = plan[:at] + "{ref: " + word[:length]
        client.change(before + plan[end:])
        spent, found = _timed(lambda before=before: client.ask("completion", place(before)))  # type: ignore[misc]
        assert word in {item["label"] for item in found["items"]}
        taken["first" if length == 1 else "further"].append(spent)


def _look(client: Client, plan: str, at: int, taken: dict[str, list[float]]) -> None:
    from loopstep.lsp.service import PAUSE

    spent, _ = _timed(lambda: client.diagnostics(client.change(plan)))
    taken["checked"].append(spent - PAUSE * 1000)
    time.sleep(PAUSE)
    for word in ("input.amount", "state: total", "type: set_variable"):
        spot = plan.rfind(word, 0, at + 40) + len(word) - 1
        spent, found = _timed(lambda spot=spot: client.ask("hover", place(plan[:spot])))  # type: ignore[misc]
        assert found is not None
        taken["hover"].append(spent)


def _timed(job: Callable[[], Any]) -> tuple[float, Any]:
    """(milliseconds, the result)"""
    begun = time.perf_counter()
    result = job()
    return (time.perf_counter() - begun) * 1000, result
