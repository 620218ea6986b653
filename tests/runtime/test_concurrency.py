"""Races on one run: no update is lost, no terminal status changes (ARCHITECTURE §3)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from runtime_world import START, event

from loopstep.runtime.failures import Failed

WRITERS = 16


def test_sixteen_writers_lose_no_update(world: Any) -> None:
    world.start(state={"n": 0, "list": []})
    start = threading.Barrier(WRITERS)

    def write(number: int) -> Any:
        spec = {
            "id": f"s{number}",
            "set": [[["n"], ["+", ["ref", "state", "n"], 1]], [["own", f"f{number}"], number]],
            "state": {"n": {"type": "integer"}, "own": {"type": "object"}},
            "out": {"completed": [["e"]]},
        }
        function = world.function("set_variable")
        start.wait(30)
        return function(event(spec))

    with ThreadPoolExecutor(WRITERS) as pool:
        replies = list(pool.map(write, range(WRITERS)))
    assert {reply["edge"] for reply in replies} == {"e"}
    state = world.state()
    assert state["n"] == WRITERS
    assert state["own"] == {f"f{number}": number for number in range(WRITERS)}
    revisions = sorted(world.activation(f"s{number}#")["revision"] for number in range(WRITERS))
    assert revisions == list(range(1, WRITERS + 1))


def test_a_cancel_and_two_ends_leave_one_outcome(world: Any) -> None:
    for turn in range(5):
        run = f"run-{turn}"
        world.start(run, fences=True)
        start = threading.Barrier(3)
        at = START | {"run": run}

        def end(spec: dict[str, Any], at: Any = at, start: Any = start) -> str:
            function = world.function("end")
            start.wait(30)
            try:
                function(event(spec, at))
            except Failed as failed:
                return failed.code
            return "ended"

        def cancel(run: str = run, start: Any = start) -> str:
            store = world.store()
            start.wait(30)
            try:
                store.cancel_run(run, "2026-03-01T12:00:00.000Z", "me")
            except Exception as error:
                return type(error).__name__
            return "ended"

        with ThreadPoolExecutor(3) as pool:
            futures = [
                pool.submit(end, {"id": "good", "input": {}}),
                pool.submit(end, {"id": "bad", "outcome": "failed", "code": "x"}),
                pool.submit(cancel),
            ]
            results = [future.result() for future in futures]
        assert results.count("ended") == 1
        status = world.run(run)["status"]
        assert status in ("succeeded", "failed", "cancelled")
        fences = {
            item["fence"]["S"]
            for item in world.items()
            if item["run"]["S"] == run and item["sk"]["S"].startswith("fence#")
        }
        assert fences == {status}
