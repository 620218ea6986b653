"""`loopstep diff`: files and versions, exit codes, what is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import outcome

ROOT = Path(__file__).resolve().parents[2]
PLAN = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")


@pytest.fixture
def plans(tmp_path: Path) -> Any:
    """A file of a name with what the plan becomes when texts are replaced."""

    def write(name: str, *replaced: tuple[str, str]) -> str:
        text = PLAN
        for before, after in replaced:
            assert before in text
            text = text.replace(before, after, 1)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def test_no_difference(cli: Any, plans: Any) -> None:
    one, other = plans("a.yaml"), plans("b.yaml", ("metadata:", "# a comment\nmetadata:"))
    done = cli("diff", one, other)
    assert (done.exit_code, done.stdout) == (outcome.OK, f"{one} → {other}: no difference\n")
    assert json.loads(cli("diff", one, other, "--json").stdout) == {"equal": True, "breaking": False, "changes": []}


def test_what_breaks_callers_comes_first_and_is_1(cli: Any, plans: Any) -> None:
    one = plans("a.yaml")
    other = plans("b.yaml", ("  reason: {type: string}\n", ""), ("plan.input.reason, default", "input.reason, default"),
                  ("input: {amount: {type: number, required: true, maximum: 5000}}",
                   "input: {amount: {type: number, required: true}, reason: {type: string}}"))  # fmt: skip
    done = cli("diff", one, other)
    assert done.exit_code == outcome.NO
    assert done.stdout.splitlines() == [
        f"{one} → {other}: 4 differences, 1 breaks callers",
        "",
        "breaks callers",
        "  - input.reason (string): it is not declared any more, and who sends it is refused",
        "",
        "breaks nobody",
        "  ~ nodes.look.input.amount: number, required, maximum 5000 → number, required",
        "  + nodes.look.input.reason (string)",
        '  ~ edges.large.bindings.reason: {"expr": "plan.input.reason", "default": "no reason given"} → '
        '{"expr": "input.reason", "default": "no reason given"}',
    ]
    assert cli("diff", other, one).exit_code == outcome.OK
    found = json.loads(cli("diff", one, other, "--json").stdout)
    assert (found["equal"], found["breaking"], len(found["changes"])) == (False, True, 4)
    first = {"about": "input", "action": "removed", "place": "input.reason", "before": {"type": "string"}}
    assert {name: found["changes"][0][name] for name in first} == first


def test_versions_of_the_service(cli: Any, plans: Any, service: Any) -> None:
    service.on("GET /plans/refund", (200, {"name": "refund", "version": 4}))
    service.on("GET /plans/refund/versions/4", (200, {"document": PLAN}))
    service.on("GET /plans/refund/versions/2", (200, {"document": PLAN.replace("<= 50", "<= 60")}))
    done = cli("diff", "refund@2", "refund@latest")
    assert done.exit_code == outcome.OK
    assert "~ edges.small.when" in done.stdout
    assert cli("diff", "refund@9", "refund@latest").exit_code == outcome.NOT_FOUND


def test_stdin_is_one_of_both(cli: Any, plans: Any) -> None:
    assert cli("diff", "-", plans("a.yaml"), stdin=PLAN).exit_code == outcome.OK
    assert cli("diff", "-", "-", stdin=PLAN).exit_code == outcome.USAGE


def test_a_plan_with_errors_is_not_compared(cli: Any, plans: Any) -> None:
    one, other = plans("a.yaml"), plans("b.yaml", ("ref: plan.input.desk", "ref: plan.input.dsk"))
    done = cli("diff", one, other)
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")
    assert "reference.unknown_field" in done.stderr
    assert cli("diff", one, "no such file").exit_code == outcome.USAGE
