"""Activations without their values: all of a run, of one node, and of wide runs kept for a while."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.runs import outlines
from loopstep.runs.outlines import Outlines, WideRuns
from loopstep.runs.records import Activation, Closing, Commit, Head, NewRun

AT = "2026-03-01T12:00:00.000Z"


def record(index: int) -> Activation:
    return Activation("n", str(index), "completed", 1, AT, AT)


def head(status: str = "running", epoch: int = 1) -> Head:
    ended = None if status == "running" else AT
    return Head("r", "p", 1, status, epoch, AT, "{}", ended_at=ended)


class Reading:
    """Counts readings of a run of some activations; each takes a second."""

    def __init__(self, count: int) -> None:
        self.count, self.readings, self.time = count, 0, 100.0

    def __call__(self, run: str) -> Outlines:
        self.readings += 1
        self.time += 1
        return Outlines([record(index) for index in range(self.count)], True)


@pytest.mark.parametrize(("count", "readings"), [(outlines.WIDE - 1, 2), (outlines.WIDE, 1)])
def test_only_wide_runs_are_kept(count: int, readings: int) -> None:
    reading = Reading(count)
    wide = WideRuns(reading, lambda: reading.time)
    assert len(wide.of(head()).records) == count == len(wide.of(head()).records)
    assert reading.readings == readings


def test_a_run_that_goes_on_is_read_again_after_twice_the_time_that_it_took() -> None:
    reading = Reading(outlines.WIDE)
    wide = WideRuns(reading, lambda: reading.time)
    wide.of(head())
    reading.time += 1.9
    wide.of(head())
    assert reading.readings == 1
    reading.time += 0.2
    wide.of(head())
    assert reading.readings == 2


def test_one_that_has_ended_is_good_until_its_redrive() -> None:
    reading = Reading(outlines.WIDE)
    wide = WideRuns(reading, lambda: reading.time)
    wide.of(head())
    wide.of(head("failed"))
    reading.time += 500
    wide.of(head("failed"))
    assert reading.readings == 2, "its end is another standing"
    wide.of(head("running", 2))
    wide.of(head("failed", 2))
    assert reading.readings == 4


def test_a_few_runs_are_kept() -> None:
    reading = Reading(outlines.WIDE)
    wide = WideRuns(reading, lambda: reading.time)
    for name in ("a", "b", "c", "d", "a"):
        wide.of(head("failed")._replace(run=name))
    assert reading.readings == 5


def test_all_activations_without_their_values(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.store()
    new = {"version": 1, "machine": "m", "input": {}, "state": {}, "owner": "me"}
    store.create_run(NewRun(run="r", plan="p", created_at=AT, **new))
    for node, path in (("n", "0"), ("n", "1"), ("n_more", "0")):
        closing = Closing(node, path, "completed", AT, AT, input={"a": "x" * 3000}, port="completed", edge="e")
        store.commit(Commit("r", 1, "me", closing))
    reader = world.reader()
    found = reader.outlines("r")
    assert [each.id for each in found.records] == ["n#0", "n#1", "n_more#0"] and found.complete
    assert all((each.input, each.port, each.edge) == (None, "completed", "e") for each in found.records)
    assert [each.id for each in reader.outlines("r", "n").records] == ["n#0", "n#1"]
    monkeypatch.setattr(outlines, "MOST", 2)
    cut = reader.outlines("r")
    assert len(cut.records) == 2 and not cut.complete
