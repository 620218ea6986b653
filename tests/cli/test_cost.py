"""`loopstep cost`: amounts of one run, dollars of many, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFUND = str(ROOT / "examples" / "refund.yaml")
FAN_OUT = str(ROOT / "docs" / "nodes" / "examples" / "fan_out.yaml")


def test_the_operations_page_shows_what_it_says(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done = cli("cost", REFUND)
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert done.exit_code == 0 and f"$ loopstep cost examples/refund.yaml\n{done.stdout}```" in page


def test_as_json(cli: Any) -> None:
    one, many = (json.loads(cli("cost", REFUND, "--json", "--runs", str(runs)).stdout) for runs in (1, 1_000_000))
    assert one["dollars"] == pytest.approx([each / 1e6 for each in many["dollars"]], abs=1e-8)
    assert many["dollars"] == pytest.approx([sum(line["dollars"][n] for line in many["lines"]) for n in (0, 1)])
    states = one["lines"][0]
    assert (states["service"], states["least"], states["most"]) == ("Step Functions", 4, 4)
    assert all(line["price"]["source"].startswith("https://aws.amazon.com/") for line in one["lines"])
    assert one["prices"] == {"region": "us-east-1", "date": "2026-11-30"}


def test_items_are_those_that_are_given(cli: Any) -> None:
    any_, ten = (json.loads(cli("cost", FAN_OUT, "--json", *more).stdout) for more in ((), ("--items", "10")))
    least, most = (any_["lines"][0][key] for key in ("least", "most"))
    assert least < ten["lines"][0]["least"] == ten["lines"][0]["most"] < most
    assert ten["assumptions"]["items"] == 10


def test_a_plan_that_asks_models(cli: Any) -> None:
    agent = str(ROOT / "docs" / "nodes" / "examples" / "agent.yaml")
    assert json.loads(cli("cost", agent, "--json").stdout)["modelActivations"] == [1, 1]
    assert "whose tokens have their own price: 1\n" in cli("cost", agent).stdout


def test_a_plan_with_errors(cli: Any) -> None:
    done = cli("cost", "-", "--json", stdin="graph: 1")
    assert done.exit_code == 1 and "error" in done.stderr
    assert json.loads(done.stdout)["files"][0]["diagnostics"]
    assert cli("cost", "no-such-file").exit_code == 2
    assert cli("cost", REFUND, "--runs", "0").exit_code == 2
