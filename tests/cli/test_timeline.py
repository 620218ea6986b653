"""`show` as a tree: regions around what ran in them, why each branch was taken, long rows folded."""

from __future__ import annotations

from typing import Any

import click
import pytest

from loopstep.cli import table
from loopstep.cli.runs import run_lines
from loopstep.cli.timeline import progress, timeline

RUN = {"startedAt": "2026-01-01T00:00:00.000Z"}


def at(second: float) -> str:
    return f"2026-01-01T00:{int(second // 60):02d}:{second % 60:06.3f}Z"


def activation(node: str, second: float, *around: tuple[str, str, str, int | None], **more: Any) -> dict[str, Any]:
    enclosing = [dict(zip(("kind", "nodeId", "part", "index"), part, strict=True)) for part in around]
    path = [part[3] for part in around if part[3] is not None]
    ended = {"startedAt": at(second), "endedAt": at(second + 0.01)}
    base = {"nodeId": node, "path": path, "status": "completed", "attempts": 1, "enclosing": enclosing, "choice": None}
    return {**base, **ended, "port": None, "edge": None, "error": None, **more}


def shown(*activations: dict[str, Any], every: bool = False) -> str:
    return click.unstyle("\n".join(timeline(RUN, list(activations), every)))


def items(count: int, **of: dict[str, Any]) -> list[dict[str, Any]]:
    return [activation("work", 1 + i / 100, ("items", "each", "item", i), **of.get(f"i{i}", {})) for i in range(count)]


def test_a_flat_run_has_no_tree() -> None:
    text = shown(activation("a", 0.5, port="completed", edge="e"), activation("done", 1))
    assert text == ("  +0.500 s  a     completed  10 ms  completed → e\n  +1.000 s  done  completed  10 ms")


def test_what_was_used_of_models() -> None:
    calls = [{"tool": "read_file", "outcome": "done"}] * 2
    calls += [{"tool": "rm\x1b[2J", "outcome": "refused", "reason": "there is no such tool"}]
    first = {"model": "", "calls": 1, "inputTokens": 1000, "outputTokens": 0}
    second = {"model": "nova", "calls": 2, "inputTokens": 234, "outputTokens": 5, "toolCalls": calls, "omitted": 3}
    second["warnings"] = [f"w{number}" for number in range(7)]
    asked = activation("ask", 0.5, tries=[{"usage": first}, {"usage": None}, {}, {"usage": second}])
    lines = shown(asked, activation("done", 1, tries=[{"number": 1}])).splitlines()
    assert [line.strip() for line in lines[1:-1]] == [
        "nova: 3 calls, 1,234 tokens in, 5 out",
        "tools: read_file done ×2, rm [2J refused",
        "! rm [2J refused: there is no such tool",
        "and 3 tool calls that are not listed",
        *(f"! w{number}" for number in range(5)),
        "! and 2 more",
    ]
    assert "nova" not in "\n".join(progress(RUN, [asked]))


def test_branches_and_items() -> None:
    text = shown(
        activation("split", 0.1),
        activation("l", 0.3, ("branches", "split", "left", None)),
        activation("each", 0.4, ("branches", "split", "left", None)),
        activation("work", 0.5, ("branches", "split", "left", None), ("items", "each", "item", 0)),
        activation("r", 0.2, ("branches", "split", "right", None), status="failed", error={"code": "node.timeout"}),
        activation("both", 2),
    )
    assert [line[12:26].rstrip() for line in text.splitlines()] == [
        "split",
        "split right",
        "└ r",
        "split left",
        "├ l",
        "├ each",
        "└ each item 0",
        "  └ work",
        "both",
    ]
    assert "failed" in text.splitlines()[1] and "node.timeout" in text.splitlines()[2]


def test_the_loops_own_activation_heads_its_pass() -> None:
    text = shown(
        activation("row", 0.1, path=[0], port="body", edge="in_row"),
        activation("cell", 0.2, ("loop", "row", "body", 0)),
        activation("row", 0.3, path=[1], port="completed", edge="finished"),
    )
    assert "row pass 0" in text and "completed → finished" in text
    assert text.count("row") == 3  # the pass with its edge, and the way out
    assert text.splitlines()[0].endswith("body → in_row")


def test_why_a_branch_was_taken() -> None:
    made = {
        "port": "completed",
        "while": None,
        "operands": [{"text": "input.amount", "value": 900}, {"text": "plan.input.pin", "value": "***"}],
        "edges": [
            {"edge": "small", "when": "input.amount <= 50", "holds": False},
            {"edge": "large", "when": "plan.input.pin > 0", "holds": True},
            {"edge": "else", "when": None, "holds": None},
        ],
    }
    lines = shown(activation("look", 0, port="completed", edge="large", choice=made)).splitlines()
    assert [line.strip() for line in lines[1:]] == [
        "✗ small: when input.amount <= 50",
        "✓ large: when plan.input.pin > 0",
        "· else: otherwise",
        'where input.amount = 900, plan.input.pin = "***"',
    ]


def test_an_operand_that_is_a_whole_condition_is_not_said_twice() -> None:
    made = {
        "port": "completed",
        "while": None,
        "operands": [
            {"text": "input.s == 'a'", "value": True},
            {"text": "length(input.s) > 3", "value": False},
        ],
        "edges": [
            {"edge": "e", "when": 'input.s=="a"', "holds": True},
            {"edge": "f", "when": "length(input.s) > 3 && input.n", "holds": None},
        ],
    }
    lines = shown(activation("look", 0, port="completed", edge="e", choice=made)).splitlines()
    assert lines[-1].strip() == "where length(input.s) > 3 is false"


def test_items_stand_by_their_numbers_whenever_they_began() -> None:
    late = [activation("work", 9 - i, ("items", "each", "item", i)) for i in range(3)]
    text = shown(activation("each", 0.5), *late, activation("all", 10))
    assert next(line for line in text.splitlines() if "each item" in line).split("each item ")[1][0] == "0"
    assert text.splitlines()[0].endswith("10 ms") and "all" in text.splitlines()[-1]


def test_long_rows_are_folded_and_failures_stay() -> None:
    failed = {"i40": {"status": "failed", "error": {"code": "boom"}}, "i50": {"status": "running", "endedAt": None}}
    text = shown(activation("each", 0.5), *items(100, **failed))
    for visible in (0, 1, 2, 40, 50, 98, 99):
        assert f"each item {visible} " in text
    assert "each item 3 " not in text
    assert "… 37 more items of each (3 to 39), all completed; --all shows them" in text
    assert "… 9 more items of each (41 to 49)" in text
    assert "boom" in text
    assert shown(activation("each", 0.5), *items(100), every=True).count("each item") == 100


def test_a_short_row_is_not_folded() -> None:
    assert "…" not in shown(*items(6))


def test_a_wait_says_until_when() -> None:
    text = shown(activation("pause", 1, status="waiting", endedAt=None, until="2026-01-01T00:05:00.000Z"))
    assert text.endswith("waiting until 2026-01-01 00:05:00Z")


@pytest.mark.parametrize("columns", [60, 80])
def test_no_line_is_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    made = {
        "port": "completed",
        "while": None,
        "operands": [{"text": "length(plan.input.客户名称) > 3", "value": True}] * 5,
        "edges": [{"edge": "e" * 63, "when": "plan.input.客户名称 == '上海' && " * 20 + "true", "holds": True}],
    }
    around = [("items", f"region_with_a_long_name_{i}", "item", i) for i in range(6)]
    text = shown(
        activation("n" * 63, 1, port="completed", edge="e" * 63, choice=made, error={"code": "a.code"}, attempts=3),
        activation("订单" * 20, 2, *around, port="completed", edge="e"),
    )
    assert max(table.width(line) for line in text.splitlines()) <= columns
    assert "a.code" in text


def test_runs_fit_80_columns_whatever_the_plan_is_called() -> None:
    items = [
        {
            "runId": "f" * 32,
            "plan": "p" * 63,
            "version": 12,
            "status": "succeeded",
            "startedAt": at(1),
            "endedAt": at(5),
        },
        {"runId": "0" * 32, "plan": "q", "version": 1, "status": "created", "startedAt": None, "endedAt": None},
    ]
    lines = [click.unstyle(line) for line in run_lines(items, 80)]
    assert max(map(table.width, lines)) <= 80
    assert "v12" in lines[0] and "…" in lines[0] and "2026-01-01 00:00:01Z" in lines[0]
    assert "4.0 s" in run_lines(items, None)[0] and "p" * 63 in run_lines(items, None)[0]


def test_progress_names_the_place_in_brackets() -> None:
    text = click.unstyle("\n".join(progress(RUN, items(2))))
    assert text.splitlines() == [
        "  +1.000 s  work[0]  completed  10 ms",
        "  +1.010 s  work[1]  completed  10 ms",
    ]


def test_a_record_of_an_older_api_has_its_path_in_brackets() -> None:
    plain = activation("n", 1)
    del plain["enclosing"], plain["choice"]
    assert "n[2]" in shown({**plain, "path": [2]})
