"""A run as text: columns line up whatever the script, nothing breaks out of its line."""

from __future__ import annotations

import click
import pytest

from loopstep.cli import table
from loopstep.cli.report import report


def test_columns_line_up_by_display_width() -> None:
    assert table.lines([["a", "x"], ["订单", "y"], ["e\u0301", "z"]]) == ["a     x", "订单  y", "e\u0301     z"]


@pytest.mark.parametrize(
    ("text", "cells", "expected"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("订单号", 5, "订单…"), ("订单号", 4, "订…")]
)
def test_cut(text: str, cells: int, expected: str) -> None:
    cut = table.cut(text, cells)
    assert cut == expected
    assert table.width(cut) <= cells


@pytest.mark.parametrize(
    ("seconds", "expected"), [(None, ""), (0.0123, "12 ms"), (3.42, "3.4 s"), (320, "5 min 20 s"), (0, "0 ms")]
)
def test_span(seconds: float | None, expected: str) -> None:
    assert table.span(seconds) == expected


def test_a_failed_attempt_and_a_place_in_a_loop() -> None:
    run = {
        "runId": "r",
        "plan": "p",
        "version": 1,
        "status": "failed",
        "input": {},
        "output": None,
        "error": {"code": "node.timeout", "message": "Too slow.", "nodeId": "ask"},
        "startedAt": "2026-01-01T00:00:00.000Z",
        "endedAt": "2026-01-01T00:02:05.000Z",
    }
    later = {
        "nodeId": "ask",
        "path": [0, 2],
        "status": "failed",
        "attempts": 2,
        "error": {"code": "node.timeout", "message": "Too slow."},
        "port": "failed",
        "edge": None,
        "startedAt": "2026-01-01T00:00:05.000Z",
        "endedAt": "2026-01-01T00:02:05.000Z",
    }
    earlier = {
        **later,
        "nodeId": "split",
        "path": [],
        "status": "running",
        "attempts": 1,
        "error": None,
        "endedAt": None,
    }
    earlier.update(startedAt="2026-01-01T00:00:01.000Z", port=None)
    hostile = {"scope": "team", "text": "a\x1b[2Jb\nc\u202ed"}
    text = click.unstyle(report({"run": run, "state": {}, "activations": [later, earlier], "messages": [hostile]}))
    assert "p v1, run r: failed after 2 min 5 s" in text
    assert text.index("split") < text.index("ask[0.2]")
    assert "2 attempts; node.timeout" in text
    assert "team  a [2Jb c d" in text
    assert "error node.timeout at ask: Too slow." in text


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in table.coloured("failed")
    monkeypatch.setenv("NO_COLOR", "1")
    assert table.coloured("failed") == "failed"
