"""The table on the terminal, and results.json."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.figures import Figure, Measurement

RESULTS = Path(__file__).with_name("results.json")
MARKS = {True: "[green]reached[/]", False: "[red]missed[/]", None: ""}


def print_measurement(console: Console, measurement: Measurement) -> None:
    """One table a measurement, with its notes below."""
    table = Table(title=f"{measurement.name}: {measurement.title}", title_justify="left", title_style="bold")
    for column in ("figure", "value", "quartiles", "target", ""):
        table.add_column(column, justify="right" if column == "value" else "left")
    for figure in measurement.figures:
        target = str(figure.target) if figure.target else ""
        name = figure.name.replace("[", r"\[")
        table.add_row(name, f"{shown(figure)} {figure.unit}", figure.spread, target, MARKS[figure.reached])
    console.print(table)
    for note in measurement.notes:
        console.print(f"  {note}", markup=False, highlight=False)


def shown(figure: Figure) -> str:
    """The value with three significant digits, whole from a thousand on."""
    return f"{figure.value:,.0f}" if abs(figure.value) >= 1000 else f"{figure.value:.3g}"


def machine() -> dict[str, Any]:
    """What the figures were measured on, and how busy it was."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load": os.getloadavg(),
    }


def results(measurements: Sequence[Measurement], before: dict[str, Any]) -> dict[str, Any]:
    """All of it as JSON data: `measurements` by name, `machine` before and after."""
    found = {measurement.name: measurement.to_json() for measurement in measurements}
    return {"machine": {"before": before, "after": machine()}, "measurements": found}


def write_results(data: dict[str, Any]) -> None:
    """Keep results.json; measurements that were not taken this time stay as they were."""
    try:
        earlier = json.loads(RESULTS.read_text(encoding="utf-8"))["measurements"]
    except (OSError, ValueError, KeyError):
        earlier = {}
    merged = {**data, "measurements": {**earlier, **data["measurements"]}}
    RESULTS.write_text(json.dumps(merged, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
