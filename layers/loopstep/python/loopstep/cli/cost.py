"""`loopstep cost`: what runs of a plan cost on AWS, offline, at list prices."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from loopstep.cli import files, outcome
from loopstep.cli.arguments import Seconds

if TYPE_CHECKING:
    from loopstep.costs.activations import Assumptions
    from loopstep.costs.estimate import Estimate

NOTES = (
    "from the shortest way through the plan to the longest; no node fails, nothing is tried twice, values are small",
    "besides: tokens of models, logs, traces, storage, and the sweeper, which runs every minute for all plans together",
)


@click.command("cost")
@click.argument("file")
@click.option("--runs", type=click.IntRange(1), default=1000, show_default=True, help="Dollars for so many runs.")
@click.option("--items", type=click.IntRange(0), help="Items of every fan_out. Default: from none to its maxItems.")
@click.option("--iterations", type=click.IntRange(0), help="Rounds of every loop. Default: from none to maxIterations.")
@click.option("--model-seconds", type=Seconds(), default=5.0, show_default=True, help="How long a node asks models.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def cost_command(
    file: str, runs: int, items: int | None, iterations: int | None, model_seconds: float, as_json: bool
) -> int:
    """Estimate what runs of the plan FILE ("-": stdin) cost on AWS: amounts a run, dollars at list prices.

    Exit code 1 when the plan has errors.
    """
    from loopstep.compiler.compile import compile
    from loopstep.costs.activations import Assumptions
    from loopstep.costs.estimate import estimate

    document = files.read_document(file)
    compiled = compile(document)
    if compiled.program is None or compiled.plan is None:
        from loopstep.cli.diagnosis import echo, echo_json

        echo(file, document, compiled.diagnostics, to_stderr=True)
        if as_json:
            echo_json(file, compiled.diagnostics)
        return outcome.NO
    assumed = Assumptions(model_seconds=model_seconds, items=items, rounds=iterations)
    found = estimate(compiled.program, assumed)
    if as_json:
        click.echo(json.dumps(_data(file, found, runs, assumed), ensure_ascii=False))
    else:
        _print(compiled.plan.name or file, found, runs)
    return outcome.OK


def _data(file: str, found: Estimate, runs: int, assumed: Assumptions) -> dict[str, Any]:
    """Amounts are of one run; dollars of all."""
    from loopstep.costs.prices import DATE, PRICES, REGION, price

    lines = [
        {
            "service": each.service,
            "unit": each.unit,
            "least": getattr(found.cheapest, each.field),
            "most": getattr(found.dearest, each.field),
            "dollars": [round(price(work, each) * runs, 8) for work in found],
            "price": {"dollars": each.dollars, "per": each.per, "source": each.source},
        }
        for each in PRICES
    ]
    return {
        "file": file,
        "runs": runs,
        "dollars": _totals(found, runs),
        "lines": lines,
        "modelActivations": [found.cheapest.models, found.dearest.models],
        "prices": {"region": REGION, "date": DATE},
        "assumptions": assumed._asdict(),
    }


def _totals(found: Estimate, runs: int) -> list[float]:
    from loopstep.costs.prices import dollars

    return [round(dollars(work) * runs, 8) for work in found]


def _print(name: str, found: Estimate, runs: int) -> None:
    from loopstep.cli import table
    from loopstep.costs.prices import DATE, PRICES, REGION, price

    rows = [("", "a run", f"$ for {runs:,} {'run' if runs == 1 else 'runs'}")]
    for each in PRICES:
        amounts = [getattr(work, each.field) for work in found]
        if any(amounts):
            spent = [price(work, each) * runs for work in found]
            rows.append((f"{each.service}, {each.unit}", _span(amounts, "{:,.4g}"), _span(spent, "{:,.4f}")))
    rows.append(("together", "", _span(_totals(found, runs), "{:,.4f}")))
    click.echo(f"{table.plain(name)}: list prices of {REGION}, looked up {DATE}\n")
    for line in table.lines(rows):
        click.echo(line)
    if found.dearest.models:
        amount = _span([work.models for work in found], "{:,.4g}")
        click.echo(f"\nactivations a run that ask a model, whose tokens have their own price: {amount}")
    click.echo("\n" + "\n".join(NOTES))


def _span(numbers: Sequence[float], form: str) -> str:
    """One number, or from … to."""
    low, high = (_plain(each, form) for each in numbers)
    return low if low == high else f"{low} … {high}"


def _plain(number: float, form: str) -> str:
    return f"{number:,.0f}" if number == int(number) and form != "{:,.4f}" else form.format(number)
